/* SPDX-License-Identifier: MIT */
/*
 * make_golden.c - writes the trace that the golden files show. It has each kind of event
 * and record, in small numbers.
 *
 * usage: make_golden DIR LIBRARY
 *
 * The process of DIR/4711 was killed, so a part of its events is in its pool. The process of
 * DIR/4712 ended normally.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/support/trace_writer.h"

/* The functions of sample.S, at their dense indexes. */
enum sample { ALPHA, BETA, GAMMA, LOCAL, AREA, PUSH, RUST, SEVERAL, NAMELESS, SAMPLE_COUNT };

#define GONE_BASE 16u	/* a library whose file is missing */
#define OTHER_BASE 32u	/* a library whose file is another build */
#define FIRST_BASE 48u	/* two libraries with the same base in turn */

static const uint8_t sample_build_id[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };
static const uint8_t other_build_id[] = { 0xab, 0xcd };

static struct trace_writer writer;

static void after(uint64_t ns)
{
	writer.counter += trace_writer_ticks(ns);
}

static void enter(struct trace_thread *thread, uint32_t index, uint64_t ns)
{
	after(ns);
	trace_thread_entry(thread, index);
}

static void leave(struct trace_thread *thread, uint32_t index, uint64_t ns)
{
	after(ns);
	trace_thread_exit(thread, index);
}

static void call(struct trace_thread *thread, uint32_t index, uint64_t ns)
{
	enter(thread, index, 100);
	leave(thread, index, ns);
}

/* Writes a type of user events whose first payload is a string, and the string. */
static void names(void)
{
	struct {
		struct spoor_event_type type;
		char name[16];
	} type = { { 0x80000002, 1 }, "cache, \"miss\"" };
	struct {
		struct spoor_string string;
		char text[16];
	} string = { { 0x5eed }, "a\n\"string\"" };
	struct {
		struct spoor_named_thread thread;
		char name[16];
	} named = { { 2, 0 }, "given name" };

	trace_writer_block(&writer, SPOOR_BLOCK_EVENT_TYPE, 0, &type, sizeof(type.type) + strlen(type.name));
	trace_writer_block(&writer, SPOOR_BLOCK_STRING, 0, &string, sizeof(string.string) + strlen(string.text));
	trace_writer_block(&writer, SPOOR_BLOCK_NAMED_THREAD, 4720, &named, sizeof(named.thread) + strlen(named.name));
}

static void modules(const char *library)
{
	struct spoor_skipped_sleds skipped_sleds = { .base = 0, .conditional_jump = 2, .other_kind = 1 };
	struct {
		struct spoor_foreign foreign;
		char path[24];
	} foreign = { { 5 }, "/usr/lib/libforeign.so" };

	trace_writer_module(&writer, 0xaaaa, 0, SAMPLE_COUNT, sample_build_id, sizeof(sample_build_id), library,
			    "libsample.so.1");
	trace_writer_block(&writer, SPOOR_BLOCK_SKIPPED_SLEDS, 0, &skipped_sleds, sizeof(skipped_sleds));
	trace_writer_module(&writer, 0xbbbb, GONE_BASE, 4, "x", 1, "/nowhere/libgone.so", "");
	trace_writer_module(&writer, 0xcccc, OTHER_BASE, SAMPLE_COUNT, other_build_id, sizeof(other_build_id), library,
			    "libother.so");
	trace_writer_block(&writer, SPOOR_BLOCK_FOREIGN, 0, &foreign, sizeof(foreign.foreign) + strlen(foreign.path) + 1);
}

/* Writes nesting calls, leaves, a recursion, names of all kinds, and every unit of time. */
static void main_thread(void)
{
	struct trace_thread *thread = trace_thread_begin(&writer, 4711);
	uint64_t timed[2];

	enter(thread, ALPHA, 1000);
	call(thread, BETA, 20);
	enter(thread, BETA, 50);
	call(thread, LOCAL, 1234);
	call(thread, AREA, 7000000);
	call(thread, PUSH, 12);
	call(thread, RUST, 999999);
	call(thread, SEVERAL, 1);
	call(thread, NAMELESS, 4000);
	leave(thread, BETA, 60);
	/* A recursion, of which the total time counts the outermost call only. */
	for (int i = 0; i < 3; i++)
		enter(thread, GAMMA, 100);
	for (int i = 0; i < 3; i++)
		leave(thread, GAMMA, 100);
	trace_thread_flush(thread);
	call(thread, GONE_BASE + 3, 10);
	call(thread, OTHER_BASE + 2, 10);
	call(thread, 500, 10);
	enter(thread, BETA, 100);		/* the low half of the counter wraps, and a full time stamp follows */
	after(2500000000);
	timed[0] = writer.counter;
	timed[1] = SPOOR_EVENT_CODE(SPOOR_EVENT_EXIT, BETA);
	trace_thread_extended(thread, SPOOR_EXTENDED_TIMED_EVENT, timed, 2);
	after(5000000000);
	trace_thread_extended(thread, SPOOR_EXTENDED_TIME, &writer.counter, 1);
	call(thread, GAMMA, 10);
	leave(thread, ALPHA, 10);
	trace_thread_end(thread);
}

/* Writes calls that do not nest, and losses. */
static void worker_thread(void)
{
	struct trace_thread *thread = trace_thread_begin(&writer, 4720);
	uint64_t words[3];

	leave(thread, SEVERAL, 100);		/* entered before tracing began */
	enter(thread, ALPHA, 10);
	enter(thread, BETA, 10);		/* a tail call: gamma replaces beta */
	after(10);
	trace_thread_tail(thread, BETA);
	enter(thread, GAMMA, 1);
	leave(thread, GAMMA, 10);
	enter(thread, LOCAL, 10);		/* an unwinding: local and area never return */
	enter(thread, AREA, 10);
	leave(thread, ALPHA, 10);
	trace_thread_flush(thread);

	enter(thread, PUSH, 10);
	words[0] = 12;
	words[1] = SPOOR_LOSS_POOL_EXHAUSTED;
	trace_thread_extended(thread, SPOOR_EXTENDED_LOST, words, 2);
	leave(thread, PUSH, 10);
	trace_thread_extended(thread, SPOOR_EXTENDED_NOP, NULL, 0);
	trace_thread_flush(thread);

	call(thread, BETA, 10);			/* this slice is missing */
	trace_thread_skip(thread);

	thread->info.lost = 30;			/* 12 of them were reported above */
	after(1000);
	words[0] = writer.counter;
	words[1] = SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, RUST);
	trace_thread_extended(thread, SPOOR_EXTENDED_TIMED_EVENT, words, 2);
	after(50);
	trace_thread_user(thread, 9, 77, 5, 0);		/* a type that user events may not have */
	trace_thread_user(thread, 0x80000001, UINT64_MAX, UINT32_MAX, 0);
	trace_thread_user(thread, 0x80000002, 0x5eed, 6, 0);
	trace_thread_user(thread, 0x80000002, 0xdead, 6, TRACE_WRITER_STEADY_NS + 123456789);
	/* An event as an injected call writes it. */
	trace_thread_user(thread, SPOOR_EVENT_ENTRY, (uint64_t)0xaaaa << 32 | BETA, 0, 0);
	after(20);
	trace_thread_user(thread, SPOOR_EVENT_EXIT, (uint64_t)0xaaaa << 32 | BETA, 0, 0);
	/* An event of a unit without a stub. */
	trace_thread_user(thread, SPOOR_EVENT_ENTRY, 0x123456789abcdef0, 0, 0);
	leave(thread, RUST, 10);
	trace_thread_end(thread);
}

/* Two modules use the same base, one after the other. */
static void base_in_turn(const char *library)
{
	struct trace_thread *thread = trace_thread_begin(&writer, 4721);
	struct spoor_module_gone gone = { FIRST_BASE, 4, 0 };

	trace_writer_module(&writer, 0xdddd, FIRST_BASE, 4, "x", 1, "/nowhere/libfirst.so", "");
	call(thread, FIRST_BASE + 1, 10);
	gone.counter = writer.counter;
	trace_writer_block(&writer, SPOOR_BLOCK_MODULE_GONE, 0, &gone, sizeof(gone));
	after(1000);
	trace_writer_module(&writer, 0xaaaa, FIRST_BASE, SAMPLE_COUNT, sample_build_id, sizeof(sample_build_id),
			    library, "libsample.so.1");
	call(thread, FIRST_BASE + 1, 10);
	trace_thread_end(thread);
}

/* One thread has open calls when recording begins, and some return. Another thread has open calls only. */
static void roots(void)
{
	static const struct spoor_root open[] = { { ALPHA, 900 }, { BETA, 890 }, { LOCAL, 880 } };
	struct trace_thread *thread = trace_thread_begin(&writer, 4750);

	trace_writer_roots(&writer, 4750, thread->info.thread_serial, open, 3);
	trace_writer_roots(&writer, 4751, 0, open, 2);
	after(100);
	call(thread, AREA, 10);
	leave(thread, LOCAL, 1000);
	call(thread, GAMMA, 10);
	trace_thread_end(thread);
}

/* Slices that were flushed while in use: once the whole slice follows, once no more events do. */
static void flushed(void)
{
	struct trace_thread *thread = trace_thread_begin(&writer, 4740);

	call(thread, ALPHA, 10);
	trace_thread_flush_partial(thread);
	call(thread, BETA, 10);
	trace_thread_flush_partial(thread);
	call(thread, GAMMA, 10);
	trace_thread_flush(thread);
	call(thread, LOCAL, 10);
	trace_thread_flush_partial(thread);
	call(thread, AREA, 10);
	trace_thread_flush_partial(thread);
	trace_thread_free(thread);
}

/* Leaves a pool as after a kill: a drained slice that is still there, a full one, one in use with a hole. */
static void leave_pool(void)
{
	struct trace_thread *drained = trace_thread_begin(&writer, 4730), *full, *used;
	struct trace_thread *slices[3];
	struct trace_thread copy;

	enter(drained, ALPHA, 10);
	call(drained, BETA, 10);
	copy = *drained;
	trace_thread_flush(drained);
	full = drained;
	call(full, GAMMA, 10);
	full->info.words = (uint32_t)full->count;

	used = trace_thread_begin(&writer, 4730);
	used->info = full->info;
	used->info.sequence++;
	used->info.counter = 0;
	used->info.words = 0;
	used->info.offset = SPOOR_SLICE_BYTES - 4096;
	call(used, LOCAL, 10);
	trace_thread_word(used, 0);
	call(used, AREA, 10);

	slices[0] = &copy;
	slices[1] = full;
	slices[2] = used;
	trace_writer_pool(&writer, slices, 3, 0);
	trace_thread_free(full);
	trace_thread_free(used);
}

int main(int argc, char **argv)
{
	static const char facts[] = "executable=/opt/golden/bin/golden\0process=4711\0parent=1\0name=golden";
	struct trace_thread *thread;

	if (argc != 3) {
		fprintf(stderr, "usage: make_golden DIR LIBRARY\n");
		return 2;
	}
	trace_writer_begin(&writer, argv[1], "4711", 4711);
	trace_writer_facts(&writer, facts, sizeof(facts));
	modules(argv[2]);
	names();
	trace_writer_loss(&writer, SPOOR_LOSS_POOL_EXHAUSTED, 0, 10);
	trace_writer_loss(&writer, SPOOR_LOSS_POOL_EXHAUSTED, 0, 30);
	trace_writer_loss(&writer, SPOOR_LOSS_WRITE, 4720, 2);
	main_thread();
	trace_writer_block(&writer, SPOOR_BLOCK_THREAD, 4711, "golden", 6);
	worker_thread();
	trace_writer_block(&writer, SPOOR_BLOCK_THREAD, 4720, "worker, \"1\"", 11);
	base_in_turn(argv[2]);
	flushed();
	roots();
	leave_pool();
	trace_writer_end(&writer, false);

	trace_writer_begin(&writer, argv[1], "4712", 4712);
	writer.raw = true;
	writer.counter += trace_writer_ticks(10000000000);
	trace_writer_facts(&writer, facts, sizeof(facts));
	modules(argv[2]);
	thread = trace_thread_begin(&writer, 4712);
	call(thread, ALPHA, 123);
	trace_thread_end(thread);
	trace_writer_end(&writer, true);
	return 0;
}
