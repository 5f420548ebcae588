/* SPDX-License-Identifier: MIT */
/* warning.h - prints messages of the runtime to the user. */
#ifndef SPOOR_WARNING_H
#define SPOOR_WARNING_H

#include <stdbool.h>
#include <stddef.h>

/* Notes the file that stderr refers to when the process starts. */
void spoor_warning_begin(void);

/*
 * spoor_warning - prints one line to the stderr that the process started with. Prints no line if the
 * program has closed or replaced that stderr. Adds "spoor: " and the newline. Preserves errno.
 */
void spoor_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns true once for this process and all processes that share a fork with it: for messages that each child
 * of a server would repeat. Always true if the calling thread's messages are diverted. */
bool spoor_warning_is_first(void);

/* Appends the calling thread's messages to @text from now on, one per line. Null: prints them again. */
void spoor_warning_divert(char *text, size_t size);

#endif
