/* SPDX-License-Identifier: MIT */
/* command_options.h - reads the options of a command, with the messages about wrong ones. */
#ifndef SPOOR_TOOLS_BASE_COMMAND_OPTIONS_H
#define SPOOR_TOOLS_BASE_COMMAND_OPTIONS_H

#include <getopt.h>

/*
 * options_next - returns the next option, as getopt_long does.
 * @options: every entry has a flag of null; the same array in each call
 *
 * Prints a message about a wrong option, which proposes a similar one, and returns '?'. The caller ends
 * with message_usage(NULL). A command without an option of its own for it has -q, --quiet: it silences
 * message_note() and the display of progress.
 */
int options_next(int argc, char **argv, const char *short_options, const struct option *options);

#endif
