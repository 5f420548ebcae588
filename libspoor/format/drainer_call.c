/* SPDX-License-Identifier: MIT */
/* drainer_call.c - stores 0 into pool->wake and wakes the drainer that sleeps there. */
#define _GNU_SOURCE
#include "format/drainer_call.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void spoor_drainer_call(struct spoor_pool *pool)
{
	/* Pairs with the fence in spoor_drain_wait: either the drainer sees the request, or this 0 replaces the
	 * drainer's 1. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&pool->wake, 0, __ATOMIC_RELAXED);
	syscall(SYS_futex, &pool->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}
