/* SPDX-License-Identifier: MIT */
/*
 * drainer_mark.h - lets a traced process see that its pool has no drainer any more.
 *
 * The kernel does the telling, however the thread ends: a futex word on its robust
 * list becomes FUTEX_OWNER_DIED. The list itself is not in the pool, where the
 * process could bend it.
 */
#ifndef SPOOR_DRAINER_MARK_H
#define SPOOR_DRAINER_MARK_H

#include <linux/futex.h>
#include <stdint.h>

struct drainer_mark {
	struct robust_list_head head;
	struct robust_list node;
};

/*
 * drainer_mark_set - from here to its end the calling thread is the drainer.
 * @mark: stays where it is until the thread has ended, and so does the word
 */
void drainer_mark_set(struct drainer_mark *mark, uint32_t *word);

/* drainer_mark_refuse - the pool in @fd, if it is one, will never have a drainer. */
void drainer_mark_refuse(int fd);

#endif
