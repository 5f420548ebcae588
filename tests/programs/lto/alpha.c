/* SPDX-License-Identifier: MIT */
/* alpha.c - functions that other units import, and what these call. */
#include "lto.h"

/* Called by what another unit imports: becomes global under another name. */
static OWN int promoted(int x)
{
	COUNT("promoted");
	return x * 3 + 1;
}

/* The same name as in beta.c, and called by what that imports. */
static OWN int twin(int x)
{
	COUNT("twin");
	return x + 7;
}

OWN int alpha(int x)
{
	COUNT("alpha");
	return promoted(x) + twin(x);
}

/* Every call has the same last argument, and one that is not used. */
static OWN int narrowed(int x, int unused, int same)
{
	COUNT("narrowed");
	(void)unused;
	return x * same;
}

/* Small enough to be inlined where it is imported, where it is no function then. */
int fill_one(int *values, int x)
{
	*values = narrowed(x, *values, 3);
	return narrowed(x + 1, 2, 3);
}
