/* SPDX-License-Identifier: MIT */
/*
 * drainer_call.h - wakes the drainer, from outside the event path and from any process that maps the
 * pool. drain/drain.h (I1) describes the protocol of the word.
 */
#ifndef SPOOR_DRAINER_CALL_H
#define SPOOR_DRAINER_CALL_H

#include "format/pool_format.h"

/* Wakes the drainer, or keeps it from going to sleep. Store the request before this call. Signal-safe. */
void spoor_drainer_call(struct spoor_pool *pool);

#endif
