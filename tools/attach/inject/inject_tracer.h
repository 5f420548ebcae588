/* SPDX-License-Identifier: MIT */
/*
 * inject_tracer.h - runs code that attaches to a process in a thread of its own.
 *
 * When a tracing thread ends, the kernel releases all its traced threads, also threads that could not be stopped, for
 * which PTRACE_DETACH fails. All signals are blocked: without its tracer a borrowed thread would have no place to
 * return to.
 */
#ifndef SPOOR_TOOLS_INJECT_TRACER_H
#define SPOOR_TOOLS_INJECT_TRACER_H

#include "attach/inject/inject_notice.h"

/* inject_tracer_run - returns after @work. Returns 0, or a negative errno; then @work was not called. */
int inject_tracer_run(enum inject_purpose purpose, void (*work)(void *argument), void *argument);

#endif
