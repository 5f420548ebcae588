/* SPDX-License-Identifier: MIT */
/* drainer_mark.c - the mark of a thread that drains a pool. */
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
	/* Instead of libc's, which is empty: no robust mutex is ever locked here. */
	syscall(SYS_set_robust_list, &mark->head, sizeof(mark->head));
}

void drainer_mark_refuse(int fd)
{
	const uint32_t died = FUTEX_OWNER_DIED;

	if (pwrite(fd, &died, sizeof(died), offsetof(struct spoor_pool, recorder)) < 0)
		return;		/* nobody waits for what is no pool */
}
