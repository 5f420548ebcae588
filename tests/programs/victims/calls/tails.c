/* SPDX-License-Identifier: MIT */
/* tails.c - functions that tail-call each other, more often than a stack could hold calls. */
#include <stdio.h>

int tail_odd(int n);

__attribute__((noinline)) int tail_even(int n)
{
	if (n == 0)
		return 1;
	if (n == 7777777)
		return puts("seven");
	return tail_odd(n - 1);
}

int main(void)
{
	printf("%d\n", tail_even(60000));
	return 0;
}
