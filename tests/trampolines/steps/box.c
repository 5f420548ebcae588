/* SPDX-License-Identifier: MIT */
/*
 * box.c - logs events through trampolines and finds each of them in the trace.
 *
 * box_runtime.c replaces the parts of the runtime that are left out. box_slices.c reads
 * the trace.
 */
#define _GNU_SOURCE
#include "box.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "box_library.h"
#include "box_slices.h"
#include "capture/quick_captures.h"
#include "event/pool.h"
#include "api/thread_life.h"
#include "event/processor.h"
#include "format/pool_memory.h"
#include "base/system.h"
#include "event/thread.h"
#include "trace/trace.h"
#include "event/tracepoint_path.h"
#include "turned_counter.h"

void reach_entry(uint32_t code, uint64_t flags);
void reach_exit(uint32_t code, uint64_t flags);
void reach_tail(uint32_t code, uint64_t flags);
void reach_framed(uint32_t code, uint64_t flags);
void reach_unwind(uint32_t code, uint64_t flags);
void reach_switch(uint32_t code, uint64_t flags);
void reach_tracepoint(uint32_t code, uint64_t flags);
void reach_through(uint32_t code, uint64_t flags, const void *trampoline);
void reach_framed_through(uint32_t code, uint64_t flags, const void *trampoline);
void reach_as_stub(uint32_t code, uint64_t flags, const void *trampoline);
extern struct spoor_sdt_probe reached_tracepoint;
extern const uint64_t reached_types;
extern char reach_tail_code[];
extern uint64_t reach_frame;	/* the frame of the last call of reach_framed */

#define NOWHERE UINT32_MAX
#define RECORD_WORDS_MAX 11u	/* greatest record that is stored at once: seven words of values, with a full time stamp */

struct spoor_sdt_probe reached_tracepoint = { .number = 0x123456 };
const uint64_t reached_types = 2ull << SPOOR_SDT_TYPES_SHIFT;

static struct logged {
	uint32_t code;
	uint32_t group;		/* 0: none */
	uint32_t end;		/* number of events that had begun when this one was stored */
	uint64_t before, after;
	bool abandoned;
	bool late;		/* may be stored after it was abandoned */
	/* Set by box_verify. */
	uint32_t position;
	uint64_t time;
} logged[BOX_EVENTS_MAX];
static uint32_t logged_count;
static uint32_t framed;		/* the last frame */
static uint32_t groups, group;
static bool has_drained;	/* since the drainer began */

const char *box_case = "";
static char folder[32];

void box_fail(const char *format, ...)
{
	va_list arguments;

	turned_counter_end();
	fprintf(stderr, "%s: ", box_case);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	_exit(1);
}

/* Makes six captures. Of an entry, all have its first argument, which is the event's code. The fourth has it as a stack
 * argument of a stub, the fifth at the begin and end of as many halves as there are, and the sixth as the second argument.
 * Of an exit, the first and fourth have the second word of its result, which is the trampoline's address, and the others the
 * first word, which is the code. */
static void make_captures(void)
{
	static uint16_t actions[BOX_EVENTS_MAX];

	spoor_captures[1] = (struct spoor_capture){
		.arguments = 1, .results = 1, .flags = SPOOR_CAPTURE_READS_VECTORS | SPOOR_CAPTURE_READS_X87,
		.steps = { { 0, SPOOR_VALUE_BITS, 64 }, { 1, SPOOR_VALUE_BITS, 64 } },
	};
	spoor_captures[2] = (struct spoor_capture){
		.arguments = 1, .results = 1, .flags = SPOOR_CAPTURE_NUMBERS_ARGUMENTS | SPOOR_CAPTURE_NUMBERS_RESULT,
		.steps = { { 0, SPOOR_VALUE_BITS, 32 }, { 0, SPOOR_VALUE_BITS, 32 } },
	};
	spoor_captures[3] = (struct spoor_capture){
		.arguments = 1, .results = 1, .flags = SPOOR_CAPTURE_NUMBERS_ARGUMENTS | SPOOR_CAPTURE_NUMBERS_RESULT,
		.steps = { { 0, SPOOR_VALUE_INTEGER, 64 }, { 0, SPOOR_VALUE_INTEGER, 64 } },
	};
	spoor_captures[4] = spoor_captures[1];
	spoor_captures[4].steps[0].place = SPOOR_PLACE_STACK;
	spoor_captures[5] = (struct spoor_capture){
		.arguments = 7, .results = 1, .flags = SPOOR_CAPTURE_NUMBERS_ARGUMENTS | SPOOR_CAPTURE_NUMBERS_RESULT,
		.steps = { { 0, SPOOR_VALUE_BITS, 32 }, { 1, SPOOR_VALUE_BITS, 64 }, { 2, SPOOR_VALUE_BITS, 64 },
			   { 3, SPOOR_VALUE_BITS, 64 }, { 4, SPOOR_VALUE_BITS, 64 }, { 5, SPOOR_VALUE_BITS, 64 },
			   { 0, SPOOR_VALUE_BITS, 32 }, { 0, SPOOR_VALUE_BITS, 32 } },
	};
	spoor_captures[6] = spoor_captures[2];
	spoor_captures[6].steps[0].place = 1;
	for (uint32_t i = 2; i <= 6; i++)
		if (i != 4)
			spoor_quick_fill(&spoor_captures[i]);
	for (uint32_t i = 0; i < BOX_EVENTS_MAX; i += 1u << SPOOR_ACTION_CHUNK_SHIFT)
		spoor_actions[i >> SPOOR_ACTION_CHUNK_SHIFT] = &actions[i];
}

void box_action_set(uint32_t index, uint32_t kind)
{
	uint32_t number = kind & BOX_CAPTURED ? kind & (BOX_STUB | BOX_LIBRARY) ? 4 : 1 :
			  kind & BOX_INT ? 2 : kind & BOX_LONG ? 3 : kind & BOX_HALVES ? 5 :
			  kind & BOX_SECOND ? 6 : 0;

	spoor_actions[index >> SPOOR_ACTION_CHUNK_SHIFT][index & ((1u << SPOOR_ACTION_CHUNK_SHIFT) - 1)] =
		(uint16_t)(number ? number | spoor_quick_action(&spoor_captures[number]) : 0);
}

void box_begin(void)
{
	uintptr_t page = (uintptr_t)reach_tail_code & -4096ull;

	if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		box_fail("mprotect: %s", strerror(errno));
	/* In memory if possible: the processes of a fork make many files. */
	strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/spoor-box-XXXXXX" : "/tmp/spoor-box-XXXXXX");
	if (!mkdtemp(folder))
		box_fail("mkdtemp: %s", strerror(errno));
	strcpy(spoor_configuration.trace_path, folder);
	spoor_configuration.pool_events = BOX_SLICES * SPOOR_SLICE_WORDS;
	spoor_configuration.reserved_slice_events = spoor_configuration.dynamic_slice_events = SPOOR_SLICE_WORDS;
	spoor_configuration.packed = spoor_configuration.flush_all_events = true;
	spoor_processor_begin();
	make_captures();
	box_runtime_begin();
	if (spoor_threads_begin(&spoor_thread_life) < 0 || spoor_trace_begin() < 0)
		box_fail("the box cannot be made");
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

void box_remove_child(pid_t child)
{
	char path[sizeof(folder) + 16];

	snprintf(path, sizeof(path), "%s/%d", folder, (int)child);
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void box_end(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void box_forget_thread(void)
{
	if (spoor_thread != &spoor_detached_thread)
		memset(spoor_thread, 0, sizeof(*spoor_thread));
	spoor_thread = &spoor_detached_thread;
	spoor_detached_thread.cursor = 0;
}

void box_drain_run(void)
{
	spoor_drain_run(box_drain, 0);
	has_drained = true;
}

/* Makes a new drainer, without the slices that the last case postponed. */
static void renew_drainer(void)
{
	spoor_drain_end(box_drain);
	if (ftruncate(box_events_fd, 0) < 0)
		box_fail("ftruncate: %s", strerror(errno));
	if (spoor_drain_begin(&box_drain, &(struct spoor_drain_options){ .pool = spoor_pool, .fd = box_events_fd }) < 0)
		box_fail("the drainer cannot begin");
	has_drained = false;
}

void box_reset(void)
{
	for (uint32_t i = 0; i < spoor_pool->slice_count; i++) {
		if (box_slice_is_free(i) && !spoor_pool_info(spoor_pool, i)->counter)
			continue;
		if (spoor_pool->warm[i / 64] >> (i % 64) & 1)
			memset(box_slice_words(i), 0, SPOOR_SLICE_BYTES);
		else
			memset((char *)box_slice_words(i) + SPOOR_SLICE_BYTES - SPOOR_FIRST_SLICE_BYTES, 0,
			       SPOOR_FIRST_SLICE_BYTES);
		memset(spoor_pool_info(spoor_pool, i), 0, sizeof(struct spoor_slice_info));
		spoor_pool->free[i / 64] |= 1ull << (i % 64);
	}
	spoor_pool->freed++;
	memset(spoor_pool->full, 0, sizeof(spoor_pool->full));
	memset(spoor_pool->warm, 0, sizeof(spoor_pool->warm));	/* the same state for each test */
	memset(spoor_pool_memory(spoor_pool)->small, 0, sizeof(spoor_pool_memory(spoor_pool)->small));
	spoor_pool_memory(spoor_pool)->pages = 0;
	spoor_pool->low_water = spoor_pool_limits.low_water;
	memset(spoor_pool->lost, 0, sizeof(spoor_pool->lost));
	spoor_pool->full_count = 0;
	/* The drainer's last look at the clocks was long ago. */
	spoor_pool->latest.counter = 0;
	box_forget_thread();
	if (has_drained)
		renew_drainer();
	logged_count = groups = group = 0;
}

void box_leave_room(uint32_t words)
{
	const uint64_t nothing = SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 0, SPOOR_EXTENDED_NOP);
	uint64_t room = (SPOOR_SLICE_BYTES - (spoor_thread->cursor & (SPOOR_SLICE_BYTES - 1))) / 8, *slot;

	if (!(spoor_thread->cursor & SPOOR_SLICE_BIT) || room <= words)
		return;
	slot = (uint64_t *)spoor_cursor_add(&spoor_thread->cursor, (room - words) * 8);
	while (room-- > words)
		*slot++ = nothing;
}

void box_group_begin(void)
{
	group = ++groups;
}

void box_group_end(void)
{
	group = 0;
}

/* Logs an entry, and its frame as a separate event. @mixed: one of BOX_MIXED_KINDS, or 0 */
static void log_framed(struct logged *entry, uint64_t flags, uint32_t mixed)
{
	struct logged *frame = entry + 1;

	framed = logged_count++;
	*frame = *entry;
	frame->code = SPOOR_EVENT_CODE(SPOOR_EVENT_FRAME, framed);
	entry->code = SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, framed - 1);
	if (mixed)
		reach_framed_through(entry->code, flags, spoor_mixed_framed);
	else
		reach_framed(entry->code, flags);
	frame->after = turned_counter;
	frame->end = logged_count;
}

uint32_t box_event_begin(enum spoor_event_kind kind, bool late)
{
	uint32_t index = logged_count++;

	if (index + 1 >= BOX_EVENTS_MAX)
		box_fail("too many events for the box");
	logged[index] = (struct logged){
		.code = SPOOR_EVENT_CODE(kind, index), .group = group, .end = UINT32_MAX, .before = turned_counter, .late = late,
	};
	return index;
}

void box_event_end(uint32_t index)
{
	struct logged *event = &logged[index];

	if (event->end != UINT32_MAX)
		return;
	event->after = turned_counter;
	event->end = logged_count;
}

void box_event_drop(uint32_t index)
{
	logged[index].code = UINT32_MAX;
	logged[index].abandoned = true;
}

uint32_t box_log(uint32_t kind, uint64_t flags)
{
	uint32_t index, mixed = kind & BOX_MIXED_KINDS, stub = kind & BOX_STUB;
	struct logged *event;

	if (kind & BOX_LIBRARY)
		return box_library_log(kind - BOX_LIBRARY - mixed, mixed, flags);
	index = logged_count++;
	event = &logged[index];
	if (index + 1 >= BOX_EVENTS_MAX)
		box_fail("too many events for the box");
	kind -= mixed + stub;
	if (mixed)
		box_action_set(index, mixed | stub);
	*event = (struct logged){
		.code = kind == BOX_SWITCH_GOES_ON ? SPOOR_EVENT_CODE(SPOOR_EVENT_SWITCH, index | SPOOR_SWITCH_GOES_ON) :
						     SPOOR_EVENT_CODE(kind, index),
		.group = group, .end = UINT32_MAX, .before = turned_counter,
	};
	if (kind == SPOOR_EVENT_FRAME)
		log_framed(event, flags, mixed);
	else if (kind == SPOOR_EVENT_UNWIND)
		reach_unwind(event->code, flags);
	else if (kind == SPOOR_EVENT_SWITCH || kind == BOX_SWITCH_GOES_ON)
		reach_switch(event->code, flags);
	else if (kind == BOX_TRACEPOINT)
		reach_tracepoint(event->code, flags);
	else if (stub)
		reach_as_stub(event->code, flags, spoor_mixed_library_entry);
	else if (mixed)
		reach_through(event->code, flags, kind == SPOOR_EVENT_ENTRY ? spoor_mixed_entry : spoor_mixed_exit);
	else if (kind == SPOOR_EVENT_ENTRY)
		reach_entry(event->code, flags);
	else if (kind == SPOOR_EVENT_EXIT)
		reach_exit(event->code, flags);
	else
		reach_tail(event->code, flags);
	event->after = turned_counter;
	event->end = logged_count;
	return index;
}

void box_log_pair(void)
{
	box_log(SPOOR_EVENT_ENTRY, 0);
	box_log(SPOOR_EVENT_EXIT, 0);
}

void box_abandon_open(void)
{
	for (uint32_t i = 0; i < logged_count; i++) {
		if (logged[i].end != UINT32_MAX)
			continue;
		logged[i].abandoned = true;
		logged[i].after = logged[i].late ? UINT64_MAX : turned_counter;
		logged[i].end = logged[i].late ? UINT32_MAX - 1 : logged_count;
	}
	group = 0;
}

void box_forked(void)
{
	/* An interrupted event belongs to the old or the new group. */
	for (uint32_t i = 0; i < logged_count; i++)
		logged[i].abandoned = true;
}

static void event_found(uint32_t code, uint64_t time, uint32_t position)
{
	uint32_t index = code & SPOOR_INDEX_MAX;

	if (code >> SPOOR_INDEX_BITS == SPOOR_EVENT_SWITCH)
		index &= ~SPOOR_SWITCH_GOES_ON;
	if (code == SPOOR_EVENT_CODE(SPOOR_EVENT_FRAME, SPOOR_FRAME_BITS(reach_frame))) {
		index = framed;
		code = SPOOR_EVENT_CODE(SPOOR_EVENT_FRAME, index);
	}
	if (index >= logged_count || logged[index].code != code)
		box_fail("the trace holds an event that was not logged: code 0x%x", code);
	if (logged[index].position != NOWHERE)
		box_fail("event %u is in the trace twice", index);
	logged[index].position = position;
	logged[index].time = time;
}

/* Each event must come before all events that began after it ended. */
static void verify_order(void)
{
	static uint32_t least[BOX_EVENTS_MAX + 1];

	least[logged_count] = NOWHERE;
	for (uint32_t i = logged_count; i-- > 0;)
		least[i] = logged[i].position < least[i + 1] ? logged[i].position : least[i + 1];
	for (uint32_t i = 0; i < logged_count; i++) {
		const struct logged *event = &logged[i];

		if (event->position == NOWHERE)
			continue;
		if (event->end <= logged_count && least[event->end] < event->position)
			box_fail("event %u is after one that began later", i);
		if (event->group && i && logged[i - 1].group == event->group &&
		    logged[i - 1].position != NOWHERE && logged[i - 1].position + 1 != event->position)
			box_fail("event %u does not directly follow the event before it in the same handler", i);
		if (event->time < event->before || event->time > event->after)
			box_fail("event %u (kind %u, position %u, of %u): dated %lld before its begin and %lld "
				 "after its end", i, event->code >> SPOOR_INDEX_BITS, event->position,
				 logged_count, (long long)(event->before - event->time),
				 (long long)(event->time - event->after));
	}
}

static void collect(uint32_t *holes)
{
	for (uint32_t i = 0; i < logged_count; i++)
		logged[i].position = NOWHERE;
	*holes = box_slices_read(event_found);
}

void box_verify_loss(uint32_t lost, enum spoor_loss_cause cause, uint32_t holes_allowed)
{
	uint32_t holes, missing = 0;

	turned_counter_end();
	collect(&holes);
	if (holes > holes_allowed)
		box_fail("%u empty words", holes);
	for (uint32_t i = 0; i < logged_count; i++)
		missing += logged[i].position == NOWHERE && !logged[i].abandoned;
	if (missing > lost || missing != spoor_pool->lost[cause])
		box_fail("%u of %u events are missing, %lu are counted as lost, %u were expected", missing,
			 logged_count, (unsigned long)spoor_pool->lost[cause], lost);
	box_slices_check_thread();
	verify_order();
}

void box_verify_left(void)
{
	uint64_t now = turned_counter;
	uint32_t holes;

	collect(&holes);
	if (holes > RECORD_WORDS_MAX)
		box_fail("%u empty words are left", holes);
	for (uint32_t i = 0; i < logged_count; i++) {
		struct logged *event = &logged[i];

		if (event->position == NOWHERE && event->end != UINT32_MAX)
			box_fail("event %u of %u is not left", i, logged_count);
		if (event->end == UINT32_MAX)
			event->after = now;
	}
	verify_order();
}

uint32_t box_stored(void)
{
	uint32_t holes, stored = 0;

	collect(&holes);
	for (uint32_t i = 0; i < logged_count; i++)
		stored += logged[i].position != NOWHERE;
	return stored;
}
