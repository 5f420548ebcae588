/* SPDX-License-Identifier: MIT */
/* findings.h - prints the findings of `spoor doctor`, one line each, and counts the problems. */
#ifndef SPOOR_TOOLS_FINDINGS_H
#define SPOOR_TOOLS_FINDINGS_H

#include <stdbool.h>

enum finding { FINDING_GOOD, FINDING_NOTE, FINDING_PROBLEM };

/* Starts to report messages of message() as problems. @quiet: print only problems. */
void findings_begin(bool quiet);

/* Prints a finding with its remedy. Control characters are replaced. */
void finding(enum finding how, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the number of problems. */
unsigned int findings_end(void);

#endif
