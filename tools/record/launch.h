/* SPDX-License-Identifier: MIT */
/* launch.h - runs a program and waits until it ends. */
#ifndef SPOOR_TOOLS_LAUNCH_H
#define SPOOR_TOOLS_LAUNCH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define LAUNCH_NOT_EXECUTABLE 126
#define LAUNCH_NOT_FOUND 127

/* What to wait for after the program has ended. */
struct launch_rest {
	int changed_fd;		/* becomes readable when the result of busy() may have changed */
	unsigned int (*busy)(void *context);
	/* Null, or returns whether any of these processes is still running, and is not only being drained. */
	bool (*runs)(void *context);
	void *context;
	/* Null, or called during all waiting. Returns milliseconds until the next call, -1 for never. */
	int (*tick)(void *context);
	/* Null, or called when the program's process exists and has not executed the program yet. */
	void (*started)(void *context, pid_t program);
	/* Null, or called when the program has ended and is still a zombie. */
	void (*ended)(void *context, pid_t program);
	int inherited_fd;	/* a descriptor that the program inherits; 0: none */
};

/*
 * launch - runs @arguments[0], which is searched in PATH, with the current environment.
 * @rest:        may be null, and its members too; a signal that is not ignored ends the wait for the rest
 * @wait_status: from waitpid(2)
 *
 * Signals from a terminal reach the program directly. Those sent only to this process are passed on:
 * SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2.
 *
 * The program finds the state that this process has inherited: actions and masks of signals, pending signals, timers,
 * limits, and the umask. Afterwards this process has no timers.
 *
 * Reaps children of other origin that end meanwhile, as the first process of a container has to.
 *
 * Returns 0, or an exit status after a message if the program could not be run.
 */
int launch(char **arguments, const struct launch_rest *rest, int *wait_status);

/* Searches a program like execvp(3). Returns whether there is one that may be executed. If not, errno has the
 * reason, and @path is "" if PATH has no file of that name. */
bool launch_find(const char *name, char path[PATH_MAX]);

#define LAUNCH_SCRIPTS_MAX 4	/* nested interpreters, the kernel's limit */

/* Reads the interpreter in a script's first line. Returns whether it is a script. */
bool launch_script(const char *path, char interpreter[PATH_MAX]);

#endif
