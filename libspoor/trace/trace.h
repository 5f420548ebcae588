/* SPDX-License-Identifier: MIT */
/*
 * trace.h - this process's folder in the trace, and what the process itself
 * writes there. Events are written by the drainer.
 *
 * The folder is made when something is first patched, so a process without
 * sleds writes nothing. A forked child gets one of its own at its first event.
 */
#ifndef SPOOR_TRACE_H
#define SPOOR_TRACE_H

#include "config/configuration.h"
#include "event/event_path.h"
#include "module/registry.h"

/*
 * spoor_trace_begin - makes folder, process file and pool, and sees to it that the
 * pool is drained. Nothing to do where this process has them.
 *
 * Return: 0, or -ESHUTDOWN after one message; no later call tries again.
 *
 * Context: under the registry's lock.
 */
int spoor_trace_begin(void);

/* Whether the calling process is the one whose trace is open. Any context. */
bool spoor_trace_is_ours(void);

/*
 * spoor_trace_provide - the pool, or the counters, where the mode needs what there is not.
 *
 * Return: 0, or a negative errno. Context: under the registry's lock, while the trace is open.
 */
int spoor_trace_provide(enum spoor_mode mode);

/* Whether this process has counters. Any context. */
bool spoor_trace_counts(void);

/* Whether a thread of this process drains, and not a recorder. */
bool spoor_trace_is_drained_here(void);

/* This process's folder; null while there is none. */
const char *spoor_trace_folder(void);

void spoor_trace_module(const struct spoor_instance *instance);
void spoor_trace_module_gone(const struct spoor_instance *instance);
void spoor_trace_left_alone(const struct spoor_instance *instance);
/*
 * spoor_trace_disabled - of @functions, a bitmap by local ID, what is not patched was
 * made dormant since the counter was @asked. What no thread can be in is left out: disabled_functions.h.
 *
 * Context: under the registry's lock.
 */
void spoor_trace_disabled(const struct spoor_instance *instance, const uint64_t *functions, uint64_t asked);
/* The mode is this one from now on. */
void spoor_trace_mode(enum spoor_mode mode);
/* @name and @path are named_things.h's. */
void spoor_trace_tracepoint(const struct spoor_tracepoint *record, const char *name, const char *path);
void spoor_trace_foreign(const char *path, uint64_t sleds);
void spoor_trace_thread(uint32_t thread_id, const char *name);

/* What the thread lost, where it lost anything: it may never have a slice that says so. */
void spoor_trace_thread_lost(const struct spoor_thread *thread);

/* What was open in a thread: @body_bytes of the body stand behind room for the block's head. */
void spoor_trace_roots(uint32_t thread_id, struct spoor_block *block, size_t body_bytes);

/* Whether no thread is just writing to the process file. */
bool spoor_trace_is_idle(void);

/* A record and a text behind it. */
void spoor_trace_text(enum spoor_block_kind kind, uint32_t thread_id, const void *record, size_t bytes,
		      const char *text);

/*
 * The trace of a process that goes on: spoor_trace_leave writes its end and closes its
 * files; from then on there is none, until spoor_trace_forget has given its pool back, with no
 * thread in this library, and spoor_trace_renew lets another one begin, for a recorder
 * alone. Under the registry's lock.
 */
void spoor_trace_leave(void);
void spoor_trace_forget(void);
void spoor_trace_renew(void);

/* Whether one could not be begun. */
bool spoor_trace_has_failed(void);

/* The process begins to end: calls that are open now are said to last until here, not until all is written. */
void spoor_trace_date_end(void);

/* The process ends in order: names, foreign modules, and what is in full slices. */
void spoor_trace_end(void);

#endif
