/* SPDX-License-Identifier: MIT */
/* findings.h - what `spoor doctor` says: a line each on stdout, and how bad it is. */
#ifndef SPOOR_TOOLS_FINDINGS_H
#define SPOOR_TOOLS_FINDINGS_H

#include <stdbool.h>

enum finding { FINDING_GOOD, FINDING_NOTE, FINDING_PROBLEM };

/* findings_begin - from here on what message() says is a problem found. @quiet: only problems are shown. */
void findings_begin(bool quiet);

/* Says one: what it is, and the way out. Control characters in it are not the terminal's. */
void finding(enum finding how, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* How many problems were found. */
unsigned int findings_end(void);

#endif
