/* SPDX-License-Identifier: MIT */
/* flush.h - what the process asks of whoever drains its pool. */
#ifndef SPOOR_FLUSH_H
#define SPOOR_FLUSH_H

#include <stdint.h>

#include "format/pool_format.h"

/*
 * spoor_flush_ask - has a wish granted, here or by the recorder.
 * @timeout_ns: how long a recorder may take; negative: no limit
 *
 * One call at a time; the others wait for it.
 *
 * Return: 0, -ETIMEDOUT, or a negative errno of writing. 0 too where there is no trace.
 *
 * Context: any thread, not signal handlers, not under the registry's lock.
 */
int spoor_flush_ask(enum spoor_pool_wish wish, int64_t timeout_ns);

/* In a forked child: whoever asked is not here. */
void spoor_flush_forget(void);

#endif
