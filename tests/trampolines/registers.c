/* SPDX-License-Identifier: MIT */
/*
 * registers.c - runs through each kind of sled, on each path that an event can take, with
 * random contents in every register, and prints which registers changed.
 *
 * Linked with the runtime's own object files, so that the test can set the thread's state
 * to make the next event take the slow path. The argument is a trace path.
 */
#define _GNU_SOURCE
#include "registers.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/argument_places.h"
#include "capture/quick_captures.h"
#include "event/result_addresses.h"
#include "clobber.h"
#include "event/count_lanes.h"
#include "mode/counts.h"
#include "event/event_path.h"
#include "module/registry.h"
#include "spoor.h"
#include "base/system.h"

bool single_steps;
unsigned long steps;
static unsigned long failures, runs;

uint64_t random_word(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull;
}

void random_bytes(void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
		uint64_t word = random_word();

		memcpy((uint8_t *)bytes + i, &word, size - i < sizeof(word) ? size - i : sizeof(word));
	}
}

void failed(const char *way, const struct sled *sled, const char *what, uint64_t before, uint64_t after)
{
	if (failures++ < 20)
		fprintf(stderr, "%s, %s: %s was 0x%llx and is 0x%llx\n", sled->name, way, what,
			(unsigned long long)before, (unsigned long long)after);
}

static void run(const char *way, const struct sled *sled, const struct kept *kept)
{
	registers_try(way, sled, kept);
	if (spoor_in_handler)
		failed(way, sled, "the guard of handlers", 0, 1);
	runs++;
}

/* Returns the number of words that are free in the thread's slice. */

static uint64_t room(void)
{
	return (SPOOR_SLICE_BYTES - (spoor_thread->cursor & (SPOOR_SLICE_BYTES - 1))) / 8;
}

static void put_nowhere(void)
{
	if (room() < 100)
		spoor_thread->cursor += room() * 8;
}

/* Stores as a trampoline does; the thread sanitizer does not see those stores either. */
__attribute__((no_sanitize("thread"))) static void put_at_end(void)
{
	const uint64_t nothing = SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 0, SPOOR_EXTENDED_NOP);
	uint64_t count = room(), *words = (uint64_t *)spoor_thread->cursor;

	if (!(spoor_thread->cursor & SPOOR_SLICE_BIT))
		return;
	for (uint64_t i = 0; i < count; i++)
		words[i] = nothing;
	spoor_cursor_add(&spoor_thread->cursor, count * 8);
}

static void put_late(void)
{
	spoor_thread->quarter--;
}

static void put_late_at_end(void)
{
	put_at_end();
	put_late();
}

static void log_many(const char *way, void (*put)(void), int count)
{
	for (int i = 0; i < sled_count; i++) {
		for (int j = 0; j < count; j++) {
			uint64_t cursor, lost;

			put();
			cursor = spoor_thread->cursor;
			lost = spoor_thread->lost;
			run(way, &sleds[i], &kept_by_logging);
			if (spoor_thread->lost > lost) {
				/* There was no free slice. Wait for the drainer, then try again. */
				usleep(1000);
				j--;
			} else if (spoor_thread->cursor == cursor) {
				failed(way, &sleds[i], "the cursor", cursor, cursor);
			}
		}
	}
}

static void *first_event(void *sled)
{
	run("in a new thread", sled, &kept_by_logging);
	/* Exits are not counted, so they need no thread. */
	if (!spoor_thread->process_id && strcmp(spoor_mode_get(), "count") != 0)
		failed("in a new thread", sled, "the thread", 0, 0);
	return NULL;
}

static void log_first(int count)
{
	for (int i = 0; i < sled_count; i++) {
		for (int j = 0; j < count; j++) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, first_event, (void *)(uintptr_t)&sleds[i]) ||
			    pthread_join(thread, NULL))
				abort();
		}
	}
}

static void handle_many(const char *way, const struct kept *kept, int count)
{
	for (int i = 0; i < sled_count; i++) {
		uint64_t handled = clobber_calls;

		for (int j = 0; j < count; j++)
			run(way, &sleds[i], kept);
		if (single_steps ? clobber_calls < handled + (uint64_t)count : clobber_calls != handled + (uint64_t)count)
			failed(way, &sleds[i], "the handler's calls", handled + (uint64_t)count, clobber_calls);
	}
}

static void handle_with(spoor_handler *handler, const struct spoor_trampolines *set, const char *way,
		       const struct kept *kept, int count)
{
	spoor_set_handler(handler, 0);
	if (set)
		spoor_registry_set_trampolines(set->entry, set->exit, set->tail);
	handle_many(way, kept, count);
}

/* Counted calls are not logged, so cursor and pool must not change. */
static void count_many(const char *way, bool shares, int count)
{
	for (int i = 0; i < sled_count; i++) {
		for (int j = 0; j < count; j++) {
			if (shares) {
				spoor_count_lane_leave(spoor_thread);
				spoor_thread->shares_counts = 1;
			}
			run(way, &sleds[i], &kept_by_logging);
		}
	}
	spoor_thread->shares_counts = 0;
}

static void count_all(int count, int first_count)
{
	if (spoor_mode_set("count") < 0)
		abort();
	log_first(first_count);
	registers_entry();
	if (!spoor_thread->counts)
		abort();
	count_many("in a lane of counters", false, count);
	count_many("in the shared lane of counters", true, count);
	if (spoor_mode_set("log") < 0)
		abort();
}

#define NUMBERS (SPOOR_CAPTURE_NUMBERS_ARGUMENTS | SPOOR_CAPTURE_NUMBERS_RESULT)

static const struct {
	const char *way;
	struct spoor_capture capture;
} captures[] = {
	{ "with values of an unknown kind", { .arguments = 1, .results = 1, .flags = SPOOR_CAPTURE_READS_VECTORS,
		.steps = { { SPOOR_PLACE_VECTORS, SPOOR_VALUE_BITS, 64 }, { 1, SPOOR_VALUE_BITS, 64 } } } },
	{ "with a number of 32 bits", { .arguments = 1, .results = 1, .flags = NUMBERS,
		.steps = { { 0, SPOOR_VALUE_BITS, 32 }, { 0, SPOOR_VALUE_BITS, 32 } } } },
	{ "with a number of 32 bits in another register", { .arguments = 1, .results = 1, .flags = NUMBERS,
		.steps = { { 3, SPOOR_VALUE_BITS, 32 }, { 1, SPOOR_VALUE_BITS, 32 } } } },
	{ "with a number of 64 bits", { .arguments = 1, .results = 1, .flags = NUMBERS,
		.steps = { { 5, SPOOR_VALUE_INTEGER, 64 }, { 0, SPOOR_VALUE_INTEGER, 64 } } } },
	{ "with three halves", { .arguments = 2, .results = 1, .flags = NUMBERS,
		.steps = { { 4, SPOOR_VALUE_BITS, 64 }, { 0, SPOOR_VALUE_BITS, 32 }, { 0, SPOOR_VALUE_BITS, 32 } } } },
	{ "with twelve halves", { .arguments = 6, .results = 1, .flags = NUMBERS,
		.steps = { { 0, SPOOR_VALUE_BITS, 64 }, { 1, SPOOR_VALUE_BITS, 64 }, { 2, SPOOR_VALUE_BITS, 64 },
			   { 3, SPOOR_VALUE_BITS, 64 }, { 4, SPOOR_VALUE_BITS, 64 }, { 5, SPOOR_VALUE_BITS, 64 },
			   { 0, SPOOR_VALUE_BITS, 32 } } } },
	/* On AArch64 only; it has to be the last one. */
	{ "with a result in memory", { .results = 1, .flags = SPOOR_CAPTURE_NOTES_RESULT,
		.steps = { { SPOOR_PLACE_X8, SPOOR_VALUE_ADDRESS, 64 } } } },
};

/* All functions have the same capture. */
static void capture_all(int count)
{
	static uint16_t actions[1 << SPOOR_ACTION_CHUNK_SHIFT];
	uint32_t ways = sizeof(captures) / sizeof(captures[0]) - !spoor_place_is_noted(SPOOR_PLACE_X8);

	spoor_result_addresses_prepare();
	spoor_actions[0] = actions;
	spoor_registry_set_trampolines(spoor_mixed_entry, spoor_mixed_exit, spoor_log_tail);
	for (uint32_t i = 0; i < ways; i++) {
		struct spoor_capture *capture = &spoor_captures[1 + i];

		*capture = captures[i].capture;
		spoor_quick_fill(capture);
		for (uint32_t index = 0; index < sizeof(actions) / sizeof(actions[0]); index++)
			actions[index] = (uint16_t)((1 + i) | spoor_quick_action(capture));
		log_many(captures[i].way, put_nowhere, count);
		log_many(captures[i].way, put_at_end, count);
		log_many(captures[i].way, put_late, count);
		log_many(captures[i].way, put_late_at_end, count);
	}
	spoor_registry_set_trampolines(spoor_log_entry, spoor_log_exit, spoor_log_tail);
}

/* Runs on all paths of an event. @first_count: number of new threads */
static void run_all(int count, int first_count)
{
	spoor_set_handler(NULL, 0);
	log_first(first_count);
	registers_entry();
	log_many("within a slice", put_nowhere, count);
	log_many("at a slice's end", put_at_end, count);
	log_many("after a quarter of the counter", put_late, count);
	log_many("at a slice's end after a quarter", put_late_at_end, count);
	capture_all(count);

	count_all(count, first_count);
	spoor_set_handler(clobber_general, SPOOR_HANDLER_GENERAL_REGISTERS_ONLY);
	handle_many("with a handler without vector registers", &kept_by_bare, count);
	spoor_set_handler(clobber_nothing, SPOOR_HANDLER_SAVES_REGISTERS);
	handle_many("with a handler that saves registers", &kept_by_bare, count);
	registers_handle(handle_with, count);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 300;
	struct sigaction action = { .sa_sigaction = registers_trapped, .sa_flags = SA_SIGINFO };

	if (!spoor_is_enabled()) {
		fprintf(stderr, "no sled is patched\n");
		return 1;
	}
	run_all(count, count / 10 + 1);
	if (registers_trapped) {
		sigaction(SIGTRAP, &action, NULL);
		single_steps = true;
		run_all(count / 300 + 1, 1);
		single_steps = false;
	}

	spoor_disable();
	spoor_set_handler(NULL, 0);
	for (int i = 0; i < sled_count; i++)
		run("dormant", &sleds[i], &kept_by_dormant);
	printf("%lu runs, %lu instructions stepped, %lu registers changed\n", runs, steps, failures);
	return failures || (registers_trapped && steps < 1000) ? 1 : 0;
}
