/* SPDX-License-Identifier: MIT */
/*
 * make_machines.c - writes the traces of two machines that recorded at the same time, with equal process numbers. The
 * traces have losses, a counter, and user events.
 *
 * usage: make_machines DIR LIBRARY - writes DIR/first and DIR/second
 *
 * The second machine booted 1,000 seconds later, and its process began 5 ms later.
 */
#include <stdio.h>
#include <string.h>

#include "spoor/scope.h"
#include "tests/unit/support/trace_writer.h"

#define BOOTED_NS 1000000000000
#define FUNCTIONS 9		/* the number of functions in tests/golden/sample.S */

static const uint8_t build_id[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };

static void event_type(struct trace_writer *writer, uint32_t type, uint32_t payload, const char *name)
{
	struct {
		struct spoor_event_type type;
		char name[32];
	} record = { { type, payload }, "" };

	strcpy(record.name, name);
	trace_writer_block(writer, SPOOR_BLOCK_EVENT_TYPE, 0, &record, sizeof(record.type) + strlen(name));
}

static void write_thread(struct trace_writer *writer, uint32_t thread_id, uint32_t calls)
{
	struct trace_thread *thread = trace_thread_begin(writer, thread_id);
	uint64_t words[2];

	for (uint32_t i = 0; i < calls; i++) {
		writer->counter += trace_writer_ticks(100);
		trace_thread_entry(thread, i % 3);
		trace_thread_user(thread, spoor_scope_counter_type("queue"), i, 0, 0);
		writer->counter += trace_writer_ticks(50);
		trace_thread_entry(thread, 3);
		trace_thread_user(thread, 0x80000001, (uint64_t)i << 40, i, 0);
		trace_thread_user(thread, 0x80000002, 0x5eed, i, 0);
		writer->counter += trace_writer_ticks(1000);
		trace_thread_exit(thread, 3);
		words[0] = i + 1;
		words[1] = SPOOR_LOSS_POOL_EXHAUSTED;
		if (i % 4 == 3)
			trace_thread_extended(thread, SPOOR_EXTENDED_LOST, words, 2);
		writer->counter += trace_writer_ticks(10);
		trace_thread_exit(thread, i % 3);
	}
	trace_thread_end(thread);
}

static void write_machine(const char *directory, const char *library, const char *facts, size_t bytes, int64_t booted_ns,
			  uint64_t begin_ns, uint32_t calls)
{
	struct {
		struct spoor_string string;
		char text[16];
	} string = { { 0x5eed }, "a \"string\"" };
	struct trace_writer writer;

	trace_writer_begin(&writer, directory, "4711", 4711);
	writer.booted_ns = booted_ns;
	writer.session_id = 0x5e55;
	writer.counter += trace_writer_ticks(begin_ns);
	trace_writer_facts(&writer, facts, bytes);
	trace_writer_module(&writer, 0xaaaa, 0, FUNCTIONS, build_id, sizeof(build_id), library, "libsample.so.1");
	event_type(&writer, spoor_scope_counter_type("queue"), 0, "queue");
	event_type(&writer, 0x80000001, 0, "number");
	event_type(&writer, 0x80000002, 1, "text");
	trace_writer_block(&writer, SPOOR_BLOCK_STRING, 0, &string, sizeof(string.string) + strlen(string.text));
	trace_writer_block(&writer, SPOOR_BLOCK_THREAD, 4711, "worker", 6);
	write_thread(&writer, 4711, calls);
	write_thread(&writer, 4712, calls / 2);
	trace_writer_end(&writer, true);
}

int main(int argc, char **argv)
{
	static const char first[] = "executable=/opt/bin/first\0boot=11111111\0host=one\0pid_namespace=1";
	static const char second[] = "executable=/opt/bin/second\0boot=22222222\0host=two\0pid_namespace=1";
	char path[4096];

	if (argc != 3) {
		fprintf(stderr, "usage: make_machines DIR LIBRARY\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/first", argv[1]);
	write_machine(path, argv[2], first, sizeof(first), 0, 0, 100);
	snprintf(path, sizeof(path), "%s/second", argv[1]);
	write_machine(path, "/nowhere/libsample.so.1", second, sizeof(second), BOOTED_NS, 5000000, 40);
	return 0;
}
