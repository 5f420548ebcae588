/* SPDX-License-Identifier: MIT */
/* attachment.h - takes the steps that a recorder outside asks for (format/attachment_request.h). */
#ifndef SPOOR_ATTACHMENT_H
#define SPOOR_ATTACHMENT_H

#include <stdbool.h>

#include "format/attachment_request.h"

/*
 * spoor_attachment - takes a step.
 *
 * Return: functions awake now and tracepoints that are on (wake, probes) or 0, or
 *   -EINVAL     another version of this struct
 *   -EDEADLK    a thread that stands still has a lock that this takes: nothing has been done
 *   -EBUSY      the process is traced already, to @folder
 *   -EAGAIN     whoever was attached has died: end that first
 *   -ESHUTDOWN  the runtime cannot be had in this process
 *   -EIO        the trace could not be begun: @words says why
 *   -EACCES     breakpoints could not be taken out of the text, and stay, with what handles them (end)
 *
 * Context: a thread that holds no lock of ours.
 */
long spoor_attachment(struct spoor_attachment *attachment);

/* Whether a recorder is attached, whose patterns are not the process's to complain of. Under the registry's lock. */
bool spoor_attachment_is_on(void);

#endif
