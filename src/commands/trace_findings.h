// SPDX-License-Identifier: MIT
/* The call sites of a traced program as targets, judged by the rules TRC. */
#ifndef COMMANDS_TRACE_FINDINGS_H
#define COMMANDS_TRACE_FINDINGS_H

#include "exchanges/exchanges.h"
#include "formats/format.h"

/* Writes the call sites and their findings in a format of targets, such as SARIF. */
int trace_write_findings(const struct format *format, struct format_output *output,
	const struct exchange_list *list, struct err *err);

#endif
