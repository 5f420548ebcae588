/* SPDX-License-Identifier: MIT */
/*
 * test_pieces.c - a walk in pieces has the same result as one walk, for any events; and pieces of plain events are
 * walked in parallel.
 */
#include "walk/pieces.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/reading.h"
#include "walk/stacks/stacks.h"
#include "walk/totals.h"

#define FUNCTIONS 12u
#define SLICE_EVENTS 330

static char folder[64];
static atomic_uint pieces_begun, unreliable_calls;

/* How many of 10,000 events are not matching entries and exits. The last three are for each slice. */
struct kind {
	uint32_t frames, unwinds, switches, strays, losses, gaps, roots, users, times, backs;
	uint32_t skips, garbled, lost;
	uint32_t depth;		/* typical depth of calls */
	uint32_t events;
};

static const struct kind kinds[] = {
	{ .depth = 8, .events = 20000 },
	{ .depth = 5000, .events = 40000 },
	{ .frames = 1000, .depth = 12, .events = 20000 },
	{ .frames = 600, .unwinds = 3, .depth = 12, .events = 40000 },
	{ .frames = 50, .unwinds = 5, .depth = 5, .events = 40000 },
	{ .frames = 600, .unwinds = 200, .switches = 200, .depth = 6, .events = 20000 },
	{ .frames = 600, .switches = 2, .depth = 6, .events = 40000 },
	{ .strays = 3, .depth = 8, .events = 20000 },
	{ .strays = 500, .losses = 20, .depth = 8, .events = 20000 },
	{ .losses = 3, .depth = 30, .events = 40000 },
	{ .gaps = 5, .roots = 5, .depth = 8, .events = 20000 },
	{ .backs = 20, .depth = 8, .events = 20000 },
	{ .skips = 1000, .depth = 1, .events = 20000 },
	{ .garbled = 1000, .depth = 1, .events = 20000 },
	{ .lost = 1000, .depth = 4, .events = 20000 },
	{ .frames = 300, .users = 20, .times = 10, .depth = 30, .events = 20000 },
	{ .frames = 300, .unwinds = 10, .switches = 10, .strays = 10, .losses = 10, .gaps = 10, .roots = 10, .users = 10,
	  .times = 10, .backs = 10, .skips = 10, .garbled = 10, .lost = 10, .depth = 30, .events = 20000 },
};

static bool happens(uint32_t of_ten_thousand)
{
	return (uint32_t)(random() % 10000) < of_ten_thousand;
}

static void write_word(struct trace_thread *thread, uint32_t kind, uint32_t value)
{
	trace_thread_word(thread, (uint64_t)(kind << SPOOR_INDEX_BITS | value) << 32 | (uint32_t)thread->writer->counter);
}

/* Writes an event that is no matching entry or exit. */
static void write_other(struct trace_thread *thread, const struct kind *kind)
{
	struct trace_writer *writer = thread->writer;

	if (happens(kind->frames))
		write_word(thread, SPOOR_EVENT_FRAME, (uint32_t)(random() % 10));
	if (happens(kind->unwinds))
		write_word(thread, SPOOR_EVENT_UNWIND, (uint32_t)(random() % 10));
	if (happens(kind->switches))
		write_word(thread, SPOOR_EVENT_SWITCH, (uint32_t)(random() % 10) | (random() % 2 ? SPOOR_SWITCH_GOES_ON : 0));
	if (happens(kind->strays))
		trace_thread_exit(thread, (uint32_t)random() % FUNCTIONS);
	if (happens(kind->losses))
		trace_thread_extended(thread, SPOOR_EXTENDED_LOST, (const uint64_t[]){ 1 + (uint64_t)random() % 9, 1 }, 2);
	if (happens(kind->gaps))
		trace_thread_extended(thread, SPOOR_EXTENDED_GAP, &writer->counter, 1);
	if (happens(kind->times))
		trace_thread_extended(thread, SPOOR_EXTENDED_TIME, &writer->counter, 1);
	if (happens(kind->users))
		trace_thread_user(thread, 77, 1, 2, 0);
	if (happens(kind->roots)) {
		struct spoor_root roots[] = { { .index = 1, .frame = 3 }, { .index = 2, .frame = 0 } };

		trace_writer_roots(writer, 1, 1, roots, 2);
	}
}

static void end_slice(struct trace_thread *thread, const struct kind *kind)
{
	if (happens(kind->lost))
		thread->info.lost += 7;
	thread->writer->garbled = happens(kind->garbled);
	(happens(kind->skips) ? trace_thread_skip : trace_thread_flush)(thread);
	thread->writer->garbled = false;
	if (happens(50 * kind->backs))
		thread->writer->counter -= (uint64_t)random() % 20000;
}

static void write_trace(const struct kind *kind, uint32_t seed)
{
	uint32_t *open = calloc(kind->events, sizeof(*open)), depth = 0;
	struct trace_writer writer;
	struct trace_thread *thread;

	srandom(seed);
	strcpy(folder, reading_folder());
	trace_writer_begin(&writer, folder, "1", 1);
	trace_writer_facts(&writer, "name=test", 10);
	thread = trace_thread_begin(&writer, 1);
	for (uint32_t i = 0; i < kind->events; i++) {
		writer.counter += (uint64_t)random() % 100;
		if (happens(kind->backs))
			writer.counter -= 2000;
		write_other(thread, kind);
		/* Functions with higher numbers are first called later. */
		if (!depth || (uint32_t)random() % (2 * kind->depth) >= depth) {
			open[depth] = (uint32_t)random() % (1 + FUNCTIONS * i / kind->events);
			trace_thread_entry(thread, open[depth++]);
		} else {
			(random() % 8 ? trace_thread_exit : trace_thread_tail)(thread, open[--depth]);
		}
		if (i % SLICE_EVENTS == 0)
			end_slice(thread, kind);
	}
	trace_thread_end(thread);
	trace_writer_end(&writer, true);
	free(open);
}

static void choose(struct walk_choice *choice)
{
	walk_choice_begin(choice);
	choice->trace_path = folder;
}

static void read_stacks(struct stacks *stacks, const char *jobs)
{
	struct walk_choice choice;

	setenv("SPOOR_JOBS", jobs, 1);
	choose(&choice);
	*stacks = (struct stacks){ 0 };
	stacks_read(stacks, &choice);
	walk_choice_end(&choice);
}

static void same_stacks(const struct stacks *a, const struct stacks *b)
{
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_uint_eq(a->losses, b->losses);
	for (uint32_t i = 1; i < a->count; i++) {
		const struct stack_node *one = &a->nodes[i], *other = &b->nodes[i];

		ck_assert_uint_eq(one->parent, other->parent);
		ck_assert_str_eq(a->names.list[one->name].function, b->names.list[other->name].function);
		ck_assert_uint_eq(one->calls, other->calls);
		ck_assert_uint_eq(one->self_ns, other->self_ns);
	}
}

/* Has the callbacks of a report's sink that add up. */
static int part_begin(void *context, struct functions *functions, struct walk_sink *part)
{
	struct totals *totals = malloc(sizeof(*totals));

	totals_part_begin(context, totals, functions);
	part->context = part->calls.context = totals;
	return 0;
}

static void part_end(void *context, struct walk_sink *part, const uint32_t *numbers)
{
	totals_part_end(context, part->context, numbers);
	free(part->context);
}

static void piece_begin(void *context, const struct call *open, size_t depth)
{
	pieces_begun++;
	totals_piece_begin(context, open, depth);
}

static void piece_end(void *context, const struct call *open, size_t depth)
{
	totals_piece_end(context, open, depth);
}

/* Counts unreliable calls. No report prints this number, but other commands may need it. */
static void (*leave_totals)(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how);

static void leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	unreliable_calls += call->unreliable;
	leave_totals(context, call, depth, end_ns, how);
}

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	return totals_process_begin(context, process, functions);
}

static int process_end(void *context)
{
	totals_process_end(context);
	return 0;
}

static int thread_end(void *context, const struct call_tree *tree)
{
	totals_thread_end(context, tree);
	return 0;
}

/* Reads the totals. Returns the number of unreliable calls. */
static uint32_t read_totals(struct totals *totals, const char *jobs)
{
	struct walk_choice choice;
	struct walk_sink sink = {
		.context = totals, .process_begin = process_begin, .process_end = process_end, .thread_end = thread_end,
		.part_begin = part_begin, .part_end = part_end, .piece_begin = piece_begin, .piece_end = piece_end,
	};

	setenv("SPOOR_JOBS", jobs, 1);
	choose(&choice);
	*totals = (struct totals){ .table.look.group = GROUP_FUNCTION };
	sink.calls = totals_calls(totals);
	sink.calls.other = totals_other;
	leave_totals = sink.calls.leave;
	sink.calls.leave = leave;
	unreliable_calls = 0;
	walk_trace(&choice, &sink);
	walk_choice_end(&choice);
	return unreliable_calls;
}

static void same_totals(const struct totals *a, const struct totals *b)
{
	const struct report_table *one = &a->table, *other = &b->table;

	ck_assert_uint_eq(one->row_count, other->row_count);
	ck_assert_uint_eq(one->repaired, other->repaired);
	ck_assert_uint_eq(one->orphans, other->orphans);
	ck_assert_uint_eq(one->losses, other->losses);
	ck_assert_uint_eq(one->gaps, other->gaps);
	ck_assert_uint_eq(one->roots, other->roots);
	for (size_t i = 0; i < one->row_count; i++) {
		const struct report_statistics *x = &one->rows[i].statistics, *y = &other->rows[i].statistics;

		ck_assert_str_eq(one->rows[i].name, other->rows[i].name);
		ck_assert_uint_eq(x->open, y->open);
		ck_assert_uint_eq(x->calls, y->calls);
		ck_assert_uint_eq(x->total_ns, y->total_ns);
		ck_assert_uint_eq(x->self_ns, y->self_ns);
		ck_assert_uint_eq(x->min_ns, y->min_ns);
		ck_assert_uint_eq(x->max_ns, y->max_ns);
		ck_assert_uint_eq(x->sum_ns, y->sum_ns);
		ck_assert(x->squares == y->squares);
		for (uint32_t percent = 1; percent <= 100; percent++)
			ck_assert_uint_eq(report_statistics_percentile(x, percent), report_statistics_percentile(y, percent));
	}
}

START_TEST(pieces_have_the_same_result_as_one_walk)
{
	for (uint32_t run = 0; run < 3 * sizeof(kinds) / sizeof(*kinds); run++) {
		struct stacks one_stacks, other_stacks;
		struct totals one, other;
		uint32_t unreliable;

		write_trace(&kinds[run / 3], run);
		read_stacks(&one_stacks, "1");
		unreliable = read_totals(&one, "1");
		ck_assert_uint_gt(one_stacks.count, FUNCTIONS);
		ck_assert_uint_eq(one.table.row_count, FUNCTIONS);
		for (const char *jobs = "2\0003\0008\000"; *jobs; jobs += 2) {
			read_stacks(&other_stacks, jobs);
			same_stacks(&one_stacks, &other_stacks);
			stacks_free(&other_stacks);
			ck_assert_uint_eq(read_totals(&other, jobs), unreliable);
			same_totals(&one, &other);
			totals_free(&other);
		}
		stacks_free(&one_stacks);
		totals_free(&one);
		reading_remove(folder);
	}
}
END_TEST

START_TEST(a_frame_that_a_later_piece_needs_is_known)
{
	struct stacks one, other;
	struct trace_writer writer;
	struct trace_thread *thread;

	strcpy(folder, reading_folder());
	trace_writer_begin(&writer, folder, "1", 1);
	trace_writer_facts(&writer, "name=test", 10);
	thread = trace_thread_begin(&writer, 1);
	trace_thread_entry(thread, 1);
	for (int i = 0; i < 40; i++) {
		trace_thread_flush(thread);
		writer.counter += 1000;
		if (i == 20)
			write_word(thread, SPOOR_EVENT_FRAME, 5);
		trace_thread_entry(thread, 2);
		trace_thread_exit(thread, 2);
	}
	trace_thread_entry(thread, 2);
	trace_thread_entry(thread, 3);
	write_word(thread, SPOOR_EVENT_UNWIND, 5);
	trace_thread_entry(thread, 4);
	trace_thread_end(thread);
	trace_writer_end(&writer, true);
	read_stacks(&one, "1");
	ck_assert_uint_eq(one.nodes[one.count - 1].parent, 1);
	read_stacks(&other, "2");
	same_stacks(&one, &other);
	stacks_free(&one);
	stacks_free(&other);
	reading_remove(folder);
}
END_TEST

/* Returns how many pieces begin with two workers: one for each parallel piece, and one for each run of others. */
static uint32_t begun_of(const struct kind *kind)
{
	struct totals totals;

	write_trace(kind, 1);
	pieces_begun = 0;
	read_totals(&totals, "2");
	totals_free(&totals);
	reading_remove(folder);
	return pieces_begun;
}

START_TEST(pieces_of_plain_events_are_walked_in_parallel)
{
	/* The first event, sixty times SLICE_EVENTS, and the rest. Eight slices are a piece. */
	const uint32_t pieces = (1 + 60 + 1 + 7) / 8;

	ck_assert_uint_eq(begun_of(&kinds[0]), pieces + 1);
	ck_assert_uint_eq(begun_of(&kinds[2]), pieces + 1);
	/* Events that are never plain are walked one after the other. */
	ck_assert_uint_eq(begun_of(&(struct kind){ .strays = 5000, .depth = 8, .events = 20000 }), 1);
}
END_TEST

UNIT_MAIN("walk_pieces", pieces_have_the_same_result_as_one_walk, a_frame_that_a_later_piece_needs_is_known,
	  pieces_of_plain_events_are_walked_in_parallel)
