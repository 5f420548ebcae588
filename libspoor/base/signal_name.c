/* SPDX-License-Identifier: MIT */
/* signal_name.c - converts the name of a signal to its number. */
#define _GNU_SOURCE
#include "base/signal_name.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int whole_number(const char *text, int *number)
{
	unsigned long value;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	value = strtoul(text, &end, 10);
	if (*end || value > 1000)
		return -EINVAL;
	*number = (int)value;
	return 0;
}

static int number_of_name(const char *name)
{
	int offset = 0;

	if (strncmp(name, "SIG", 3) == 0)
		name += 3;
	if (strncmp(name, "RTMIN", 5) == 0 || strncmp(name, "RTMAX", 5) == 0) {
		int from_max = name[4] == 'X';

		if (name[5] && (name[5] != (from_max ? '-' : '+') || whole_number(name + 6, &offset) < 0))
			return -EINVAL;
		return from_max ? SIGRTMAX - offset : SIGRTMIN + offset;
	}
	for (int i = 1; i < SIGRTMIN; i++) {
		const char *known = sigabbrev_np(i);

		if (known && strcmp(known, name) == 0)
			return i;
	}
	return -EINVAL;
}

int spoor_signal_number(const char *name)
{
	static const int unusable[] = {
		SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGCHLD,
	};
	int number;

	if (strcmp(name, "none") == 0)
		return 0;
	if (whole_number(name, &number) < 0)
		number = number_of_name(name);
	if (number < 1 || number > SIGRTMAX || (number < SIGRTMIN && number > 31))
		return -EINVAL;
	for (unsigned int i = 0; i < sizeof(unusable) / sizeof(*unusable); i++) {
		if (number == unusable[i])
			return -EINVAL;
	}
	return number;
}
