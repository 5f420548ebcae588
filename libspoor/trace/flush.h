/* SPDX-License-Identifier: MIT */
/* flush.h - requests a flush or a clear from the drainer of the process's pool. */
#ifndef SPOOR_FLUSH_H
#define SPOOR_FLUSH_H

#include <stdint.h>

#include "format/pool_format.h"

/*
 * spoor_flush_request - requests @wish from the recorder or the service thread, and waits for it.
 * @timeout_ns: how long a recorder may take; negative: no limit
 *
 * One call runs at a time; other callers wait for it.
 *
 * Returns 0, -ETIMEDOUT, -EPIPE if the recorder is gone, or a negative errno of writing.
 * Returns 0 too if there is no trace.
 *
 * Context: any thread, not signal handlers, not under the registry's lock.
 */
int spoor_flush_request(enum spoor_pool_wish wish, int64_t timeout_ns);

/* In a forked child: the thread that held the lock does not exist. */
void spoor_flush_forget(void);

#endif
