/* SPDX-License-Identifier: MIT */
/* way_none.c - no set-up, for the plain program, the floor and uftrace. */
#include "work.h"

int way_begin(const char *how)
{
	(void)how;
	return 0;
}

int way_end(void)
{
	return 0;
}
