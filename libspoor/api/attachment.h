/* SPDX-License-Identifier: MIT */
/* attachment.h - carries out the steps that an attaching recorder requests (format/attachment_request.h). */
#ifndef SPOOR_ATTACHMENT_H
#define SPOOR_ATTACHMENT_H

#include <stdbool.h>

#include "format/attachment_request.h"

/*
 * spoor_attachment - carries out one step.
 *
 * Returns the number of awake functions and of tracepoints that are on (wake, probes), or 0, or
 *   -EINVAL     the struct has another version, or is malformed
 *   -EDEADLK    a stopped thread holds a lock that is needed: no change was made
 *   -EBUSY      the process is already traced, to @folder
 *   -EAGAIN     an earlier recorder has died: end its attachment first
 *   -ESHUTDOWN  the runtime is unavailable in this process
 *   -EIO        the trace could not be begun: @words says why
 *   -EACCES     breakpoints could not be removed and stay, with their handler (end)
 *
 * Context: a thread that holds no lock of spoor.
 */
long spoor_attachment(struct spoor_attachment *attachment);

/* Tells if a recorder is attached. Then spoor does not warn about its patterns at exit. Under the registry's lock. */
bool spoor_attachment_is_on(void);

#endif
