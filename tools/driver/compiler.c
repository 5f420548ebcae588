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

/* Set while the driver asks a compiler for its version. A script that runs the driver again would loop forever. */
#define ASKED_VARIABLE "SPOOR_DRIVER_ASKS"

extern char **environ;

/* The environment of a compiler whose answer is read: the messages of GCC depend on the language. */
static void set_environment(bool set)
{
	static char *language;

	if (set) {
		language = getenv("LC_ALL") ? strdup(getenv("LC_ALL")) : NULL;
		setenv("LC_ALL", "C", 1);
		return;
	}
	if (language)
		setenv("LC_ALL", language, 1);
	else
		unsetenv("LC_ALL");
	free(language);
	language = NULL;
}

/* Starts "@compiler @option" with its @output (STDOUT_FILENO or STDERR_FILENO) going to @descriptor. */
static int start(const char *compiler, const char *option, int output, pid_t *child, int *descriptor)
{
	char *const arguments[] = {(char *)compiler, (char *)option, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], result;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	result = posix_spawn_file_actions_init(&actions);
	if (result == 0) {
		result = posix_spawn_file_actions_adddup2(&actions, ends[1], output);
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

/* Reads what "@compiler @option" prints to @output. Returns 0, or a negative errno. */
static int ask(const char *compiler, const char *option, int output, char *text, size_t size)
{
	size_t fill = 0;
	int descriptor = -1, status, result;
	ssize_t got;
	pid_t child;

	if (setenv(ASKED_VARIABLE, "1", 1) < 0)
		return -errno;
	set_environment(true);
	result = start(compiler, option, output, &child, &descriptor);
	set_environment(false);
	unsetenv(ASKED_VARIABLE);
	if (result < 0)
		return result;
	do {
		got = read(descriptor, text + fill, size - 1 - fill);
		if (got > 0)
			fill += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	close(descriptor);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	text[fill] = '\0';
	return 0;
}

int compiler_ask_version(const char *compiler)
{
	static const char before[] = "clang version ";
	char text[4096], *version;
	int result = ask(compiler, "--version", STDOUT_FILENO, text, sizeof text);

	if (result < 0)
		return result;
	version = strstr(text, before);
	result = version ? atoi(version + strlen(before)) : 0;
	return result > 0 ? result : -EINVAL;
}

int compiler_ask_gcc(const char *compiler, struct gcc_version *version)
{
	static const char before_machine[] = "Target: ", before_version[] = "\ngcc version ";
	char text[8192], *machine, *number;
	int result = ask(compiler, "-v", STDERR_FILENO, text, sizeof text);

	if (result < 0)
		return result;
	machine = strstr(text, before_machine);
	number = strstr(text, before_version);
	if (!machine || !number)
		return -EINVAL;
	machine += strlen(before_machine);
	snprintf(version->machine, sizeof version->machine, "%.*s", (int)strcspn(machine, "\n"), machine);
	version->major = atoi(number + strlen(before_version));
	return version->major > 0 ? 0 : -EINVAL;
}

int compiler_ask_gnatmake(const char *gnatmake)
{
	static const char before[] = "GNATMAKE ";
	char text[4096], *version;
	int result = ask(gnatmake, "--version", STDOUT_FILENO, text, sizeof text);

	if (result < 0)
		return result;
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
