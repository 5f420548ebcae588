/* SPDX-License-Identifier: MIT */
/* work.c - the functions that all ways of instrumenting compile: a leaf and a recursion. */
#include "work.h"

#ifdef FLOOR
void floor_hook(uint64_t id);
#else
#define floor_hook(id) ((void)0)
#endif

int work_increment = 1;

__attribute__((noinline)) int leaf(int x)
{
	int result;

	floor_hook(2);
	result = x * 3 + work_increment;
	floor_hook(3);
	return result;
}

__attribute__((noinline)) uint64_t fib(unsigned int n)
{
	uint64_t result;

	floor_hook(4);
	result = n < 2 ? n : fib(n - 1) + fib(n - 2);
	/* Keeps the optimiser from turning the second call into a loop. */
	__asm__ volatile("" : "+r"(result));
	floor_hook(5);
	return result;
}
