/* SPDX-License-Identifier: MIT */
/* launch.h - runs a program and waits for its end. */
#ifndef SPOOR_TOOLS_LAUNCH_H
#define SPOOR_TOOLS_LAUNCH_H

#define LAUNCH_NOT_EXECUTABLE 126
#define LAUNCH_NOT_FOUND 127

/*
 * launch - runs @arguments[0], looked for in PATH, with the environment as it is.
 * @wait_status: as waitpid(2) gives it
 *
 * Signals that a terminal sends reach the program without us; those sent to us
 * alone are passed on: SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2.
 *
 * Return: 0, or an exit status where the program could not be run, which has been said.
 */
int launch(char **arguments, int *wait_status);

#endif
