/* SPDX-License-Identifier: MIT */
/*
 * fitted.h - prints lines that fit the terminal.
 *
 * A line that is too long is broken at spaces. Its further lines are indented like its text: after the first gap of
 * two spaces or more, "  began           2026-...", or else two characters more than the line. A word that is too
 * long stays whole. A pipe has no limit (terminal_width).
 */
#ifndef SPOOR_TOOLS_BASE_FITTED_H
#define SPOOR_TOOLS_BASE_FITTED_H

#include <stddef.h>
#include <stdio.h>

/* Takes the width. Called before a pager replaces stdout. */
void fitted_begin(void);

/* Prints to stdout like printf(3). A line may come in several calls; fitted_end writes the rest of the last one. */
void fitted_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fitted_end(void);

/* Writes one line, without its newline, in lines of at most @width characters; 0: no limit. */
void fitted_line(FILE *out, const char *line, size_t length, size_t width);

/*
 * fitted_help - prints the text of --help to stdout.
 *
 * Lines that begin with 24 spaces continue the description of an option, and other lines without an
 * indentation continue a paragraph, so both are filled again if the terminal is narrower than the text.
 */
void fitted_help(const char *text);

#endif
