/* SPDX-License-Identifier: MIT */
/* two.c - calls a function of the program and one of the library as often as $1 says. */
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
