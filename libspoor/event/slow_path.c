/* SPDX-License-Identifier: MIT */
/*
 * slow_path.c - stores full time stamps and gap marks, and attaches threads. slice_switch.c gives them slices.
 *
 * Compiled for general registers only. Calls no function of libc. A signal handler may enter it again
 * between any two instructions, so each step has either happened completely or not at all (event_path.h,
 * I2 and I3).
 */
#include "event/event_path.h"

#include "base/time_source.h"
#include "event/capture_path.h"
#include "event/record_path.h"
#include "event/slices.h"
#include "base/system.h"

/* Reads the counter, reserves, then checks the quarter, in this order, like the trampolines: an event that a
 * handler logs in between gets its own full time stamp. */
int spoor_record_append(struct spoor_thread *thread, enum spoor_extended_type type, const uint64_t *words,
			uint32_t count, uint64_t counter)
{
	volatile uint64_t *slot = (volatile uint64_t *)spoor_cursor_add(&thread->cursor, (1 + count) * 8);

	if (!spoor_record_fits(slot, count)) {
		spoor_record_gives_up(slot, count);
		return spoor_slice_switch(thread, counter) ? -1 : 0;
	}
	for (uint32_t i = 0; i < count; i++)
		slot[1 + i] = words[i];
	spoor_record_end(thread, slot, type, count, counter);
	return 1;
}

/* Stores the event with a full time stamp, because the upper part of the counter has changed. */
static int event_timed(struct spoor_thread *thread, uint64_t reserved, uint32_t code)
{
	uint64_t words[2] = { 0, code };

	if (reserved)
		*(volatile uint64_t *)reserved = SPOOR_NOP_WORD;
	words[0] = spoor_counter();
	return spoor_record_append(thread, SPOOR_EXTENDED_TIMED_EVENT, words, 2, words[0]) != 0;
}

/* Stores a gap mark in the thread's slice: the thread may have run unrecorded. Events of a handler between the
 * read of spoor_gaps and the end of this function are counted, or not recorded. Returns like
 * spoor_record_append. */
static int gap_store(struct spoor_thread *thread)
{
	uint32_t gaps = __atomic_load_n(&spoor_gaps, __ATOMIC_SEQ_CST);
	uint64_t words[1] = { spoor_counter() };
	int done = spoor_record_append(thread, SPOOR_EXTENDED_GAP, words, 1, words[0]);

	if (done > 0)
		thread->gaps = gaps;
	return done;
}

/* Makes the thread record its open calls, if that was requested, before its gap mark. @code: of the event; 0
 * for a user event. Returns whether the caller must check again, because a handler has stored the mark, or
 * recording has ended. */
static int gap_must_wait(struct spoor_thread *thread, uint32_t code)
{
	if (!__atomic_load_n(&spoor_roots_waiting, __ATOMIC_ACQUIRE))
		return 0;
	spoor_first_code = code;
	spoor_attach_on_libc_stack();
	return !spoor_gap_is_due(thread) || __atomic_load_n(&spoor_recording, __ATOMIC_SEQ_CST) != SPOOR_RECORDS;
}

/* Returns how to handle an event of the thread. Call once per event, since the answer may change at any time. */
static enum spoor_recording recording(const struct spoor_thread *thread)
{
	return spoor_gap_is_due(thread) ? __atomic_load_n(&spoor_recording, __ATOMIC_SEQ_CST) : SPOOR_RECORDS;
}

/* Handles an event that came through a slot for logging while the thread does not record. */
__attribute__((noinline)) static int event_elsewhere(struct spoor_thread *thread, uint64_t reserved, uint32_t code,
						     enum spoor_recording how)
{
	if (reserved & SPOOR_SLICE_BIT)
		*(volatile uint64_t *)reserved = SPOOR_NOP_WORD;
	/* The event passed the check of the quarter. Lower it, so that no later event moves the cursor. */
	if (reserved)
		spoor_quarter_lower(thread);
	if (how == SPOOR_COUNTS && code >> SPOOR_INDEX_BITS == SPOOR_KIND_ENTRY)
		spoor_count_slow(thread, code);
	return 1;
}

int spoor_thread_ready(struct spoor_thread *thread)
{
	if (__builtin_expect(thread->process_id != 0, 1))
		return 1;
	/* The state is spoor_detached_thread, or wiped by a fork. The trampoline may have changed its cursor. */
	__atomic_store_n(&thread->cursor, 0, __ATOMIC_RELAXED);
	if (spoor_attach_on_libc_stack() == 0)
		return 0;
	spoor_event_lost(0, SPOOR_LOSS_NO_THREAD);
	return -1;
}

int spoor_record_store(enum spoor_extended_type type, uint64_t *words, uint32_t count)
{
	for (;;) {
		struct spoor_thread *thread = spoor_thread;
		int done = spoor_thread_ready(thread);

		if (done > 0 && recording(thread) != SPOOR_RECORDS)
			return -1;
		if (done > 0 && spoor_gap_is_due(thread))
			done = !gap_must_wait(thread, 0) && gap_store(thread) < 0 ? -1 : 0;
		if (done == 0)
			continue;
		if (done > 0) {
			uint64_t counter = spoor_counter();

			words[0] = SPOOR_USER_MARK | (counter & (SPOOR_USER_MARK - 1));
			done = spoor_record_append(thread, type, words, count, counter);
		}
		if (done)
			return done < 0;
	}
}

int spoor_user_event_store(const struct spoor_user_event *event)
{
	uint64_t words[SPOOR_USER_OWN_TIME_WORDS];

	spoor_user_pack(event, words);
	return spoor_record_store(SPOOR_EXTENDED_USER, words,
				  event->steady_ns ? SPOOR_USER_OWN_TIME_WORDS : SPOOR_USER_WORDS);
}

/* Attaches the thread of an event if it is not attached. Returns like spoor_thread_ready; -1 also if events are not
 * to be recorded. */
static int event_ready(struct spoor_thread *thread, uint32_t code)
{
	/* trampolines/README.md, 7: all data, above all the pool, must be as new as the slot that led here. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__builtin_expect(!thread->process_id, 0)) {
		/* A thread attaches only if events are recorded or counted. */
		if (__atomic_load_n(&spoor_recording, __ATOMIC_SEQ_CST) == SPOOR_RECORDS_NOT) {
			__atomic_store_n(&thread->cursor, 0, __ATOMIC_RELAXED);
			return -1;
		}
		spoor_first_code = code;
	}
	return spoor_thread_ready(thread);
}

/* Stores the record of the values and after it the event with a full time stamp, in one reservation. Returns like
 * spoor_record_append. */
static int values_append(struct spoor_thread *thread, uint32_t code, const uint64_t *words, uint32_t count)
{
	uint64_t counter = spoor_counter();
	volatile uint64_t *slot = (volatile uint64_t *)spoor_cursor_add(&thread->cursor, (1 + count + 3) * 8);

	if (!spoor_record_fits(slot, count + 3)) {
		spoor_record_gives_up(slot, count + 3);
		return spoor_slice_switch(thread, counter) ? -1 : 0;
	}
	for (uint32_t i = 0; i < count; i++)
		slot[1 + i] = words[i];
	slot[1 + count + 1] = counter;
	slot[1 + count + 2] = code;
	__atomic_store_n(&slot[1 + count], SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 2, SPOOR_EXTENDED_TIMED_EVENT),
			 __ATOMIC_RELEASE);
	spoor_record_end(thread, slot, SPOOR_EXTENDED_VALUES, count, counter);
	return 1;
}

void spoor_values_store_slow(uint32_t code, const uint64_t *words, uint32_t count)
{
	int done = 0;

	while (!done) {
		struct spoor_thread *thread = spoor_thread;
		enum spoor_recording how;

		done = event_ready(thread, code);
		if (done <= 0)
			continue;
		how = recording(thread);
		if (how != SPOOR_RECORDS)
			done = event_elsewhere(thread, 0, code, how);
		else if (spoor_gap_is_due(thread))
			done = gap_must_wait(thread, code) || gap_store(thread) >= 0 ? 0 : -1;
		else
			done = values_append(thread, code, words, count);
	}
}

int spoor_event_slow(struct spoor_thread *thread, uint64_t reserved, uint32_t code)
{
	enum spoor_recording how;
	int ready = event_ready(thread, code);

	if (ready <= 0)
		return ready != 0;
	how = recording(thread);
	if (how != SPOOR_RECORDS)
		return event_elsewhere(thread, reserved, code, how);
	if (spoor_gap_is_due(thread) && (!reserved || reserved & SPOOR_SLICE_BIT)) {
		if (reserved)
			*(volatile uint64_t *)reserved = SPOOR_NOP_WORD;
		return gap_must_wait(thread, code) ? 0 : gap_store(thread) < 0;
	}
	if (reserved && !(reserved & SPOOR_SLICE_BIT))
		return spoor_slice_switch(thread, 0);
	return event_timed(thread, reserved, code);
}
