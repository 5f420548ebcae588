/* SPDX-License-Identifier: MIT */
/*
 * event_path.h - declarations that trampolines and C share about the path of an event. Assembly includes
 * it too.
 *
 * Invariants
 *   I1  cursor & SPOOR_SLICE_BYTES is set if and only if the thread owns a slice with room at cursor.
 *       A new thread, and one whose state a fork has wiped, has cursor 0.
 *   I2  Only the thread itself changes its cursor, by single instructions. So a signal handler that logs
 *       in between leaves a consistent state. One exception: if the pool is short of slices, another thread may
 *       take the slice, by a cursor outside all slices (reclaim.c).
 *   I3  The code that moves the cursor out of a slice retires that slice. A compare-and-swap decides
 *       which code that is.
 *   I4  `quarter` is the counter >> SPOOR_QUARTER_SHIFT of the last full time stamp, and never
 *       decreases. A plain word is reserved only while `quarter` is the quarter of its own time. So its
 *       time is less than a quarter of the low half's range after the last full time stamp before it,
 *       and no word before it has a later quarter.
 *   I5  The code that reserved a slot stores into it, however late. A slice with an empty slot is not
 *       reused (drain.h).
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

/* A part of the range of the low half. If the counter is slow the part is smaller: at each new quarter the
 * clocks are read again (slice_switch.c), and a reader of a killed process's pool computes later times from the
 * rate before. */
#include SPOOR_QUARTER_HEADER
#if SPOOR_QUARTER_SHIFT > 30
#error "a plain word's time would be ambiguous"
#endif

#define SPOOR_SLICE_SHIFT 15
#define SPOOR_SLICE_BIT (1 << SPOOR_SLICE_SHIFT)

/* Dense indexes are assigned in chunks of this many. A chunk belongs to one module. */
#define SPOOR_ID_CHUNK_SHIFT 8

/* Version of the two constants above, for stubs with their own trampolines (registration.h). */
#define SPOOR_NEAR_LAYOUT 1

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

#include "format/count_format.h"
#include "format/order_format.h"
#include "format/pool_format.h"
#include "format/trace_format.h"

struct spoor_thread {
	/* Used by the thread on every event. */
	uint64_t cursor;		/* address of the next slot */
	uint32_t quarter;		/* I4; SPOOR_QUARTER_NEVER: every event takes the slow path */
	/* Zero if the slot is free, and after a fork. */
	uint32_t process_id;
	/* Used on the slow path. */
	uint32_t thread_id;
	uint32_t serial;		/* tells threads apart that have the same ID in turn */
	uint64_t next_sequence;		/* of its next slice, while it has no slice */
	uint64_t lost;			/* events of this thread */
	uint32_t oldest, newest;	/* in ring mode: its slices, + 1; 0: none */
	uint64_t counts;		/* its lane of counters, as trampolines use it; 0: none */
	uint8_t count_lane, shares_counts;
	uint16_t ring;			/* value of spoor_pool.ring when the chain from `oldest` began */
	uint32_t gaps;			/* value of spoor_gaps when the thread stored its last gap mark */
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

/* A thread that is not attached points to spoor_detached_thread, whose cursor is 0. */
extern __thread struct spoor_thread *spoor_thread __attribute__((tls_model("initial-exec")));
extern struct spoor_thread spoor_detached_thread;

/* The current pool; null before it is made. */
extern struct spoor_pool *spoor_pool;

/*
 * spoor_event_slow - handles an event whose slot is outside a slice, or whose time needs a full time
 * stamp.
 * @reserved: address of the slot that the trampoline reserved; 0: none
 * @code:     the upper half of the event's word
 *
 * Return: 0 if the caller must try again; 1 if the event is done: stored, counted as lost, or not to be
 * recorded.
 *
 * Context: any, also signal handlers. Vector registers are not saved.
 */
int spoor_event_slow(struct spoor_thread *thread, uint64_t reserved, uint32_t code);

/*
 * spoor_record_append - stores an extended record; the first word last.
 * @words:   the words after the first; none may look like an event
 * @counter: read just before the call
 *
 * Return: 1; 0 if the caller must read the counter and try again; -1 if the event was counted as lost.
 *
 * Context: as spoor_event_slow, in an attached thread.
 */
int spoor_record_append(struct spoor_thread *thread, enum spoor_extended_type type, const uint64_t *words,
			uint32_t count, uint64_t counter);

/* Checks whether @thread, the value of spoor_thread, may log. Returns 1; 0 if spoor_thread has changed, so that
 * the caller must ask again; -1 if not: an event was counted as lost. */
int spoor_thread_ready(struct spoor_thread *thread);

/*
 * spoor_record_store - stores an event that is an extended record.
 * @words: as in spoor_record_append; sets the first one to the time
 *
 * Return: 0; 1 if it was counted as lost; -1 if recording has ended. Context: as spoor_event_slow.
 */
int spoor_record_store(enum spoor_extended_type type, uint64_t *words, uint32_t count);

/*
 * spoor_user_event_store - stores a user event.
 * @event: steady_ns is 0 if the program gave no time
 *
 * Return and context: as spoor_record_store.
 */
int spoor_user_event_store(const struct spoor_user_event *event);

/*
 * spoor_attach - makes the calling thread one that logs, if it is not, and makes it record its open
 * calls if that was requested. Calls libc.
 *
 * Return: 0, or 1 if the thread cannot log.
 */
int spoor_attach(void);

/* Calls spoor_attach on a separate stack, with all vector registers saved and signals blocked. */
int spoor_attach_on_libc_stack(void);

/* Code of the event for which the calling thread attaches; 0 for a user event. */
extern __thread uint32_t spoor_first_code __attribute__((tls_model("initial-exec")));

/* Incremented when threads begin to run unrecorded, or may have done so. Incremented before each thread's
 * `quarter` is lowered. */
extern uint32_t spoor_gaps;

/* Number of threads that must record their open calls before their next event. */
extern uint32_t spoor_roots_waiting;

/* How a thread's events are handled from the first event that finds spoor_gaps changed. */
enum spoor_recording { SPOOR_RECORDS, SPOOR_COUNTS, SPOOR_RECORDS_NOT };
extern uint32_t spoor_recording;

/* The counters of mode 'count'; null before that mode is first set. They stay when the mode changes. */
extern struct spoor_count_header *spoor_counts;

/* Counts a call by a thread without a lane. Context: as spoor_event_slow. */
void spoor_count_slow(struct spoor_thread *thread, uint32_t code);

/* The current file of first executions, and a bit for each dense index; null before there is a file. Forked
 * children share both. They are kept when the mode changes. */
extern struct spoor_order_header *spoor_order;
extern uint64_t *spoor_order_seen;

/* spoor_detach - retires the calling thread's slice and frees its slot. */
void spoor_detach(struct spoor_thread *thread);

/* For each chunk, the number that added to a dense index gives the function ID. */
extern uint64_t spoor_function_ids[(SPOOR_INDEX_MAX >> SPOOR_ID_CHUNK_SHIFT) + 1];

/* The handler of each class of trampolines. There is one pointer per class, because a thread may still be in a
 * trampoline of one class when another class is set. */
extern void (*spoor_any_handler)(uint64_t function_id, int event);
extern void (*spoor_bare_handler)(uint64_t function_id, int event);
extern void (*spoor_saving_handler)(uint64_t function_id, int event);
/* Number of events that no handler got, because spoor_in_handler was set. */
extern uint64_t spoor_handler_unreported;
extern __thread char spoor_in_handler __attribute__((tls_model("initial-exec")));

/* Trampolines: values for a thunk's slot. */
#define SPOOR_TRAMPOLINES(set) \
	extern const char spoor_##set##_entry[], spoor_##set##_exit[], spoor_##set##_tail[]
SPOOR_TRAMPOLINES(log);
extern const char spoor_log_framed[], spoor_log_unwind[], spoor_no_unwind[];
SPOOR_TRAMPOLINES(bare);
SPOOR_TRAMPOLINES(saving);
/* Mode 'count'. Exits count nothing. */
SPOOR_TRAMPOLINES(count);
/* Mode 'order': entries of sleds, and of hooks, whose text cannot change. Exits and tail calls do nothing. */
extern const char spoor_order_entry[], spoor_order_hooked[];
/* For a slot of modules that are compiled for order mode (registration.h, SPOOR_SLOT_FIRST). */
extern const char spoor_first_entry[];

#endif
#endif
