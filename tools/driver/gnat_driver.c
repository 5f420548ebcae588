/* SPDX-License-Identifier: MIT */
/*
 * gnat_driver.c - spoor-gnat: builds a program in Ada by gnatmake, which compiles and links by spoor-gcc.
 *
 * gnatmake and gnatlink each have an option for the command that runs GCC, and split its value at blanks.
 */
#define _GNU_SOURCE
#include "driver/command.h"
#include "driver/compiler.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the path of spoor-gcc, which is in the folder of this program. */
static void find_gcc_driver(char *path, size_t size)
{
	static const char name[] = "/spoor-gcc";
	ssize_t length = readlink("/proc/self/exe", path, size - sizeof name);
	char *slash;

	if (length < 0)
		die("cannot find spoor-gcc: /proc/self/exe: %s", strerror(errno));
	path[length] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash : path, name);
	if (access(path, X_OK) < 0)
		die("cannot run %s: %s: install spoor again", path, strerror(errno));
}

/* Appends a word to a command that GNAT's tools split. */
static void append_word(char **command, const char *word)
{
	char *longer = or_die(malloc(strlen(*command) + 2 * strlen(word) + 2)), *end;

	end = stpcpy(longer, *command);
	if (end[-1] != '=')
		*end++ = ' ';
	for (; *word; word++) {
		if (!isalnum((unsigned char)*word) && !strchr("/._-+=,", *word))
			*end++ = '\\';
		*end++ = *word;
	}
	*end = '\0';
	free(*command);
	*command = longer;
}

static bool is_option_of_gcc_driver(const char *word)
{
	return strncmp(word, "-fspoor", 7) == 0 || strcmp(word, "-fno-spoor") == 0;
}

/* Uses the GCC that belongs to gnatmake, unless the user chose one: each release of GCC has its own library of Ada. */
static void choose_gcc(const char *gnatmake)
{
	struct gcc_version version;
	char name[32];
	int major = compiler_ask_gnatmake(gnatmake);

	if (major == -EINVAL)
		die("%s is not gnatmake: name a gnatmake in SPOOR_GNATMAKE", gnatmake);
	if (major < 0)
		die("cannot run %s: %s: install GNAT (gnat), or name a gnatmake in SPOOR_GNATMAKE", gnatmake,
		    strerror(-major));
	snprintf(name, sizeof name, "gcc-%d", major);
	if (!getenv("SPOOR_GCC") && compiler_ask_gcc(name, &version) == 0 && setenv("SPOOR_GCC", name, 1) < 0)
		die("out of memory");
}

int main(int argc, char **argv)
{
	const char *chosen = getenv("SPOOR_GNATMAKE"), *gnatmake = chosen && *chosen ? chosen : "gnatmake";
	char driver[PATH_MAX], *gcc = or_die(strdup("--GCC="));
	struct command command = {NULL, 0};

	program_name = "spoor-gnat";
	find_gcc_driver(driver, sizeof driver);
	choose_gcc(gnatmake);
	append_word(&gcc, driver);
	for (int i = 1; i < argc; i++)
		if (is_option_of_gcc_driver(argv[i]))
			append_word(&gcc, argv[i]);

	/* gnatmake, --GCC=, -largs, --GCC= and the null. */
	command.list = or_die(malloc(((size_t)argc + 5) * sizeof *command.list));
	command_add(&command, gnatmake);
	command_add(&command, gcc);
	for (int i = 1; i < argc; i++)
		if (!is_option_of_gcc_driver(argv[i]))
			command_add(&command, argv[i]);
	command_add(&command, "-largs");
	command_add(&command, gcc);
	command_add(&command, NULL);
	execvp(gnatmake, (char *const *)command.list);
	die("cannot run %s: %s: install GNAT (gnat), or name a gnatmake in SPOOR_GNATMAKE", gnatmake, strerror(errno));
}
