/* SPDX-License-Identifier: MIT */
/*
 * drainer_mark.h - lets a traced process see that its pool's drainer has ended.
 *
 * However the thread ends, the kernel sets a futex word on its robust list to FUTEX_OWNER_DIED. The
 * list itself is not in the pool, where the process could corrupt it.
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
 * drainer_mark_set - makes the calling thread the drainer until it ends.
 * @mark: must stay valid until the thread has ended, like @word
 */
void drainer_mark_set(struct drainer_mark *mark, uint32_t *word);

/* drainer_mark_refuse - marks that the pool in @fd, if it is one, will never have a drainer. */
void drainer_mark_refuse(int fd);

#endif
