/* SPDX-License-Identifier: MIT */
/* command_line.h - parses the command line of spoor_opt. */
#ifndef SPOOR_PASS_COMMAND_LINE_H
#define SPOOR_PASS_COMMAND_LINE_H

#include "pass/options.h"

#include <stdbool.h>

enum command_line_wish { COMMAND_LINE_RUN, COMMAND_LINE_HELP, COMMAND_LINE_VERSION };

struct command_line {
	enum command_line_wish wish;
	const char *input;	/* "-" means standard input */
};

/*
 * command_line_read - applies the options in the order in which they are given.
 *
 * An option is "--name=value" or "--name value"; an option that is true or false is
 * "--name", "--noname" or "--name=value". One dash is accepted as well.
 *
 * Returns 0, or a negative errno with the error in @fault.
 */
int command_line_read(struct command_line *line, int argc, char **argv, struct spoor_options *options,
		      struct spoor_fault *fault);

/*
 * command_line_wish - finds --help, its variants and --version; all other arguments are then ignored.
 * @about: set to the text of --help=TEXT; "" for help about all options
 */
enum command_line_wish command_line_wish(int argc, char **argv, const char **about);

/* Prints the options whose name or meaning contains @about, ignoring case; with "", prints all. Returns whether
 * there is one. */
bool command_line_help(const char *about);

#endif
