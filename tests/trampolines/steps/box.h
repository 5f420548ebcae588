/* SPDX-License-Identifier: MIT */
/*
 * box.h - the real trampolines, slow path, threads, trace folder and pool, without modules;
 * the test itself is the drainer.
 *
 * Each event that is logged through these functions has a different index, so box_verify
 * can check for each whether and where it is in the trace, and its time.
 */
#ifndef BOX_H
#define BOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "drain/drain.h"
#include "event/event_path.h"

#define BOX_SLICES 64u
#define BOX_EVENTS_MAX 65536u
#define BOX_COUNTED 512u	/* number of functions with counters */

/* The drainer and its file. box_reset begins a new one of both if the drainer ran. */
extern struct spoor_drain *box_drain;
extern int box_events_fd;

/* Lets the drainer do one run, for tests that drain. */
void box_drain_run(void);

/* Makes trace folder and pool. Ends the test on failure. */
void box_begin(void);

/* box_begin's: the module that has counters. */
void box_runtime_begin(void);

/* Removes the folder. */
void box_end(void);

/* Resets all state, as if no event had been logged. The calling thread has no slice then. */
void box_reset(void);

/* Resets the calling thread, as if it had never been attached. */
void box_forget_thread(void);

/* Fills the thread's slice with empty records until @words words are free. */
void box_leave_room(uint32_t words);

/* Begins a group. The events of a group, which one handler logs, must stay together. */
void box_group_begin(void);
void box_group_end(void);

/*
 * box_log - logs one event.
 * @kind:  enum spoor_event_kind, not extended; FRAME is an entry with its frame, two
 *         events, and not for handlers; or BOX_SWITCH_GOES_ON, BOX_TRACEPOINT
 * @flags: flags register while the trampoline runs: 0x100 single-steps it
 *
 * Returns the event's index.
 */
uint32_t box_log(uint32_t kind, uint64_t flags);
#define BOX_SWITCH_GOES_ON 8u
#define BOX_TRACEPOINT SPOOR_EVENT_EXTENDED
/* Added to an entry, exit or frame: through the mixed trampolines. The function is logged or captured. A captured function has
 * values of any kind, one number of 32 bits, the same as the second argument, one of 64 bits, or halves of registers. */
#define BOX_MIXED 0x10u
#define BOX_CAPTURED 0x20u
#define BOX_INT 0x40u
#define BOX_LONG 0x80u
#define BOX_HALVES 0x400u
#define BOX_SECOND 0x800u
#define BOX_MIXED_KINDS (BOX_MIXED | BOX_CAPTURED | BOX_INT | BOX_SECOND | BOX_LONG | BOX_HALVES)
/* Added to an enum box_library_way: a library call (box_library.h). With one of the six above, or 0, its events go through the
 * mixed trampolines. */
#define BOX_LIBRARY 0x100u
/* Added to BOX_MIXED and so on, for an entry: through the entry for stubs of library calls, without a stub. */
#define BOX_STUB 0x200u

/* Logs an entry and its exit. */
void box_log_pair(void);

/*
 * Events that other files log.
 *
 * box_event_begin - returns the index of an event that is stored from now on.
 * @late: it may also be stored after it was abandoned
 * box_event_end - says that it is stored now. Does nothing the second time.
 * box_event_drop - says that it must not be stored.
 */
uint32_t box_event_begin(enum spoor_event_kind kind, bool late);
void box_event_end(uint32_t index);
void box_event_drop(uint32_t index);

/* Sets the action of the function with this index. @kind: BOX_CAPTURED and so on, or 0 */
void box_action_set(uint32_t index, uint32_t kind);

/* Events that a jump out of a handler interrupted may be stored or not. */
void box_abandon_open(void);

/* Called in a forked child: events that were logged earlier belong to the parent. */
void box_forked(void);

/* Removes the trace of a child that ended, or children fill the memory: each has a pool. */
void box_remove_child(pid_t child);

/*
 * box_verify - ends the test unless every logged event is stored exactly once, in the
 * order of the program, its group together, its time between the counter's values
 * before and after it; slices have consecutive numbers.
 * @lost: how many may be missing; the trace must have counted exactly these, by @cause
 * @holes: how many words may be empty
 */
void box_verify_loss(uint32_t lost, enum spoor_loss_cause cause, uint32_t holes);
static inline void box_verify(void)
{
	box_verify_loss(0, SPOOR_LOSS_POOL_EXHAUSTED, 0);
}

/*
 * box_verify_left - ends the test unless the pool has a state that kill -9 may leave: each
 * event that has ended as for box_verify, and each other event whole or not at all.
 * Context: also signal handlers.
 */
void box_verify_left(void);

/* Returns how many of the logged events are stored now. */
uint32_t box_stored(void);

/* Ends a test with a message. */
void box_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* A text before each message of failure. */
extern const char *box_case;

#endif
