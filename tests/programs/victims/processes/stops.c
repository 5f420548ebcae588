/* SPDX-License-Identifier: MIT */
/*
 * stops.c - makes $1 calls, stops itself, makes one more call, and exits without exit handlers.
 * $2 is the kind of call: "plain", "tail" for a call that ends with a tail call, or "jump" for
 * a call in which a longjmp arrives. First the program makes $3 plain calls.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/work.h"

static jmp_buf target;

TRACED void leaf(void)
{
	KEEP;
}

TRACED void leaves(void)
{
	KEEP;
	leaf();		/* returns here by the longjmp */
}

TRACED void jumps(void)
{
	KEEP;
	longjmp(target, 1);
}

TRACED void catches(void)
{
	if (setjmp(target) == 0)
		jumps();
	KEEP;
}

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 0;
	const char *what = argc > 2 ? argv[2] : "plain";
	void (*call)(void) = strcmp(what, "tail") == 0 ? leaves : strcmp(what, "jump") == 0 ? catches : leaf;

	for (int i = argc > 3 ? atoi(argv[3]) : 0; i > 0; i--)
		leaf();
	for (int i = 0; i < calls; i++)
		call();
	raise(SIGSTOP);
	call();
	_exit(3);
}
