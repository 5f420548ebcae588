/* SPDX-License-Identifier: MIT */
/* signals.c - sets the actions that spoor needs, and restores them for programs that spoor starts. */
#include "base/system/signals.h"

static const struct {
	int number;
	void (*action)(int);
} wanted[] = {
	{ SIGPIPE, SIG_IGN },
	{ SIGXFSZ, SIG_IGN },
	/* If a parent ignores it, waitpid(2) fails with ECHILD. */
	{ SIGCHLD, SIG_DFL },
};
#define WANTED (sizeof(wanted) / sizeof(*wanted))

static struct sigaction before[WANTED];

void signals_begin(void)
{
	for (size_t i = 0; i < WANTED; i++)
		sigaction(wanted[i].number, &(struct sigaction){ .sa_handler = wanted[i].action }, &before[i]);
}

bool signals_is_ignored(int number)
{
	struct sigaction action;

	return number == SIGHUP && sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void signals_add(sigset_t *set, const int *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!signals_is_ignored(numbers[i]))
			sigaddset(set, numbers[i]);
}

void signals_restore(void)
{
	for (size_t i = 0; i < WANTED; i++)
		sigaction(wanted[i].number, &before[i], NULL);
}
