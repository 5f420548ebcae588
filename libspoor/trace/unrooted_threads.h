/* SPDX-License-Identifier: MIT */
/*
 * unrooted_threads.h - the threads that were there when tracing was switched on in the midst of a run.
 *
 * Each of them, at its first event from then on, has what it is in written into the trace:
 * once. Those that begin later are in nothing that is not in the trace.
 */
#ifndef SPOOR_ROOTED_H
#define SPOOR_ROOTED_H

#include <stdbool.h>
#include <stdint.h>

/* spoor_unrooted_threads_prepare - before tracing is switched on: loads what it takes. Under no lock of ours. */
void spoor_unrooted_threads_prepare(void);

/* spoor_unrooted_threads_collect - as sleds are about to wake. Under the registry's lock. */
void spoor_unrooted_threads_collect(void);

/*
 * spoor_unrooted_threads_write - what the calling thread is in, where it was there then.
 * @code: of the event that it is in, its first; 0 for none of the trampolines'
 *
 * Context: with a stack and signals as for spoor_unwinder_walk, no lock of ours held, before the
 * thread has a slice.
 */
void spoor_unrooted_threads_write(uint32_t thread_id, uint32_t serial, uint32_t code);

/* None of them has anything to write any more: in a forked child, and with all dormant. */
void spoor_unrooted_threads_forget(void);

#endif
