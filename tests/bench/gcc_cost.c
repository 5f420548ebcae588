/* SPDX-License-Identifier: MIT */
/* gcc_cost.c - Fibonacci's numbers by recursion, and calls of a leaf: how much do dormant sleds cost them? */
#include <stdio.h>

__attribute__((noinline)) static long leaf(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((noinline)) static long fibonacci(long n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(int argc, char **argv)
{
	long x = 0;

	(void)argv;
	if (argc == 1) {
		printf("%ld\n", fibonacci(38));
		return 0;
	}
	for (long i = 0; i < 200000000; i++)
		x = leaf(x);
	printf("%ld\n", x);
	return 0;
}
