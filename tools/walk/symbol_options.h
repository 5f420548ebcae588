/* SPDX-License-Identifier: MIT */
/* symbol_options.h - options of all commands that read a trace: where to look for files that name functions, and which
 * run to read. */
#ifndef SPOOR_TOOLS_SYMBOL_OPTIONS_H
#define SPOOR_TOOLS_SYMBOL_OPTIONS_H

#include <stdbool.h>

/* Values for getopt_long that no command uses itself. */
enum symbol_option { SYMBOL_DIRECTORY = 0x1000, SYMBOL_SERVERS, SYMBOL_ROOT, SYMBOL_RUN };
#define SYMBOL_LONG_OPTIONS                                                     \
	{ "debug-directory", required_argument, NULL, SYMBOL_DIRECTORY },       \
		{ "debuginfod", no_argument, NULL, SYMBOL_SERVERS },            \
		{ "sysroot", required_argument, NULL, SYMBOL_ROOT },            \
	{                                                                       \
		"run", required_argument, NULL, SYMBOL_RUN                      \
	}
#define SYMBOL_HELP                                                                                 \
	"      --debug-directory DIR\n"                                                             \
	"                        search for debug files in DIR instead of /usr/lib/debug (can be\n" \
	"                        repeated)\n"                                                       \
	"      --debuginfod      download missing files from the servers in DEBUGINFOD_URLS\n"      \
	"      --sysroot DIR     also search for traced files in DIR and, by their paths, below\n"  \
	"                        DIR (can be repeated)\n"                                          \
	"      --run N           read only run N, or the last one, of a trace with several runs\n"

/* Returns whether @option is one of these. */
bool symbol_option_is(int option);

/* Handles one of these options. Returns 0, or SPOOR_EXIT_USAGE after a message. */
int symbol_option_take(int option, const char *argument);

#endif
