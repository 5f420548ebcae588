/* SPDX-License-Identifier: MIT */
/* two.c - calls its own function and the library's as often as it is told. */
#include <stdio.h>
#include <stdlib.h>

#include "../common/work.h"

int loaded_calls(int times);

TRACED void leaf(void)
{
	KEEP;
}

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 1000;

	for (int i = 0; i < calls; i++)
		leaf();
	if (loaded_calls(calls) != calls)
		return 1;
	puts("hello");
	return 0;
}
