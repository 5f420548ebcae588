/* SPDX-License-Identifier: MIT */
/* hello.c - calls leaf() as often as $1 says, 1000 times by default. */
#include <stdio.h>
#include <stdlib.h>

#include "../common/work.h"

TRACED void leaf(void)
{
	KEEP;
}

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 1000;

	for (int i = 0; i < calls; i++)
		leaf();
	puts("hello");
	return 0;
}
