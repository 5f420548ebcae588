/* SPDX-License-Identifier: MIT */
/* status.h - shows the status of a process for `spoor ctl status`, from its pool only. */
#ifndef SPOOR_TOOLS_CTL_STATUS_H
#define SPOOR_TOOLS_CTL_STATUS_H

#include "base/output.h"
#include "attach/find_pool.h"

/* The process must have a pool. */
void ctl_status(struct output *out, const struct live_pool *live, bool json);

#endif
