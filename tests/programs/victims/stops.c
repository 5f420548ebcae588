/* SPDX-License-Identifier: MIT */
/* stops.c - calls $1 times, stops itself, calls once more, and exits past all handlers. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "work.h"

TRACED void leaf(void)
{
	KEEP;
}

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 0; i < calls; i++)
		leaf();
	raise(SIGSTOP);
	leaf();
	_exit(3);
}
