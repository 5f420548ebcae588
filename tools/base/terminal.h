/* SPDX-License-Identifier: MIT */
/*
 * terminal.h - decides about colours, and starts a pager.
 *
 * Without an option that requests it, a stdout that is not a terminal gets neither.
 */
#ifndef SPOOR_TOOLS_TERMINAL_H
#define SPOOR_TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

enum terminal_when { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

/* Parses "auto", "always" or "never". Returns 0, or SPOOR_EXIT_USAGE after a message. */
int terminal_when(const char *argument, enum terminal_when *when);

/* Returns whether output to @fd gets colours. Called before a pager replaces stdout. */
bool terminal_has_colors(enum terminal_when when, int fd);

/*
 * terminal_width - returns the number of characters in a line of stdout; 0: no limit.
 *
 * The variable COLUMNS says it, or else the terminal. A pipe and a file have no limit. Called before a
 * pager replaces stdout.
 */
size_t terminal_width(void);

/*
 * terminal_pager_begin - sends stdout to a pager, and stderr too if it is a terminal.
 *
 * The pager is $SPOOR_PAGER, $PAGER, or less. There is no pager if the variable is empty or "cat", if
 * less is not installed, or if stdout is not a terminal. A signal that ends this program waits until
 * the pager has ended.
 */
void terminal_pager_begin(void);

/*
 * terminal_pager_end - waits until the user leaves the pager, and restores stdout and stderr.
 *
 * Returns 0, or an enum spoor_exit after a message if the pager could not be run.
 */
int terminal_pager_end(void);

#endif
