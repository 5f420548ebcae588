/* SPDX-License-Identifier: MIT */
/* user.cc - functions that link-time optimisation specialises, imports and devirtualises. */
#include "shape.h"

extern "C" int weak_one(int x) { return x + 100; }

static int only_here(int x) { return x * shared_inline(2) + twice(x); }

/* Called with two constant values of @f, so the optimiser may make copies. */
static int apply(int n, int (*f)(int))
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += f(i) * n;
	return sum;
}

static int plus(int x) { return x + 1; }
static int minus(int x) { return x - 1; }
int specialised(int n) { return n > 3 ? apply(n, plus) : apply(n, minus); }

int user_entry(int x)
{
	square s(x);
	const shape &r = s;

	return r.area() + only_here(x) + specialised(x) + specialised(x * 2);
}
