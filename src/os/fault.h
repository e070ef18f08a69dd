// SPDX-License-Identifier: MIT
/*
 * Calls a driver with a handle that may be invalid: if the driver crashes, that is reported as an
 * answer. For calls that acquire no lock or resource before they dereference the handle.
 */
#ifndef OS_FAULT_H
#define OS_FAULT_H

/*
 * Runs call(context). Returns 0, or the signal that ended it in this thread: SIGSEGV or SIGBUS.
 * Must not be nested. Faults of other threads are handled as before.
 */
int fault_guard(void (*call)(void *context), void *context);

#endif
