/* SPDX-License-Identifier: MIT */
/* slot_values.c - calls the functions of slot_values.h, and prints what they return and how often they were called. */
#define _GNU_SOURCE
#include "slot_values.h"

#include <dlfcn.h>
#include <stdio.h>

__attribute__((noinline)) int handle(int c)
{
	struct large b;
	struct pair p = { 1.5, c };
	struct small s = { 2.5f, 3 };
	struct longest l = { 1.25L, c };
	struct aligned o = { { 1, 2, 3, 4, 5, 6, 7, 8 } };
	double _Complex z;
	long double _Complex y;
	four w = { 1, 2, 3, 4 };
	Dl_info caller, own;

	for (int i = 0; i < 20; i++)
		b.a[i] = i * c;
	b = value_large(b, 3);
	p = value_pair(p, 0.5f, s);
	s = value_small(s, -3, -700, 1, 250);
	l = value_longest(l, 2.5L, (__int128)c << 65);
	z = value_complex(1.0 + 2.0 * I, 3.0f + 1.0f * I);
	y = value_long_complex(1.0L + 2.0L * I);
	w = value_four(w, 3);
	o = value_aligned(1, o, 2);
	printf("%d %g %g %g %d %Lg %d %g %g %Lg %g %d %d\n", b.a[19], p.x, p.y, (double)s.f, s.c, l.l, l.i, creal(z), cimag(z), creall(y),
	       (double)w[3], o.a[0], o.a[7]);
	printf("%ld %g %g %d\n", value_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10.5, b, 11.5f), value_varying(7, 1, 2.5, b, 3.5L, p, 7, 8.25),
	       value_varying(12, 1, 2.5, b, 3.5L, p, 7, 8.25, b, 9.5L, p, 5, 6.5), value_narrow(-100, 65535));
	printf("%d %d\n", value_weak ? value_weak(4) : -1, value_missing ? value_missing(4) : -1);
	/* The function's caller is this module. */
	printf("%d\n", dladdr(value_caller(), &caller) && dladdr((void *)handle, &own) && caller.dli_fbase == own.dli_fbase);
	return 0;
}

int main(int argc, char **argv)
{
	(void)argv;
#ifdef __AVX__
	wide q = { 1, 2, 3, 4 };

	printf("%g\n", value_wide(q, q)[3]);
#endif
	handle(argc);
	printf("%d\n", values_called());
	return 0;
}
