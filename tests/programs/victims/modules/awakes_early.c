/* SPDX-License-Identifier: MIT */
/* awakes_early.c - a library with a constructor that calls functions before main. */
#include "spoor_attributes.h"

volatile int early_calls;	/* keeps the compiler from running the constructor itself */

SPOOR_ALWAYS static void early(void)
{
	early_calls++;
}

__attribute__((constructor)) static void construct(void)
{
	early();
}
