/* SPDX-License-Identifier: MIT */
/* twins.c - three functions with the same code, which linkers may fold into one. */
#include <stdio.h>

#include "../common/work.h"

TRACED int twin_one(int value)
{
	KEEP;
	return value * 7 + 1;
}

TRACED int twin_two(int value)
{
	KEEP;
	return value * 7 + 1;
}

TRACED int twin_three(int value)
{
	KEEP;
	return value * 7 + 1;
}

UNTRACED int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", twin_one(argc) + twin_two(argc) + twin_three(argc));
	return 0;
}
