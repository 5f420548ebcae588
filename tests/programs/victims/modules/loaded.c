/* SPDX-License-Identifier: MIT */
/* loaded.c - a library with two functions; NAME and VALUE distinguish its variants. */
#include "../common/work.h"

#ifndef NAME
#define NAME loaded
#endif
#ifndef VALUE
#define VALUE 1
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

int JOIN(NAME, _value)(void);
int JOIN(NAME, _calls)(int times);

TRACED int JOIN(NAME, _value)(void)
{
	KEEP;
	return VALUE;
}

/* Calls the other function @times times. */
TRACED int JOIN(NAME, _calls)(int times)
{
	int sum = 0;

	while (times-- > 0)
		sum += JOIN(NAME, _value)();
	return sum;
}
