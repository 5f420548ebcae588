/* SPDX-License-Identifier: MIT */
/* library_part.c - the other functions of the shared library. */
#include "lto.h"

int library_part(const int *values, int count);

static OWN int add(int left, int right)
{
	COUNT("add");
	return left + right;
}

OWN int library_part(const int *values, int count)
{
	int sum = 0;

	COUNT("library_part");
	for (int i = 0; i < count; i++)
		sum = add(sum, values[i]);
	return sum;
}
