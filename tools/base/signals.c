/* SPDX-License-Identifier: MIT */
/* signals.c - the signals that spoor ignores for itself. */
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
