/* SPDX-License-Identifier: MIT */
/* command.h - the command that a driver builds and executes. Errors end the driver with a message. */
#ifndef SPOOR_DRIVER_COMMAND_H
#define SPOOR_DRIVER_COMMAND_H

#include "base/installed_paths.h"
#include "driver/words.h"

/* The arguments for the compiler, in order. */
struct command {
	const char **list;
	size_t count;
};

/* For messages; the last component of the path by which the driver was called. */
extern const char *program_name;

void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Returns @memory, or ends the driver if it is null. */
void *or_die(void *memory);

/* Adds an argument. There must be room for it. */
void command_add(struct command *command, const char *argument);

/* Finds a part of spoor. The caller frees the path. */
char *find_part(enum spoor_part part, const char *what, const char *remedy);

/* Adds the folder of spoor's headers. An older installation may lack it. */
void command_add_headers(struct command *command);

/*
 * command_add_users - adds the user's arguments without the driver's options.
 *
 * A response file stays one, unless it contains the driver's options, or is left with nothing for the compiler to
 * read.
 */
void command_add_users(struct command *command, const struct words *words, char **argv);

#endif
