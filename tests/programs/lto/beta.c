/* SPDX-License-Identifier: MIT */
/* beta.c - functions that have the name of a function in another unit. */
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

/* Called only through its address. */
OWN int compare_both(const void *left, const void *right)
{
	COUNT("compare_both");
	return *(const int *)left - *(const int *)right;
}
