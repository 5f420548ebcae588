/* SPDX-License-Identifier: MIT */
/*
 * own_libc.c - a library that replaces functions of libc and libm by traced ones:
 * functions that copy, compare and measure strings, and functions with arguments and
 * results in vector registers.
 */
#include <stddef.h>

#include "../common/work.h"

/* Keeps the compiler from replacing loops by calls of the function that contains them. */
#define AS_WRITTEN __attribute__((no_builtin, optnone))

TRACED AS_WRITTEN void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = ((const char *)from)[i];
	return to;
}

TRACED AS_WRITTEN void *memmove(void *to, const void *from, size_t bytes)
{
	if (to < from)
		return memcpy(to, from, bytes);
	while (bytes--)
		((char *)to)[bytes] = ((const char *)from)[bytes];
	return to;
}

TRACED AS_WRITTEN void *memset(void *to, int byte, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = (char)byte;
	return to;
}

TRACED AS_WRITTEN int memcmp(const void *left, const void *right, size_t bytes)
{
	const unsigned char *a = left, *b = right;

	for (size_t i = 0; i < bytes; i++)
		if (a[i] != b[i])
			return a[i] - b[i];
	return 0;
}

TRACED AS_WRITTEN size_t strlen(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

TRACED AS_WRITTEN int strcmp(const char *left, const char *right)
{
	while (*left && *left == *right)
		left++, right++;
	return (unsigned char)*left - (unsigned char)*right;
}

TRACED AS_WRITTEN double fma(double a, double b, double c)
{
	KEEP;
	return a * b + c;
}

TRACED AS_WRITTEN double sin(double x)
{
	double square = x * x;

	return x * fma(square, fma(square, fma(square, -1.0 / 5040, 1.0 / 120), -1.0 / 6), 1);
}

TRACED AS_WRITTEN long double sinl(long double x)
{
	long double square = x * x;

	return x * (1 - square * (1 - square / 20) / 6);
}

TRACED AS_WRITTEN _Complex double cexp(_Complex double z)
{
	return 1 + z * (1 + z / 2 * (1 + z / 3));
}
