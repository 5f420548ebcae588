/* SPDX-License-Identifier: MIT */
/*
 * event_path.h - what trampolines and C share about the way of an event.
 *
 * Included by assembly too.
 *
 * Invariants
 *   I1  cursor & SPOOR_SLICE_BYTES is set if and only if the thread owns a slice
 *       with room at cursor. A wiped (forked) or new thread has cursor 0.
 *   I2  Only the thread itself changes its cursor, by single instructions: a
 *       signal handler that logs in between leaves a consistent state.
 *   I3  Whoever moves the cursor out of a slice retires that slice; a
 *       compare-and-swap decides who that is.
 *   I4  `quarter` is the counter >> SPOOR_QUARTER_SHIFT of the last full time stamp,
 *       and never goes back. A plain word is reserved while that of its own time is
 *       current, so it lies less than a quarter of the lower half's turn behind a full
 *       time stamp in front of it, and no word in front of it is of a later quarter.
 *   I5  A slot that was reserved is stored to by whoever reserved it, however
 *       late: a slice with an empty slot is not reused (drain.h).
 */
#ifndef SPOOR_EVENT_PATH_H
#define SPOOR_EVENT_PATH_H

/* Offsets into struct spoor_thread. */
#define SPOOR_THREAD_CURSOR 0
#define SPOOR_THREAD_QUARTER 8
#define SPOOR_THREAD_COUNTS 48

/* enum spoor_event_kind, for assembly. */
#define SPOOR_KIND_ENTRY 1
#define SPOOR_KIND_EXIT 2
#define SPOOR_KIND_TAIL_EXIT 3
#define SPOOR_KIND_FRAME 4
#define SPOOR_KIND_UNWIND 5
#define SPOOR_KIND_SWITCH 6

/* Of the lower half's turn, at most: where the counter is slow, less of it, for with each the
 * clocks are looked at anew (slow_path.c), and whoever reads a killed process's pool dates
 * what came after the last look by the rate before. */
#include SPOOR_QUARTER_HEADER
#if SPOOR_QUARTER_SHIFT > 30
#error "a plain word's time would be ambiguous"
#endif

#define SPOOR_SLICE_SHIFT 15
#define SPOOR_SLICE_BIT (1 << SPOOR_SLICE_SHIFT)

/* Dense indexes are given out in chunks of this many, each of one module. */
#define SPOOR_ID_CHUNK_SHIFT 8

/* Of the two above, as stubs have them that know handlers (registration.h). */
#define SPOOR_NEAR_LAYOUT 1

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

#include "format/count_format.h"
#include "format/order_format.h"
#include "format/pool_format.h"
#include "format/trace_format.h"

struct spoor_thread {
	/* The thread's own, on every event. */
	uint64_t cursor;
	uint32_t quarter;
	/* Zero while the slot is free, and after a fork. */
	uint32_t process_id;
	/* The slow path's. */
	uint32_t thread_id;
	uint32_t serial;
	uint64_t next_sequence;		/* while it has no slice */
	uint64_t lost;
	uint32_t oldest, newest;	/* in circular mode: of its slices, + 1; 0: none */
	uint64_t counts;		/* its lane of counters, as trampolines take it; 0: none */
	uint8_t count_lane, shares_counts;
	uint16_t ring;			/* spoor_pool.ring, as it was when `oldest` began */
	uint32_t gaps;			/* spoor_gaps, as it was when the last one was marked */
};

_Static_assert(offsetof(struct spoor_thread, cursor) == SPOOR_THREAD_CURSOR, "event_path.h");
_Static_assert(offsetof(struct spoor_thread, quarter) == SPOOR_THREAD_QUARTER, "event_path.h");
_Static_assert(offsetof(struct spoor_thread, counts) == SPOOR_THREAD_COUNTS, "event_path.h");
_Static_assert(sizeof(struct spoor_thread) == 64, "a cache line each");
_Static_assert(SPOOR_KIND_ENTRY == (int)SPOOR_EVENT_ENTRY && SPOOR_KIND_EXIT == (int)SPOOR_EVENT_EXIT &&
	       SPOOR_KIND_TAIL_EXIT == (int)SPOOR_EVENT_TAIL_EXIT, "event_path.h");
_Static_assert(SPOOR_KIND_FRAME == (int)SPOOR_EVENT_FRAME && SPOOR_KIND_UNWIND == (int)SPOOR_EVENT_UNWIND &&
	       SPOOR_KIND_SWITCH == (int)SPOOR_EVENT_SWITCH, "event_path.h");
_Static_assert(SPOOR_SWITCH_GOES_ON == 1 << 28, "trampolines/log_*.S");
_Static_assert(SPOOR_FRAME_SHIFT == 4 && SPOOR_INDEX_BITS == 29, "trampolines/log_*.S");
_Static_assert(SPOOR_SLICE_BIT == SPOOR_SLICE_BYTES, "event_path.h");

/* A thread that was never attached points at spoor_nobody, whose cursor is 0. */
extern __thread struct spoor_thread *spoor_thread __attribute__((tls_model("initial-exec")));
extern struct spoor_thread spoor_nobody;

/* The pool in use; null before there is one. */
extern struct spoor_pool *spoor_pool;

/*
 * spoor_event_slow - for an event whose slot is outside a slice, or too far in
 * time from the last full time stamp.
 * @reserved: the slot that the trampoline got; 0: none yet
 * @code:     the upper half of the event's word
 *
 * Return: 0 to try again, 1 where the event is stored, lost and counted, or not to be
 * recorded.
 *
 * Context: anywhere, signal handlers included, with no vector register saved.
 */
int spoor_event_slow(struct spoor_thread *thread, uint64_t reserved, uint32_t code);

/*
 * spoor_record_append - stores an extended record whole, its first word last.
 * @words:   what follows the first word; none looks like an event by itself
 * @counter: read just before
 *
 * Return: 1; 0 to try again with the counter read anew; -1 where it is lost, and counted.
 *
 * Context: as spoor_event_slow, in a thread that is attached.
 */
int spoor_record_append(struct spoor_thread *thread, enum spoor_extended_type type, const uint64_t *words,
			uint32_t count, uint64_t counter);

/* Whether @thread, which is spoor_thread, may log. Return: 1; 0: ask again, for
 * spoor_thread is another now; -1: no, and an event is counted as lost. */
int spoor_thread_ready(struct spoor_thread *thread);

/*
 * spoor_record_store - stores an event that is an extended record.
 * @words: as in spoor_record_append; the first is filled in here, with the time
 *
 * Return: 0; 1 where it is lost, and counted; -1 where nothing is recorded any more.
 * Context: as spoor_event_slow.
 */
int spoor_record_store(enum spoor_extended_type type, uint64_t *words, uint32_t count);

/*
 * spoor_user_event_store - the same for an event of the program's own.
 * @event: steady_ns is 0 where the program gave no time
 */
int spoor_user_event_store(const struct spoor_user_event *event);

/*
 * spoor_attach - makes the calling thread one that logs, if it is none, and has it say what
 * it is in, if that waits. Calls libc.
 *
 * Return: 0, or 1 where it cannot.
 */
int spoor_attach(void);

/* spoor_attach on a stack of its own, with all vector registers saved around it and
 * signals blocked. */
int spoor_attach_on_libc_stack(void);

/* The code of the event for which the calling thread attaches; 0 for one of the program's own. */
extern __thread uint32_t spoor_first_code __attribute__((tls_model("initial-exec")));

/* Goes up when threads begin to run unrecorded, or may have; before `quarter` of each
 * goes down. */
extern uint32_t spoor_gaps;

/* How many threads are to say what they are in, before their next event. */
extern uint32_t spoor_roots_waiting;

/* What becomes of a thread's events from the first on that finds spoor_gaps higher than
 * the thread has told. */
enum spoor_recording { SPOOR_RECORDS, SPOOR_COUNTS, SPOOR_RECORDS_NOT };
extern uint32_t spoor_recording;

/* The counters in use, and a call by a thread without a lane; context: as spoor_event_slow. Null before there are any;
 * stays when modes change. */
extern struct spoor_count_header *spoor_counts;
void spoor_count_slow(struct spoor_thread *thread, uint32_t code);

/* The file of first executions in use, and a bit for each dense index; null before there is one. Both are shared with
 * forked children, and stay when modes change. */
extern struct spoor_order_header *spoor_order;
extern uint64_t *spoor_order_seen;

/* spoor_detach - retires the calling thread's slice and gives its slot back. */
void spoor_detach(struct spoor_thread *thread);

/* For each chunk what gives a function ID when a dense index is added. */
extern uint64_t spoor_function_ids[(SPOOR_INDEX_MAX >> SPOOR_ID_CHUNK_SHIFT) + 1];

/* Called instead of logging while the slots hold trampolines of that class. One for each,
 * for a thread may stand in a trampoline of one class when another is set. */
extern void (*spoor_any_handler)(uint64_t function_id, int event);
extern void (*spoor_bare_handler)(uint64_t function_id, int event);
extern void (*spoor_saving_handler)(uint64_t function_id, int event);
/* Events while spoor_in_handler was set: no handler was told. */
extern uint64_t spoor_handler_unreported;
extern __thread char spoor_in_handler __attribute__((tls_model("initial-exec")));

/* Trampolines; what a thunk's slot may hold. */
#define SPOOR_TRAMPOLINES(set) \
	extern const char spoor_##set##_entry[], spoor_##set##_exit[], spoor_##set##_tail[]
SPOOR_TRAMPOLINES(log);
extern const char spoor_log_framed[], spoor_log_unwind[], spoor_no_unwind[];
SPOOR_TRAMPOLINES(bare);
SPOOR_TRAMPOLINES(saving);
/* Mode 'count'. Exits have nothing to count. */
SPOOR_TRAMPOLINES(count);
/* Mode 'order': of sleds, and of hooks, which have no text to be changed. Exits and tail calls are nothing there. */
extern const char spoor_order_entry[], spoor_order_hooked[];
/* A slot of modules that were compiled for order mode (registration.h, SPOOR_SLOT_FIRST). */
extern const char spoor_first_entry[];

#endif
#endif
