// SPDX-License-Identifier: MIT
/*
 * What Python runs first, as -c, embedded or executed: refuses an interpreter that the module is
 * not made for, else loads the module and hands over. Its arguments: the channel, the module's
 * file, embed or exec, CHANNEL_REFUSAL_OFFSET.
 */
#ifndef HOST_BOOTSTRAP_H
#define HOST_BOOTSTRAP_H

extern const char bootstrap_source[];

#endif
