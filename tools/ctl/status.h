/* SPDX-License-Identifier: MIT */
/* status.h - what `spoor ctl status` shows: all of it stands in the pool. */
#ifndef SPOOR_TOOLS_CTL_STATUS_H
#define SPOOR_TOOLS_CTL_STATUS_H

#include "base/output.h"
#include "attach/find_pool.h"

/* Of a process that has a pool. */
void ctl_status(struct output *out, const struct live_pool *live, bool json);

#endif
