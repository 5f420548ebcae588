/* SPDX-License-Identifier: MIT */
/*
 * inject_tracer.h - runs what attaches to a process in a thread of its own.
 *
 * The kernel lets go of all threads that a tracer was attached to when that thread ends: also of those that could not
 * be stopped, which PTRACE_DETACH refuses. All signals are blocked meanwhile: without its tracer a thread that
 * is in a call of ours would have nowhere to return to.
 */
#ifndef SPOOR_TOOLS_INJECT_TRACER_H
#define SPOOR_TOOLS_INJECT_TRACER_H

#include "attach/inject_notice.h"

/* inject_tracer_run - returns after @work has. Return: 0, or a negative errno: then @work was not called. */
int inject_tracer_run(enum inject_purpose purpose, void (*work)(void *argument), void *argument);

#endif
