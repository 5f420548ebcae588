/* SPDX-License-Identifier: MIT */
/* signals.c - ignores signals in spoor, and restores them for programs that spoor starts. */
#include "base/signals.h"

#include <signal.h>
#include <stddef.h>

static const int ignored[] = { SIGPIPE, SIGXFSZ };
#define IGNORED (sizeof(ignored) / sizeof(*ignored))

static struct sigaction before[IGNORED];

void signals_begin(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	for (size_t i = 0; i < IGNORED; i++)
		sigaction(ignored[i], &ignore, &before[i]);
}

void signals_restore(void)
{
	for (size_t i = 0; i < IGNORED; i++)
		sigaction(ignored[i], &before[i], NULL);
}
