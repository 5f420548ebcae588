/* SPDX-License-Identifier: MIT */
/* test_call_values.c - reads arguments and results from a trace, also from a damaged one. */
#include "tests/unit/support/reading.h"

#include <stdlib.h>
#include <string.h>

#include "format/values_format.h"
#include "reader/events/call_tree.h"
#include "reader/types/shown_values.h"

static struct trace_writer writer;
static struct trace_thread *thread;
static char folder[64], seen[4096];


static void begin(void)
{
	strcpy(folder, reading_folder());
	trace_writer_begin(&writer, folder, "1", 1);
	trace_writer_facts(&writer, "name=test", 10);
	thread = trace_thread_begin(&writer, 1);
	seen[0] = '\0';
}

/* Writes a capture with the number 5 for function 1. */
static void write_capture(const struct spoor_capture_value *values, uint32_t count, const char *names, size_t bytes)
{
	char body[512], *at = body;
	struct spoor_capture_record record = {
		.counter = writer.counter, .run_count = 1, .number = 5, .value_count = (uint8_t)count,
		.flags = SPOOR_CAPTURE_ARGUMENTS | SPOOR_CAPTURE_RESULT,
	};
	struct spoor_index_run run = { 1, 1 };

	at = mempcpy(at, &record, sizeof(record));
	at = mempcpy(at, values, count * sizeof(*values));
	at = mempcpy(at, &run, sizeof(run));
	at = mempcpy(at, names, bytes);
	trace_writer_block(&writer, SPOOR_BLOCK_CAPTURE, 0, body, (size_t)(at - body));
}

/* The bits of a record, one in each byte. */
static uint8_t bits[4096];
static uint32_t bit_count;

static void put(uint64_t value, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		bits[bit_count++] = value >> i & 1;
}

static void begin_record(uint32_t number, bool is_result)
{
	memset(bits, 0, sizeof(bits));
	bit_count = 0;
	put(number, 14);
	put(is_result, 2);
}

static void end_record(void)
{
	uint64_t words[70] = { 0 };
	uint32_t count = (bit_count + 59) / 60;

	for (uint32_t i = 0; i < bit_count; i++)
		words[i / 60] |= (uint64_t)bits[i] << (i % 60);
	for (uint32_t i = 0; i < count; i++)
		words[i] |= SPOOR_USER_MARK;
	trace_thread_extended(thread, SPOOR_EXTENDED_VALUES, words, count);
	writer.counter += trace_writer_ticks(10);
}

static void add_text(const char *prefix, const struct call_values *values)
{
	char *text = values ? shown_values_text(values, false) : NULL;

	strcat(strcat(seen, prefix), text ? text : "-");
	free(text);
}

static void enter(void *context, const struct call *call, size_t depth)
{
	(void)context, (void)depth;
	add_text("(", call->arguments);
}

static void leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	(void)context, (void)depth, (void)end_ns, (void)how;
	add_text("|", call->arguments);
	add_text("=", call->result);
	strcat(seen, ")");
}

/* Closes the trace, and compares what the sink of a call tree gets. */
static void expect(const char *calls, bool damaged)
{
	const struct call_sink sink = { .enter = enter, .leave = leave };
	struct call_tree tree = { 0 };
	struct functions functions;
	struct thread_events events;
	struct process process;
	struct trace trace;

	trace_thread_end(thread);
	trace_writer_end(&writer, true);
	reading_open(folder, &trace, &process);
	ck_assert_int_eq(process.damaged, damaged);
	ck_assert_int_eq(functions_begin(&functions, &process), 0);
	thread_events_begin(&events, &process, &functions, process.threads.threads[0]);
	ck_assert_int_eq(call_tree_walk(&tree, &events, &sink), 0);
	ck_assert_str_eq(seen, calls);
	thread_events_end(&events);
	call_tree_free(&tree);
	functions_end(&functions);
	reading_close(&trace, &process);
	reading_remove(folder);
}

static const struct spoor_capture_value two[] = {
	{ 0, SPOOR_VALUE_BITS, 32, SPOOR_TYPE_INTEGER, 0, 1, 0 },
	{ 1, SPOOR_VALUE_TEXT, 64, SPOOR_TYPE_TEXT, 's', 2, 0 },
	{ 0, SPOOR_VALUE_INTEGER, 64, SPOOR_TYPE_INTEGER, 0, 0, 0 },
};

START_TEST(values_belong_to_the_next_entry_or_exit)
{
	begin();
	write_capture(two, 3, "n\0\0\0", 4);
	begin_record(5, false);
	put((uint32_t)-7, 32);
	put(SPOOR_TEXT_CUT, 2);
	put(3, 10);
	put('a' | '"' << 8 | '\n' << 16, 24);
	end_record();
	trace_thread_entry(thread, 1);
	trace_thread_entry(thread, 2);
	trace_thread_exit(thread, 2);
	begin_record(5, true);
	put(1, 1);
	put(1ull << 40, 64);
	end_record();
	trace_thread_exit(thread, 1);
	expect("(n=-7, arg2=\"a\\\"\\n\"...(-|-=-)|n=-7, arg2=\"a\\\"\\n\"...=1099511627776)", false);
}
END_TEST

START_TEST(each_storage_is_read)
{
	static const struct spoor_capture_value all[] = {
		{ 0, SPOOR_VALUE_ADDRESS, 64, SPOOR_TYPE_POINTER, 0, 1, 0 },
		{ 0, SPOOR_VALUE_ADDRESS, 64, SPOOR_TYPE_POINTER, 0, 2, 0 },
		{ 0, SPOOR_VALUE_BITS, 1, SPOOR_TYPE_UNSIGNED, 0, 3, 0 },
		{ 8, SPOOR_VALUE_BITS, 64, SPOOR_TYPE_REAL, 0, 4, 1 },
		{ 10, SPOOR_VALUE_BITS, 32, SPOOR_TYPE_REAL, 0, 4, 2 },
		{ 0x8000, SPOOR_VALUE_BYTES, 10, SPOOR_TYPE_REAL, 0, 5, 0 },
		{ 0x8002, SPOOR_VALUE_BYTES, 12, SPOOR_TYPE_BYTES, 0, 6, 1 },
		{ 0, SPOOR_VALUE_INTEGER, 64, SPOOR_TYPE_SIGNED, 0, 7, 0 },
		{ 1, SPOOR_VALUE_OBJECT, 2, SPOOR_TYPE_POINTER, 0, 8, 0 },
		{ 2, SPOOR_VALUE_OBJECT, 64, SPOOR_TYPE_POINTER, 0, 9, 0 },
		{ 0, SPOOR_VALUE_BITS, 8, SPOOR_TYPE_SIGNED, 0, 10, 0 },
	};

	begin();
	write_capture(all, 11, "", 0);
	begin_record(5, false);
	put(0, 1), put(0x7fffdeadbeef, 48);
	put(1, 1), put(UINT64_MAX, 64);
	put(1, 1);
	put(0x3ff8000000000000, 64);	/* 1.5 */
	put(0xc0000000, 32);		/* -2 */
	put(0xa000000000000000, 64), put(0xc000, 16);	/* -2.5 */
	put(0x1122334455667788, 64), put(0x99, 32);
	put(0, 1), put((uint32_t)-1, 32);
	put(0, 1), put(0x7fff00000010, 48), put(SPOOR_TEXT_WHOLE, 2), put(2, 10), put(0xabcd, 16);
	put(1, 1), put(UINT64_MAX - 1, 64), put(SPOOR_TEXT_UNREADABLE, 2), put(UINT64_MAX - 1, 64);
	put(77, 8);
	end_record();
	trace_thread_entry(thread, 1);
	trace_thread_exit(thread, 1);
	/* Without a source type, an object is shown as its address. */
	expect("(arg1=0x7fffdeadbeef, arg2=0xffffffffffffffff, arg3=true, arg4={1.5, -2}, arg5=-2.5, "
	       "arg6={0x1122334455667788, 0x99, ...}, arg7=-1, arg8=0x7fff00000010, arg9=0xfffffffffffffffe, arg10=77"
	       "|arg1=0x7fffdeadbeef, arg2=0xffffffffffffffff, arg3=true, arg4={1.5, -2}, arg5=-2.5, "
	       "arg6={0x1122334455667788, 0x99, ...}, arg7=-1, arg8=0x7fff00000010, arg9=0xfffffffffffffffe, arg10=77=-)", false);
}
END_TEST

START_TEST(values_that_lost_their_event_or_their_description_are_left_out)
{
	begin();
	write_capture(two, 3, "", 0);
	/* Before an exit, and twice. */
	begin_record(5, false), put(1, 32), put(SPOOR_TEXT_NULL, 2), end_record();
	begin_record(5, false), put(2, 32), put(SPOOR_TEXT_NULL, 2), end_record();
	trace_thread_exit(thread, 3);
	/* A result before an entry, and a capture that does not exist. */
	begin_record(5, true), put(0, 33), end_record();
	trace_thread_entry(thread, 1);
	begin_record(6, true), put(0, 33), end_record();
	trace_thread_exit(thread, 1);
	/* Shorter than the capture says. */
	begin_record(5, false);
	end_record();
	trace_thread_entry(thread, 1);
	expect("(-|-=-)(arg1=0, arg2=\"\"|arg1=0, arg2=\"\"=-)", false);
}
END_TEST

START_TEST(a_capture_that_makes_no_sense_is_left_out)
{
	static const struct spoor_capture_value wrong = { 0, 77, 32, SPOOR_TYPE_INTEGER, 0, 1, 0 };

	begin();
	write_capture(&wrong, 1, "", 0);
	begin_record(5, false), put(1, 32), end_record();
	trace_thread_entry(thread, 1);
	trace_thread_exit(thread, 1);
	expect("(-|-=-)", true);
}
END_TEST

UNIT_MAIN("call_values", values_belong_to_the_next_entry_or_exit,
	  each_storage_is_read,
	  values_that_lost_their_event_or_their_description_are_left_out,
	  a_capture_that_makes_no_sense_is_left_out)
