/* SPDX-License-Identifier: MIT */
/*
 * terminal.h - what is different where people read: colours, and a pager.
 *
 * Nothing here happens where stdout is no terminal, unless it is asked for.
 */
#ifndef SPOOR_TOOLS_TERMINAL_H
#define SPOOR_TOOLS_TERMINAL_H

#include <stdbool.h>

enum terminal_when { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

/* Takes "auto", "always" or "never". Return: 0, or SPOOR_EXIT_USAGE, which has been said. */
int terminal_when(const char *argument, enum terminal_when *when);

/* Whether what goes to @fd is to be coloured: before a pager takes its place. */
bool terminal_has_colors(enum terminal_when when, int fd);

/*
 * terminal_pager_begin - puts a pager behind stdout, and behind stderr where that is a terminal.
 *
 * $SPOOR_PAGER, $PAGER, or less; none where that is empty or "cat", where there is no less, or
 * where stdout is no terminal. What ends this program meanwhile waits for the pager.
 */
void terminal_pager_begin(void);

/*
 * terminal_pager_end - waits until who reads has read enough. What is written after that is
 * written where it was before.
 *
 * Return: 0, or an enum spoor_exit where there was no such pager, which has been said.
 */
int terminal_pager_end(void);

#endif
