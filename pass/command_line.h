/* SPDX-License-Identifier: MIT */
/* command_line.h - what stands on spoor_opt's command line. */
#ifndef SPOOR_PASS_COMMAND_LINE_H
#define SPOOR_PASS_COMMAND_LINE_H

#include "pass/options.h"

#include <stdbool.h>

enum command_line_wish { COMMAND_LINE_RUN, COMMAND_LINE_HELP, COMMAND_LINE_VERSION };

struct command_line {
	enum command_line_wish wish;
	const char *input;	/* "-" is standard input */
};

/*
 * command_line_read - takes the options, in the order in which they stand.
 *
 * An option is "--name=value" or "--name value", one that is true or false
 * "--name", "--noname" or "--name=value". One dash does as well.
 *
 * Return: 0, or a negative errno and @fault says what is wrong.
 */
int command_line_read(struct command_line *line, int argc, char **argv, struct spoor_options *options,
		      struct spoor_fault *fault);

/*
 * command_line_wish - finds --help, its variants or --version: then nothing else is looked at.
 * @about: gets the text of --help=TEXT; "" for help about all options
 */
enum command_line_wish command_line_wish(int argc, char **argv, const char **about);

/* Prints the options in whose name or meaning @about occurs, in either case; with "", everything. Return: whether there is one. */
bool command_line_help(const char *about);

#endif
