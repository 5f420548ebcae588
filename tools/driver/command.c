/* SPDX-License-Identifier: MIT */
/* command.c - the command that a driver builds and executes. */
#define _GNU_SOURCE
#include "driver/command.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *program_name;

void die(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: error: ", program_name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

void *or_die(void *memory)
{
	if (!memory)
		die("out of memory");
	return memory;
}

void command_add(struct command *command, const char *argument)
{
	/* main makes enough room for all of them. */
	command->list[command->count++] = argument;
}

char *find_part(enum spoor_part part, const char *what, const char *remedy)
{
	char *path = or_die(malloc(PATH_MAX));
	int result = spoor_part_path(part, path, PATH_MAX);

	if (result < 0)
		die("cannot find %s at %s: %s; %s, or use -fno-spoor", what,
		    path[0] ? path : "/proc/self/exe", strerror(-result), remedy);
	return path;
}

void command_add_headers(struct command *command)
{
	char *path = or_die(malloc(PATH_MAX));

	if (spoor_part_path(SPOOR_PART_HEADERS, path, PATH_MAX) < 0) {
		free(path);
		return;
	}
	command_add(command, "-isystem");
	command_add(command, path);
}

void command_add_users(struct command *command, const struct words *words, char **argv)
{
	size_t begin = 0, end, i;

	for (; begin < words->count; begin = end) {
		int argument = words->list[begin].argument;
		bool apart = false;

		for (end = begin; end < words->count && words->list[end].argument == argument; end++)
			apart |= words->list[end].ours || words->list[end].drained;
		if (!apart) {
			command_add(command, argv[argument]);
			continue;
		}
		for (i = begin; i < end; i++)
			if (!words->list[i].ours)
				command_add(command, words->list[i].text);
	}
}
