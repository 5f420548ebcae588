/* SPDX-License-Identifier: MIT */
/* message.h - writes the messages of the tools to stderr, one line each: "spoor: <command>: ...". */
#ifndef SPOOR_TOOLS_MESSAGE_H
#define SPOOR_TOOLS_MESSAGE_H

#include <stdbool.h>

/* The exit statuses of all sub-commands. */
enum spoor_exit {
	SPOOR_EXIT_GOOD = 0,
	SPOOR_EXIT_BAD_TRACE = 1,	/* also for failed input or output */
	SPOOR_EXIT_USAGE = 2,
};

/* Sets the sub-command's name in later messages. The string must stay valid. */
void message_begin(const char *command);

/* Passes each message of the calling thread to @take, without "spoor: ", instead of writing it. Null: messages are
 * written again. */
void message_divert(void (*take)(const char *text));

/* Returns the function that receives the calling thread's messages; null: stderr. A thread that works for another
 * thread installs that thread's function. */
void (*message_diverted(void))(const char *text);

/* Writes one line. Erases a progress display on the same terminal first. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like message(), for a text that is neither an error nor a warning: --quiet suppresses it. */
void message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_set_quiet(void);
bool message_is_quiet(void);

/* Writes the error in the command line (null: a message was written already) and which command shows the
 * help. Returns SPOOR_EXIT_USAGE. */
int message_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Takes the name of a file or directory from an option, without a copy. Returns 0, or SPOOR_EXIT_USAGE after a
 * message if the name is empty. */
int message_take_name(const char *option, const char *argument, const char **name);

#endif
