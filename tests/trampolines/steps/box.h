/* SPDX-License-Identifier: MIT */
/*
 * box.h - the event path in a box: trampolines, slow path, threads, trace folder
 * and pool as they are, no module and no drainer but the test itself.
 *
 * Every event that is logged through here has an index of its own, so
 * box_verify can say of each where it ended and whether it is dated right.
 */
#ifndef BOX_H
#define BOX_H

#include <stdbool.h>
#include <stdint.h>

#include "drain/drain.h"
#include "event/event_path.h"

#define BOX_SLICES 64u
#define BOX_EVENTS_MAX 65536u
#define BOX_COUNTED 512u	/* functions that have counters */

/* The drainer, for tests that drain, and its file. box_reset begins both anew. */
extern struct spoor_drain *box_drain;
extern int box_events_fd;

/* Makes trace folder and pool. Ends the test where it cannot. */
void box_begin(void);

/* box_begin's: the module that has counters. */
void box_runtime_begin(void);

/* Removes the folder. */
void box_end(void);

/* As if nothing had ever been logged; the calling thread has no slice. */
void box_reset(void);

/* The calling thread was never attached. */
void box_forget_thread(void);

/* Fills the thread's slice with nothing, all but @words of it. */
void box_leave_room(uint32_t words);

/* Groups the events logged from now on: those of one handler stay together. */
void box_group_begin(void);
void box_group_end(void);

/*
 * box_log - logs one event.
 * @kind:  enum spoor_event_kind, not extended; FRAME is an entry with its frame, two
 *         events, and not for handlers; or BOX_SWITCH_GOES_ON, BOX_TRACEPOINT
 * @flags: for the flags register while the trampoline runs: 0x100 single-steps it
 *
 * Return: the event's index.
 */
uint32_t box_log(uint32_t kind, uint64_t flags);
#define BOX_SWITCH_GOES_ON 8u
#define BOX_TRACEPOINT SPOOR_EVENT_EXTENDED

/* An entry and its exit. */
void box_log_pair(void);

/* The events that a jump out of a handler cut off: they may be stored or not. */
void box_abandon_open(void);

/* In a forked child: what was logged so far is the parent's. */
void box_forked(void);

/*
 * box_verify - ends the test unless every logged event is stored exactly once, in the
 * order of the program, undivided within its group, dated between the counter's values
 * before and after it; slices are numbered without gaps.
 * @lost: how many may be missing; the trace must have counted just these, by @cause
 * @holes: how many words may be empty
 */
void box_verify_loss(uint32_t lost, enum spoor_loss_cause cause, uint32_t holes);
static inline void box_verify(void)
{
	box_verify_loss(0, SPOOR_LOSS_POOL_EXHAUSTED, 0);
}

/*
 * box_verify_left - ends the test unless the pool holds now what kill -9 may leave: every
 * event that has ended as box_verify has it, one that has not ended whole or not at all.
 * Context: a handler, too.
 */
void box_verify_left(void);

/* How many of the logged events are stored now. */
uint32_t box_stored(void);

/* What ends a test; @what is the sentence's end. */
void box_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Put before each message of failure. */
extern const char *box_case;

#endif
