/* SPDX-License-Identifier: MIT */
/* plain.c - weak functions, aliases, an ifunc, a function in another section, a constructor. */
#include <stdlib.h>

__attribute__((weak)) int weak_one(int x)
{
	return x - 100;
}

int call_back(int (*f)(int), int x)
{
	return f(x) + weak_one(x);
}

static int imported(int x)
{
	int r = 1;

	while (x--)
		r *= 3;
	return r;
}

int small(int x)
{
	return imported(x) + imported(x + 1);
}

extern int aliased(int) __attribute__((alias("small")));

#ifndef NO_IFUNC
static int (*resolve(void))(int)
{
	return small;
}

int chosen(int x) __attribute__((ifunc("resolve")));
#else
#define chosen small
#endif

__attribute__((section(".text.special"))) int special(int x)
{
	return small(x) + chosen(x);
}

__attribute__((constructor)) static void begin(void)
{
	setenv("SHAPE", "1", 1);
}
