/* SPDX-License-Identifier: MIT */
/* process_end.c - holds a flag that the first destructor of the process sets. */
#include "base/process_end.h"

static bool ending;

bool spoor_process_is_ending(void)
{
	return __atomic_load_n(&ending, __ATOMIC_RELAXED);
}

void spoor_process_ends(void)
{
	__atomic_store_n(&ending, true, __ATOMIC_RELAXED);
}
