/* SPDX-License-Identifier: MIT */
/* check_patterns.h - checks before a recording that each pattern of the command line matches something. */
#ifndef SPOOR_TOOLS_RECORD_CHECK_PATTERNS_H
#define SPOOR_TOOLS_RECORD_CHECK_PATTERNS_H

#include "record/record.h"

/*
 * record_check_patterns - looks for each pattern of --module, --function, --trigger, --args, --retval and
 * --cpu-time in the files of the program or the process.
 *
 * Prints a message about each pattern that matches nothing, with the most similar name. Does nothing for a script, a
 * container, and a program of which no module is traced: it may start others.
 *
 * Returns 0, or SPOOR_EXIT_USAGE if a pattern matches nothing and --allow-empty was not given.
 */
int record_check_patterns(const struct record *record);

#endif
