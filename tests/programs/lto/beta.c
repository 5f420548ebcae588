/* SPDX-License-Identifier: MIT */
/* beta.c - what shares a name with another unit's function. */
#include "lto.h"

static OWN int twin(int x)
{
	COUNT("twin");
	return x * 5 - alpha(x);
}

OWN int beta(int x)
{
	COUNT("beta");
	return twin(x) + twin(x + 1);
}

/* Called by its address alone. */
OWN int compare_both(const void *left, const void *right)
{
	COUNT("compare_both");
	return *(const int *)left - *(const int *)right;
}
