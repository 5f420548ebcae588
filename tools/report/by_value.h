/* SPDX-License-Identifier: MIT */
/* by_value.h - adds up the calls of functions by the value of an argument or of the result. */
#ifndef SPOOR_REPORT_BY_VALUE_H
#define SPOOR_REPORT_BY_VALUE_H

#include "report/report.h"

/* Splits "read.fd". Returns 0, or SPOOR_EXIT_USAGE after a message. */
int report_by_value_check(const char *by);

/* Reads the trace and writes the rows. Returns an enum spoor_exit. */
int report_by_value(struct report_request *request, struct output *out);

#endif
