/* SPDX-License-Identifier: MIT */
/* alpha.c - functions that other units import, and the functions that these call. */
#include "lto.h"

/* An imported function calls this static one, so it becomes global under another name. */
static OWN int promoted(int x)
{
	COUNT("promoted");
	return x * 3 + 1;
}

/* Has the same name as a function in beta.c. Imported functions call both. */
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

/* Every call has the same last argument, and an unused one. */
static OWN int narrowed(int x, int unused, int same)
{
	COUNT("narrowed");
	(void)unused;
	return x * same;
}

/* Small enough to be inlined by importing units, where no function remains then. */
int fill_one(int *values, int x)
{
	*values = narrowed(x, *values, 3);
	return narrowed(x + 1, 2, 3);
}
