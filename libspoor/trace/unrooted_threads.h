/* SPDX-License-Identifier: MIT */
/*
 * unrooted_threads.h - the threads that were running when tracing was switched on in the middle of a run.
 *
 * Each of them writes its open calls to the trace once, at its first event from then on. All
 * calls of later threads are in the trace anyway.
 */
#ifndef SPOOR_UNROOTED_THREADS_H
#define SPOOR_UNROOTED_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* spoor_unrooted_threads_prepare - loads the unwinder before tracing is switched on. Not under a lock of spoor. */
void spoor_unrooted_threads_prepare(void);

/* spoor_unrooted_threads_collect - lists the running threads just before sleds wake. Under the registry's lock. */
void spoor_unrooted_threads_collect(void);

/*
 * spoor_unrooted_threads_write - writes the open calls of the calling thread, if it is on the list.
 * @code: of the thread's first event, which is in progress; 0 for an event that no trampoline stores
 *
 * Context: with a stack and signals as for spoor_unwinder_walk, no lock of spoor held, before the
 * thread has a slice.
 */
void spoor_unrooted_threads_write(uint32_t thread_id, uint32_t serial, uint32_t code);

/* Empties the list: in a forked child, and when all sleds are dormant. */
void spoor_unrooted_threads_forget(void);

#endif
