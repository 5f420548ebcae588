/* SPDX-License-Identifier: MIT */
/* system_call_rows.h - the report of system calls (spoor report --syscalls). */
#ifndef SPOOR_REPORT_SYSTEM_CALL_ROWS_H
#define SPOOR_REPORT_SYSTEM_CALL_ROWS_H

#include "base/output.h"
#include "report/report.h"

/* Checks that the other options fit. Returns 0, or SPOOR_EXIT_USAGE after a message. */
int report_system_calls_check(const struct report_request *request, bool has_columns);

/* Writes the report. Returns an enum spoor_exit. */
int report_system_calls(struct report_request *request, struct output *out);

#endif
