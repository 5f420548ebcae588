/* SPDX-License-Identifier: MIT */
/*
 * request_by_injection.h - fulfils requests of `spoor ctl` in a process without a service thread or a
 * pool: stops one of its threads and lets it call the function of spoor.h.
 */
#ifndef SPOOR_TOOLS_CTL_REQUEST_BY_INJECTION_H
#define SPOOR_TOOLS_CTL_REQUEST_BY_INJECTION_H

#include "attach/find_pool.h"
#include "format/mailbox.h"

/*
 * ctl_inject - fulfils a request.
 * @changed: number of functions that changed
 *
 * Returns 0, or a negative errno: the function's; -EAGAIN if no thread reached a place where it
 * could be stopped; -ELIBBAD if libspoor.so lacks a function; or an errno of inject.h. -ENOEXEC means
 * that a message was printed.
 */
int ctl_inject(const struct live_pool *live, const struct spoor_mail *mail, int64_t *changed);

/* Loads libspoor_trap.so, which breakpoints of tracepoints need, if it is not loaded; prints a message if that
 * fails. Afterwards no thread blocks SIGTRAP. */
void ctl_inject_trap(const struct live_pool *live);

#endif
