/* SPDX-License-Identifier: MIT */
/*
 * drainer_call.h - how a drainer is called from outside the event path, by a thread of any
 * process that has the pool. drain/drain.h (I1) has the protocol of the word.
 */
#ifndef SPOOR_DRAINER_CALL_H
#define SPOOR_DRAINER_CALL_H

#include "format/pool_format.h"

/* Wakes the drainer, or keeps it from going to sleep. The request comes first. Signal-safe. */
void spoor_drainer_call(struct spoor_pool *pool);

#endif
