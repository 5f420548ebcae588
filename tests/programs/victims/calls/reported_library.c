/* SPDX-License-Identifier: MIT */
/* reported_library.c - a library that calls a function of the program. */
void library_calls(void (*back)(int), int depth);

static volatile unsigned long sum;

static __attribute__((noinline)) void library_leaf(int i)
{
	sum += (unsigned long)i;
}

__attribute__((noinline)) void library_calls(void (*back)(int), int depth)
{
	library_leaf(depth);
	back(depth);
	library_leaf(depth);
}
