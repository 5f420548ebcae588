/* SPDX-License-Identifier: MIT */
/*
 * request_by_injection.h - requests of `spoor ctl` in a process that has no thread of ours, or no pool yet:
 * a thread of its own is stopped and calls the function of spoor.h that does it.
 */
#ifndef SPOOR_TOOLS_CTL_INJECT_H
#define SPOOR_TOOLS_CTL_INJECT_H

#include "attach/find_pool.h"
#include "format/mailbox.h"

/*
 * ctl_inject - has it done.
 * @changed: how many functions did
 *
 * Return: 0, or a negative errno: of the function, or -EAGAIN where no thread stood where it
 * could be stopped, -ELIBBAD where libspoor.so has not what it should, or what inject.h says.
 * ENOEXEC stands for what has been said already.
 */
int ctl_inject(const struct live_pool *live, const struct spoor_mail *mail, int64_t *changed);

/* Loads libspoor_trap.so, which breakpoints of tracepoints need, where it is not there; says why it cannot. No thread
 * blocks SIGTRAP then. */
void ctl_inject_trap(const struct live_pool *live);

#endif
