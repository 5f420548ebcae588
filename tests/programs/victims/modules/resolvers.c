/* SPDX-License-Identifier: MIT */
/*
 * resolvers.c - calls a function ten times whose address a resolver chooses while the process is relocated. The
 * resolver calls another function. With -DLIBRARY: a library with one, and -DUSES_LIBRARY: calls that too. A
 * constructor counts a call.
 */
#include <stdio.h>

#ifdef LIBRARY
#define chosen chosen_of_library	/* clang exports it */
#endif

static volatile int asked;

__attribute__((noinline)) static int supports_fast(void)
{
	asked++;
	return 1;
}

__attribute__((noinline)) static int fast(int x)
{
	__asm__ volatile("");
	return x + 1;
}

static int slow(int x)
{
	return x + 2;
}

static int (*choose(void))(int)
{
	return supports_fast() ? fast : slow;
}

static int chosen(int x) __attribute__((ifunc("choose")));

__attribute__((constructor)) static void begin(void)
{
	asked++;
}

#ifdef LIBRARY
int library_chosen(int x);
int library_chosen(int x)
{
	return chosen(x);
}
#else
int library_chosen(int x);

int main(void)
{
	int n = 0;

	for (int i = 0; i < 10; i++)
		n = chosen(n);
#ifdef USES_LIBRARY
	for (int i = 0; i < 10; i++)
		n = library_chosen(n);
#endif
	printf("%d %d\n", n, asked > 0);
	return 0;
}
#endif
