/* SPDX-License-Identifier: MIT */
/* early_handler.c - a library that sets a handler for SIGUSR1 before main. */
#include <signal.h>
#include <unistd.h>

static void handler(int number)
{
	(void)number;
	if (write(1, "mine\n", 5) != 5)
		_exit(4);
}

__attribute__((constructor)) static void begin(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &action, NULL);
}
