/* SPDX-License-Identifier: MIT */
/* compiler.c - checks the compiler that the user chose instead of the configured one. */
#define _GNU_SOURCE
#include "driver/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Set while the driver runs a compiler with --version. A script that runs the driver again would loop forever. */
#define ASKED_VARIABLE "SPOOR_DRIVER_ASKS"

extern char **environ;

/* Starts "@compiler --version" with its standard output going to @descriptor. */
static int start(const char *compiler, pid_t *child, int *descriptor)
{
	char *const arguments[] = {(char *)compiler, "--version", NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], result;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	result = posix_spawn_file_actions_init(&actions);
	if (result == 0) {
		result = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
		if (result == 0)
			result = posix_spawnp(child, compiler, &actions, NULL, arguments, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	if (result != 0) {
		close(ends[0]);
		return -result;
	}
	*descriptor = ends[0];
	return 0;
}

int compiler_ask_version(const char *compiler)
{
	static const char before[] = "clang version ";
	char text[4096], *version;
	size_t fill = 0;
	int descriptor = -1, status, result;
	ssize_t got;
	pid_t child;

	if (setenv(ASKED_VARIABLE, "1", 1) < 0)
		return -errno;
	result = start(compiler, &child, &descriptor);
	unsetenv(ASKED_VARIABLE);
	if (result < 0)
		return result;
	do {
		got = read(descriptor, text + fill, sizeof text - 1 - fill);
		if (got > 0)
			fill += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	close(descriptor);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	text[fill] = '\0';
	version = strstr(text, before);
	result = version ? atoi(version + strlen(before)) : 0;
	return result > 0 ? result : -EINVAL;
}

bool compiler_is_asked(void)
{
	return getenv(ASKED_VARIABLE);
}

/* Finds the file that execvp(3) would run as @compiler. */
static bool find_program(const char *compiler, struct stat *file)
{
	const char *folder = getenv("PATH"), *end;
	char path[PATH_MAX];

	if (strchr(compiler, '/'))
		return stat(compiler, file) == 0;
	for (folder = folder ? folder : "/bin:/usr/bin";; folder = end + 1) {
		end = strchrnul(folder, ':');
		/* An empty entry of PATH is the working directory. */
		if (snprintf(path, sizeof(path), "%.*s%s%s", (int)(end - folder), folder,
			     end > folder ? "/" : "", compiler) < (int)sizeof(path) &&
		    access(path, X_OK) == 0 && stat(path, file) == 0 && S_ISREG(file->st_mode))
			return true;
		if (!*end)
			return false;
	}
}

bool compiler_is_this_program(const char *compiler)
{
	struct stat chosen, self;

	return find_program(compiler, &chosen) && stat("/proc/self/exe", &self) == 0 &&
	       chosen.st_dev == self.st_dev && chosen.st_ino == self.st_ino;
}
