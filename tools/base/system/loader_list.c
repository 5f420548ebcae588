/* SPDX-License-Identifier: MIT */
/* loader_list.c - asks the dynamic loader which libraries a program is linked with. */
#include "base/system/loader_list.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Parses a line of the loader: "\tlibc.so.6 => /lib/libc.so.6 (0x...)", "\tlibx.so => not found", or
 * "\t/lib/ld.so (0x...)". A line without a tab is an error message.
 */
static void parse_line(char *line, void (*met)(void *context, const char *name, const char *path), void *context)
{
	char *name = line + 1, *path = strstr(line, " => "), *end, *slash;

	line[strcspn(line, "\n")] = '\0';
	if (*line != '\t') {
		if (*line)
			met(context, NULL, line);
		return;
	}
	if (path) {
		*path = '\0';
		path += strlen(" => ");
	} else {
		path = name;
	}
	end = strrchr(path, '(');
	if (end && end > path && end[-1] == ' ')
		end[-1] = '\0';
	slash = strrchr(name, '/');
	if (strcmp(path, "not found") == 0)
		met(context, name, NULL);
	else if (*path == '/')
		met(context, slash ? slash + 1 : name, path);
}

static int start(const char *loader, const char *program, char **environment, FILE **from, pid_t *child)
{
	char *arguments[] = { (char *)(uintptr_t)loader, (char *)(uintptr_t)"--list", (char *)(uintptr_t)program, NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], error = pipe2(ends, O_CLOEXEC) ? errno : 0;

	if (error)
		return error;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	error = posix_spawn(child, loader, &actions, NULL, arguments, environment);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	*from = error ? NULL : fdopen(ends[0], "r");
	if (!*from)
		close(ends[0]);
	if (!error && !*from) {
		waitpid(*child, NULL, 0);
		error = ENOMEM;
	}
	return error;
}

int loader_list(const char *loader, const char *program, char **environment,
		void (*met)(void *context, const char *name, const char *path), void *context)
{
	char *line = NULL;
	size_t room = 0;
	int status, error;
	pid_t child;
	FILE *from;

	error = start(loader, program, environment, &from, &child);
	if (error)
		return error;
	while (getline(&line, &room, from) > 0)
		parse_line(line, met, context);
	free(line);
	fclose(from);
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}
