/* SPDX-License-Identifier: MIT */
/* message.h - what the tools say on stderr: one line, "spoor: <command>: ...". */
#ifndef SPOOR_TOOLS_MESSAGE_H
#define SPOOR_TOOLS_MESSAGE_H

/* Exit statuses of every sub-command. */
enum spoor_exit {
	SPOOR_EXIT_GOOD = 0,
	SPOOR_EXIT_BAD_TRACE = 1,	/* or input and output that failed */
	SPOOR_EXIT_USAGE = 2,
};

/* Names the sub-command that speaks from now on; a string that stays. */
void message_begin(const char *command);

/* Hands each line of the calling thread over, without "spoor: ", instead of writing it; null: no more. */
void message_divert(void (*take)(const char *text));

/* To whom the calling thread's lines go; null: stderr. A thread that works for another one passes it on. */
void (*message_diverted(void))(const char *text);

/* Says one line; a progress display on the same terminal is wiped first. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says what is wrong with the command line (null: that has been said) and where
 * help is. Return: SPOOR_EXIT_USAGE. */
int message_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Takes the name of a file or directory, which stays, from an option. Return: 0, or SPOOR_EXIT_USAGE, which has
 * been said: an empty one names nothing. */
int message_take_name(const char *option, const char *argument, const char **name);

#endif
