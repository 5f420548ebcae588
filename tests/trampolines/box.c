/* SPDX-License-Identifier: MIT */
/* box.c - logs events through trampolines and says where each of them ended. */
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

#include "handler_library.h"
#include "objects_used.h"
#include "packing.h"
#include "pool.h"
#include "runtime.h"
#include "service.h"
#include "system.h"
#include "thread.h"
#include "trace.h"
#include "turned_counter.h"

void reach_entry(uint32_t code, uint64_t flags);
void reach_exit(uint32_t code, uint64_t flags);
void reach_tail(uint32_t code, uint64_t flags);
void reach_framed(uint32_t code, uint64_t flags);
void reach_unwind(uint32_t code, uint64_t flags);
extern char reach_tail_code[];
extern uint64_t reach_frame;	/* reach_framed's, the last time */

#define NOWHERE UINT32_MAX

static struct logged {
	uint32_t code;
	uint32_t group;		/* 0: none */
	uint32_t end;		/* how many events had begun when this one was logged */
	uint64_t before, after;
	bool abandoned;
	/* Found by box_verify. */
	uint32_t position;
	uint64_t time;
} logged[BOX_EVENTS_MAX];
static uint32_t logged_count;
static uint32_t framed;		/* the last frame's */
static uint32_t groups, group;

struct slice {
	struct spoor_slice_info info;
	uint32_t words;
	uint64_t *word;
};
static struct slice slices[1024];
static uint32_t slice_count;

struct spoor_drain box_drain;
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

/* What the runtime has beside the event path, in so far as that asks for it. */

struct spoor_configuration spoor_configuration;
uint64_t spoor_function_ids[(SPOOR_INDEX_MAX >> SPOOR_ID_CHUNK_SHIFT) + 1];
void (*spoor_any_handler)(uint64_t function_id, int event), (*spoor_bare_handler)(uint64_t function_id, int event);

void spoor_registry_lock(void)
{
}

void spoor_registry_unlock(void)
{
}

uint32_t spoor_registry_count(void)
{
	return 1;
}

/* A module for its counters. */
struct spoor_instance *spoor_registry_at(uint32_t position)
{
	static struct spoor_dso dso;
	static uint64_t patched[BOX_COUNTED / 64];
	static struct spoor_instance instance = { .count = BOX_COUNTED, .dso = &dso, .patched = patched };

	(void)position;
	return &instance;
}

bool spoor_registry_logs(void)
{
	return true;
}

void spoor_registry_set_trampolines(const void *entry, const void *exit, const void *tail)
{
	(void)entry;
	(void)exit;
	(void)tail;
}

bool spoor_registry_is_held(void)
{
	return false;
}

bool spoor_registry_is_on(void)
{
	return true;
}

uint64_t spoor_registry_patched(void)
{
	return 0;
}

bool spoor_handler_library_is_used(void)
{
	return false;
}

bool spoor_objects_are_used(void)
{
	return false;
}

void spoor_runtime_log(bool on)
{
	(void)on;
}

long spoor_registry_switch(bool on)
{
	(void)on;
	return 0;
}

int spoor_service_begin(struct spoor_pool *pool, struct spoor_trace_file *events)
{
	return spoor_drain_begin(&box_drain, pool, events->fd);
}

void spoor_service_drain(void)
{
}

void spoor_service_main_ended(void)
{
}

void spoor_service_forget(void)
{
	memset(&box_drain, 0, sizeof(box_drain));
}

void box_begin(void)
{
	uintptr_t page = (uintptr_t)reach_tail_code & -4096ull;

	if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		box_fail("mprotect: %s", strerror(errno));
	strcpy(folder, "/tmp/spoor-box-XXXXXX");
	if (!mkdtemp(folder))
		box_fail("mkdtemp: %s", strerror(errno));
	strcpy(spoor_configuration.trace_path, folder);
	spoor_configuration.pool_events = BOX_SLICES * SPOOR_SLICE_WORDS;
	spoor_configuration.reserved_slice_events = spoor_configuration.dynamic_slice_events = SPOOR_SLICE_WORDS;
	spoor_configuration.packed = spoor_configuration.flush_all_events = true;
	if (spoor_threads_begin() < 0 || spoor_trace_begin() < 0)
		box_fail("the box cannot be made");
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

void box_end(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static uint64_t *words_of(uint32_t slice)
{
	return (uint64_t *)((char *)spoor_pool + spoor_pool_slice_offset(slice));
}

static bool is_free(uint32_t slice)
{
	return spoor_pool->free[slice / 64] >> (slice % 64) & 1;
}

void box_forget_thread(void)
{
	if (spoor_thread != &spoor_nobody)
		memset(spoor_thread, 0, sizeof(*spoor_thread));
	spoor_thread = &spoor_nobody;
	spoor_nobody.cursor = 0;
}

void box_reset(void)
{
	for (uint32_t i = 0; i < spoor_pool->slice_count; i++) {
		if (is_free(i) && !spoor_pool_info(spoor_pool, i)->counter)
			continue;
		if (spoor_pool->warm[i / 64] >> (i % 64) & 1)
			memset(words_of(i), 0, SPOOR_SLICE_BYTES);
		else
			memset((char *)words_of(i) + SPOOR_SLICE_BYTES - SPOOR_FIRST_SLICE_BYTES, 0,
			       SPOOR_FIRST_SLICE_BYTES);
		memset(spoor_pool_info(spoor_pool, i), 0, sizeof(struct spoor_slice_info));
		spoor_pool->free[i / 64] |= 1ull << (i % 64);
	}
	memset(spoor_pool->full, 0, sizeof(spoor_pool->full));
	memset(spoor_pool->warm, 0, sizeof(spoor_pool->warm));	/* the same way every time */
	memset(spoor_pool->lost, 0, sizeof(spoor_pool->lost));
	spoor_pool->full_count = 0;
	box_forget_thread();
	box_drain.file_bytes = 0;
	/* What one case postponed is not the next one's. */
	memset(box_drain.ages, 0, SPOOR_POOL_SLICE_COUNT_MAX);
	if (ftruncate(box_drain.fd, 0) < 0)
		box_fail("ftruncate: %s", strerror(errno));
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

/* The entry, and its frame as an event of its own. */
static void log_framed(struct logged *entry, uint64_t flags)
{
	struct logged *frame = entry + 1;

	framed = logged_count++;
	*frame = *entry;
	frame->code = SPOOR_EVENT_CODE(SPOOR_EVENT_FRAME, framed);
	entry->code = SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, framed - 1);
	reach_framed(entry->code, flags);
	frame->after = turned_counter;
	frame->end = logged_count;
}

uint32_t box_log(enum spoor_event_kind kind, uint64_t flags)
{
	uint32_t index = logged_count++;
	struct logged *event = &logged[index];

	if (index + 1 >= BOX_EVENTS_MAX)
		box_fail("too many events for the box");
	*event = (struct logged){
		.code = SPOOR_EVENT_CODE(kind, index), .group = group, .end = UINT32_MAX, .before = turned_counter,
	};
	if (kind == SPOOR_EVENT_FRAME)
		log_framed(event, flags);
	else if (kind == SPOOR_EVENT_UNWIND)
		reach_unwind(event->code, flags);
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
		logged[i].after = turned_counter;
		logged[i].end = logged_count;
	}
	group = 0;
}

void box_forked(void)
{
	/* An interrupted event is the one's or the other's. */
	for (uint32_t i = 0; i < logged_count; i++)
		logged[i].abandoned = true;
}

static struct slice *slice_add(const struct spoor_slice_info *info, uint32_t words)
{
	struct slice *slice = &slices[slice_count++];

	if (slice_count > sizeof(slices) / sizeof(*slices))
		box_fail("too many slices for the box");
	slice->info = *info;
	slice->words = words;
	slice->word = malloc((words + 1) * 8);
	if (!slice->word)
		box_fail("no memory");
	return slice;
}

static void collect_pool(void)
{
	for (uint32_t i = 0; i < spoor_pool->slice_count; i++) {
		const struct spoor_slice_info *info = spoor_pool_info(spoor_pool, i);
		const uint64_t *words = words_of(i) + info->offset / 8;
		uint32_t count = info->words;

		if (is_free(i)) {
			for (uint32_t j = info->offset / 8; info->counter && j < SPOOR_SLICE_WORDS; j++) {
				if (words_of(i)[j])
					box_fail("slice %u is free and not empty", i);
			}
			continue;
		}
		if (!info->counter)
			continue;
		if (!count) {
			count = (SPOOR_SLICE_BYTES - info->offset) / 8;
			while (count && !words[count - 1])
				count--;
			if (!count)
				continue;	/* pool_format.h */
		}
		memcpy(slice_add(info, count)->word, words, count * 8);
	}
}

/* What was drained so far. */
static void collect_file(void)
{
	static uint8_t block[1 << 20];
	uint64_t at = 0;

	while (at < box_drain.file_bytes) {
		struct spoor_block head;
		struct spoor_slice_info info;
		size_t size = sizeof(head);
		struct slice *slice;

		if (pread(box_drain.fd, &head, size, (off_t)at) != (ssize_t)size)
			box_fail("the events file is torn");
		size = sizeof(head.header) + head.header.payload_bytes;
		if (size > sizeof(block) || pread(box_drain.fd, block, size, (off_t)at) != (ssize_t)size)
			box_fail("the events file is torn");
		at += size;
		if (head.extension.kind != SPOOR_BLOCK_EVENTS)
			continue;
		memcpy(&info, block + sizeof(head), sizeof(info));
		slice = slice_add(&info, (uint32_t)head.header.event_count);
		if (spoor_unpack(block + sizeof(head) + sizeof(info), size - sizeof(head) - sizeof(info),
				 (uint32_t)info.counter, slice->word, slice->words) < 0)
			box_fail("a block cannot be unpacked");
	}
}

static int compare_slices(const void *left, const void *right)
{
	const struct spoor_slice_info *a = &((const struct slice *)left)->info;
	const struct spoor_slice_info *b = &((const struct slice *)right)->info;

	if (a->thread_serial != b->thread_serial)
		return a->thread_serial < b->thread_serial ? -1 : 1;
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static void event_found(uint32_t code, uint64_t time, uint32_t position)
{
	uint32_t index = code & SPOOR_INDEX_MAX;

	if (code == SPOOR_EVENT_CODE(SPOOR_EVENT_FRAME, SPOOR_FRAME_BITS(reach_frame))) {
		index = framed;
		code = SPOOR_EVENT_CODE(SPOOR_EVENT_FRAME, index);
	}
	if (index >= logged_count || logged[index].code != code)
		box_fail("the trace holds an event that nobody logged: code 0x%x", code);
	if (logged[index].position != NOWHERE)
		box_fail("event %u is in the trace twice", index);
	logged[index].position = position;
	logged[index].time = time;
}

/* Return: how many empty words. */
static uint32_t decode(void)
{
	uint32_t position = 0, holes = 0, serial = 0;
	uint64_t time = 0, sequence = 0;

	for (uint32_t i = 0; i < slice_count; i++) {
		const struct slice *slice = &slices[i];

		if (slice->info.thread_serial != serial)
			sequence = 0;
		serial = slice->info.thread_serial;
		if (slice->info.sequence != sequence++)
			box_fail("slice %lu stands where slice %lu should", (unsigned long)slice->info.sequence,
				 (unsigned long)sequence - 1);
		if (slice->info.counter > time)
			time = slice->info.counter;
		for (uint32_t j = 0; j < slice->words; j++) {
			uint64_t word = slice->word[j];
			uint32_t kind = (uint32_t)(word >> 61), length;

			if (kind == 0) {
				holes++;
				continue;
			}
			if (kind != SPOOR_EVENT_EXTENDED) {
				int32_t difference = (int32_t)((uint32_t)word - (uint32_t)time);

				time += difference > 0 ? (uint32_t)difference : 0;
				event_found((uint32_t)(word >> 32), time, position++);
				continue;
			}
			length = (uint32_t)(word >> 32) & SPOOR_INDEX_MAX;
			if ((uint32_t)word == SPOOR_EXTENDED_TIMED_EVENT && length == 2 && j + 2 < slice->words) {
				if (slice->word[j + 1] > time)
					time = slice->word[j + 1];
				event_found((uint32_t)slice->word[j + 2], time, position++);
			} else if ((uint32_t)word != SPOOR_EXTENDED_NOP || length) {
				box_fail("a record of type %u and %u words", (uint32_t)word, length);
			}
			j += length;
		}
	}
	return holes;
}

/* All that began after an event had ended stands behind it. */
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
			box_fail("event %u stands behind one that began later", i);
		if (event->group && i && logged[i - 1].group == event->group &&
		    logged[i - 1].position != NOWHERE && logged[i - 1].position + 1 != event->position)
			box_fail("event %u does not stand right behind the one before, of the same handler", i);
		if (event->time < event->before || event->time > event->after)
			box_fail("event %u (kind %u, position %u, of %u): dated %lld before its begin and %lld "
				 "after its end", i, event->code >> SPOOR_INDEX_BITS, event->position,
				 logged_count, (long long)(event->before - event->time),
				 (long long)(event->time - event->after));
	}
}

static void collect(uint32_t *holes)
{
	slice_count = 0;
	collect_file();
	collect_pool();
	qsort(slices, slice_count, sizeof(*slices), compare_slices);
	for (uint32_t i = 0; i < logged_count; i++)
		logged[i].position = NOWHERE;
	*holes = decode();
	for (uint32_t i = 0; i < slice_count; i++)
		free(slices[i].word);
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
	for (uint32_t i = 1; i < slice_count; i++) {
		if (slices[i].info.thread_serial != slices[0].info.thread_serial)
			box_fail("one thread has two numbers, %u and %u", slices[0].info.thread_serial,
				 slices[i].info.thread_serial);
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
