/* SPDX-License-Identifier: MIT */
/*
 * readiness.c - finds out whether libc and this library can be used yet.
 *
 * The constructor here is the proof: the loader has relocated everything before it runs a constructor.
 * Constructors of other modules may run earlier. Then the loader's state is the proof in a dynamic program:
 * RT_CONSISTENT, once the loader has begun to describe itself, follows the relocation of all initial modules
 * and the early initialisation of libc. A static program has no such state, and there the constructor is
 * early enough, because it has the first priority.
 *
 * `environ` is null until libc's constructor has run. A module linked with -z initfirst runs its
 * constructor earlier, when the runtime could not read its configuration.
 */
#define _GNU_SOURCE
#include "base/readiness.h"

#include <link.h>
#include <stddef.h>
#include <unistd.h>

/* Null before this library is relocated; empty in a static program. */
#pragma weak _r_debug

bool spoor_readiness;

bool spoor_readiness_find_in_constructor(void)
{
	if (environ)
		__atomic_store_n(&spoor_readiness, true, __ATOMIC_RELAXED);
	return spoor_readiness;
}

bool spoor_readiness_find(void)
{
	return &_r_debug && _r_debug.r_version != 0 && _r_debug.r_state == RT_CONSISTENT &&
	       spoor_readiness_find_in_constructor();
}

static void set_ready(void)
{
	__atomic_store_n(&spoor_readiness, true, __ATOMIC_RELAXED);
}

__attribute__((section(".init_array.00000"), used))
static void (*const at_begin)(void) = set_ready;
