/* SPDX-License-Identifier: MIT */
/* awakes_early.c - a library that does something before main. */
#include "spoor_attributes.h"

volatile int early_calls;	/* or else the compiler runs it */

SPOOR_ALWAYS static void early(void)
{
	early_calls++;
}

__attribute__((constructor)) static void construct(void)
{
	early();
}
