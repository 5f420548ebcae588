/* SPDX-License-Identifier: MIT */
/* plug_in.c - a plug-in that a host calls, and that calls the host. */
#include <stddef.h>

#include "../common/work.h"

int plug_in_add(int a, int b);
int plug_in_sum(int count);
void plug_in_sort(int *numbers, size_t count, int (*compare)(const int *, const int *));

TRACED int plug_in_add(int a, int b)
{
	KEEP;
	return a + b;
}

TRACED int plug_in_sum(int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum = plug_in_add(sum, i);
	return sum;
}

TRACED void plug_in_sort(int *numbers, size_t count, int (*compare)(const int *, const int *))
{
	for (size_t i = 1; i < count; i++) {
		for (size_t j = i; j > 0 && compare(&numbers[j - 1], &numbers[j]) > 0; j--) {
			int other = numbers[j];

			numbers[j] = numbers[j - 1];
			numbers[j - 1] = other;
		}
	}
}
