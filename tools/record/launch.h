/* SPDX-License-Identifier: MIT */
/* launch.h - runs a program and waits for its end. */
#ifndef SPOOR_TOOLS_LAUNCH_H
#define SPOOR_TOOLS_LAUNCH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define LAUNCH_NOT_EXECUTABLE 126
#define LAUNCH_NOT_FOUND 127

/* What to wait for when the program has ended. */
struct launch_rest {
	int changed_fd;		/* can be read from when busy() may say something else */
	unsigned int (*busy)(void *context);
	/* Null, or whether anything of it still runs, and is not just being written. */
	bool (*runs)(void *context);
	void *context;
	/* Null, or what is done besides, while anything is waited for. Return: in how many milliseconds
	 * again, -1 for never. */
	int (*tick)(void *context);
	/* Null, or called when the program has ended, before the kernel may forget it. */
	void (*ended)(void *context, pid_t program);
	int inherited_fd;	/* the program gets it; 0: none */
};

/*
 * launch - runs @arguments[0], looked for in PATH, with the environment as it is.
 * @rest:        or null, with parts that may be null; a signal ends the waiting for it
 * @wait_status: as waitpid(2) gives it
 *
 * Signals that a terminal sends reach the program without us; those sent to us
 * alone are passed on: SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2.
 *
 * Return: 0, or an exit status where the program could not be run, which has been said.
 */
int launch(char **arguments, const struct launch_rest *rest, int *wait_status);

/* Looks for a program as execvp(3) does. Return: whether there is one that may be executed; else errno says
 * more, and @path is "" where nothing of that name is in PATH. */
bool launch_find(const char *name, char path[PATH_MAX]);

#define LAUNCH_SCRIPTS_MAX 4	/* that run each other, as the kernel has it */

/* The program that a script names in its first line. Return: whether it is a script. */
bool launch_script(const char *path, char interpreter[PATH_MAX]);

#endif
