/* SPDX-License-Identifier: MIT */
/* drainer_mark.c - marks the thread that drains a pool. */
#define _GNU_SOURCE
#include "record/drainer_mark.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/pool_format.h"

void drainer_mark_set(struct drainer_mark *mark, uint32_t *word)
{
	mark->node.next = &mark->head.list;
	mark->head.list.next = &mark->node;
	mark->head.list_op_pending = NULL;
	mark->head.futex_offset = (long)((uintptr_t)word - (uintptr_t)&mark->node);
	__atomic_store_n(word, (uint32_t)gettid(), __ATOMIC_RELAXED);
	/* Replaces libc's list, which is empty because this thread locks no robust mutex. */
	syscall(SYS_set_robust_list, &mark->head, sizeof(mark->head));
}

void drainer_mark_refuse(int fd)
{
	const uint32_t died = FUTEX_OWNER_DIED;

	if (pwrite(fd, &died, sizeof(died), offsetof(struct spoor_pool, recorder)) < 0)
		return;		/* the descriptor is not a pool, so no thread waits for it */
}
