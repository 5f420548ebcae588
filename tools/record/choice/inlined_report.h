/* SPDX-License-Identifier: MIT */
/* inlined_report.h - says which calls of a wanted function were inlined, from debug information. */
#ifndef SPOOR_TOOLS_RECORD_INLINED_REPORT_H
#define SPOOR_TOOLS_RECORD_INLINED_REPORT_H

#include "reader/inlined/inlined.h"
#include "record/choice/wanted_functions.h"

/* Reads the inlined calls of all modules with sleds, once. */
void inlined_report_read(struct inlined *inlined, const struct program_modules *modules);

/* Returns whether the pattern of @wanted matches a function with inlined calls, after a message. */
bool inlined_report(const struct inlined *inlined, const struct wanted_function *wanted, bool allow_empty);

#endif
