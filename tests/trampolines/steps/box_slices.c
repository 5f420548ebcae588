/* SPDX-License-Identifier: MIT */
/* box_slices.c - reads the box's trace with the headers of the formats only, without tools/reader. */
#define _GNU_SOURCE
#include "box_slices.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/packing.h"
#include "box_library.h"
#include "event/capture_path.h"

static struct slice {
	struct spoor_slice_info info;
	uint32_t words;
	uint64_t *word;
} slices[1024];
static uint32_t slice_count;

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
		const uint64_t *words = box_slice_words(i) + info->offset / 8;
		uint32_t count = info->words;

		if (box_slice_is_free(i)) {
			for (uint32_t j = info->offset / 8; info->counter && j < SPOOR_SLICE_WORDS; j++) {
				if (box_slice_words(i)[j])
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
				continue;	/* as pool_format.h allows */
		}
		memcpy(slice_add(info, count)->word, words, count * 8);
	}
}

/* Collects the slices that were drained. */
static void collect_file(void)
{
	static uint8_t block[1 << 20];
	uint64_t at = 0;

	while (at < spoor_drain_totals(box_drain).file_bytes) {
		struct spoor_block head;
		struct spoor_slice_info info;
		size_t size = sizeof(head);
		struct slice *slice;

		if (pread(box_events_fd, &head, size, (off_t)at) != (ssize_t)size)
			box_fail("the events file is torn");
		size = sizeof(head.header) + head.header.payload_bytes;
		if (size > sizeof(block) || pread(box_events_fd, block, size, (off_t)at) != (ssize_t)size)
			box_fail("the events file is torn");
		at += size;
		if (head.extension.kind != SPOOR_BLOCK_EVENTS)
			continue;
		memcpy(&info, block + sizeof(head), sizeof(info));
		slice = slice_add(&info, (uint32_t)head.header.event_count);
		if (spoor_unpack(block + sizeof(head) + sizeof(info), size - sizeof(head) - sizeof(info),
				 (uint32_t)info.counter, slice->word, slice->words, NULL) < 0)
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

#define IS_RESULT (1ull << 63)
#define HALVES_WORDS 7

/* Returns the value of a record of one of box.c's captures, with a mark for a result. */
static uint64_t take_values(const uint64_t *words, uint32_t length)
{
	uint64_t first = words[0] & (SPOOR_USER_MARK - 1), is_result = first >> 14 & 1, number = first & 0x3fff, value;

	if (length == 1 ? number != 2 && number != 3 && number != 6 && !(number == 5 && is_result) :
	    length == 2 ? number != 1 && number != 4 : number != 5 || is_result)
		box_fail("values of another capture");
	/* In the third, a bit before the value says that it is short. */
	if (length == 1)
		value = first >> (number == 3 ? 17 : 16);
	else
		value = first >> 16 | (words[1] & (SPOOR_USER_MARK - 1)) << 44;
	/* The fifth has the value, ten halves, and the value again. */
	if (length == HALVES_WORDS) {
		value &= UINT32_MAX;
		if (value != (words[6] & (SPOOR_USER_MARK - 1)) >> 8)
			box_fail("a value that differs from itself");
	}
	if (value >> 63)
		box_fail("a value that no event has");
	return value | (is_result ? IS_RESULT : 0);
}

/* Checks that the values before an event belong to it. Returns 0: they are used up. */
static uint64_t check_values(uint64_t values, uint32_t code)
{
	if (!values)
		return 0;
	if ((values & ~IS_RESULT) == box_library_value(code))
		return 0;
	if (values & IS_RESULT ? code >> SPOOR_INDEX_BITS != SPOOR_EVENT_EXIT ||
					 ((values & ~IS_RESULT) != (uint64_t)spoor_mixed_exit && (uint32_t)values != code) :
				 values != code)
		box_fail("event 0x%x has the values of another event: 0x%llx", code, (unsigned long long)values);
	return 0;
}

/* Returns the number of empty words. */
static uint32_t decode(void (*found)(uint32_t code, uint64_t time, uint32_t position))
{
	uint32_t position = 0, holes = 0, serial = 0;
	uint64_t time = 0, sequence = 0, values = 0;

	for (uint32_t i = 0; i < slice_count; i++) {
		const struct slice *slice = &slices[i];

		if (slice->info.thread_serial != serial)
			sequence = 0;
		serial = slice->info.thread_serial;
		if (slice->info.sequence != sequence++)
			box_fail("slice %lu is in the place of slice %lu", (unsigned long)slice->info.sequence,
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
				values = check_values(values, (uint32_t)(word >> 32));
				found((uint32_t)(word >> 32), time, position++);
				continue;
			}
			length = (uint32_t)(word >> 32) & SPOOR_INDEX_MAX;
			if ((uint32_t)word == SPOOR_EXTENDED_TIMED_EVENT && length == 2 && j + 2 < slice->words) {
				if (slice->word[j + 1] > time)
					time = slice->word[j + 1];
				values = check_values(values, (uint32_t)slice->word[j + 2]);
				found((uint32_t)slice->word[j + 2], time, position++);
			} else if ((uint32_t)word == SPOOR_EXTENDED_VALUES && (length == 1 || length == 2 || length == HALVES_WORDS) &&
				   j + length + 1 < slice->words && !values) {
				values = take_values(&slice->word[j + 1], length);
			} else if ((uint32_t)word == SPOOR_EXTENDED_TRACEPOINT && length == 5 && j + 5 < slice->words) {
				struct spoor_tracepoint_event hit;

				spoor_tracepoint_unpack(&slice->word[j + 1], length, &hit);
				if (hit.number != 0x123456 || hit.arguments[1] != ~hit.arguments[0])
					box_fail("a tracepoint with other arguments");
				if (hit.counter > time)
					time = hit.counter;
				found((uint32_t)hit.arguments[0], time, position++);
			} else if (((uint32_t)word != SPOOR_EXTENDED_NOP || length) &&
				   ((uint32_t)word != SPOOR_EXTENDED_GAP || length != 1 || !spoor_gaps)) {
				box_fail("a record of type %u and %u words", (uint32_t)word, length);
			}
			j += length;
		}
	}
	return holes;
}

uint32_t box_slices_read(void (*found)(uint32_t code, uint64_t time, uint32_t position))
{
	uint32_t holes;

	slice_count = 0;
	collect_file();
	collect_pool();
	qsort(slices, slice_count, sizeof(*slices), compare_slices);
	holes = decode(found);
	for (uint32_t i = 0; i < slice_count; i++)
		free(slices[i].word);
	return holes;
}

void box_slices_check_thread(void)
{
	for (uint32_t i = 1; i < slice_count; i++) {
		if (slices[i].info.thread_serial != slices[0].info.thread_serial)
			box_fail("one thread has two numbers, %u and %u", slices[0].info.thread_serial,
				 slices[i].info.thread_serial);
	}
}
