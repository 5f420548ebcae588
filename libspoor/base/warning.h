/* SPDX-License-Identifier: MIT */
/* warning.h - the few things that a guest has to say. */
#ifndef SPOOR_MESSAGE_H
#define SPOOR_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Remembers what standard error is at the start. */
void spoor_message_begin(void);

/*
 * spoor_message - one line on the stderr of the start: nothing where that was
 * closed or replaced since. "spoor: " and the newline are added; errno is kept.
 */
void spoor_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether nobody asked this before, in this process or one that it was forked from or with: for what
 * each of a server's children would say. Always where messages are kept for somebody. */
bool spoor_message_is_first(void);

/* Keeps the calling thread's messages in @text from now on, one a line; null: no more. */
void spoor_message_divert(char *text, size_t size);

#endif
