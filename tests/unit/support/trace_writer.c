/* SPDX-License-Identifier: MIT */
/* trace_writer.c - writes traces for tests without a running runtime. */
#include "tests/unit/support/trace_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/packing.h"

/* The counter's rate: 2.3 counts in a nanosecond. */
#define TICKS 23
#define TICKS_NS 10

static void fail(const char *what)
{
	fprintf(stderr, "trace_writer: %s: %s\n", what, strerror(errno));
	abort();
}

static int create(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		fail(name);
	return fd;
}

void trace_writer_begin(struct trace_writer *writer, const char *trace_path, const char *folder, uint32_t process_id)
{
	char path[4096];

	*writer = (struct trace_writer){ .process_id = process_id, .session_id = 7, .counter = TRACE_WRITER_COUNTER };
	snprintf(path, sizeof(path), "%s/%s", trace_path, folder);
	if ((mkdir(trace_path, 0700) && errno != EEXIST) || (mkdir(path, 0700) && errno != EEXIST))
		fail(path);
	writer->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (writer->folder < 0)
		fail(path);
	writer->process_file = create(writer->folder, SPOOR_PROCESS_FILE);
	writer->events_file = create(writer->folder, SPOOR_EVENTS_FILE);
}

void trace_writer_clocks(uint64_t counter, struct spoor_clocks *clocks)
{
	int64_t ns = (int64_t)((counter - TRACE_WRITER_COUNTER) * TICKS_NS / TICKS);

	*clocks = (struct spoor_clocks){ counter, TRACE_WRITER_STEADY_NS + ns, TRACE_WRITER_SYSTEM_NS + ns };
}

uint64_t trace_writer_ticks(uint64_t ns)
{
	return ns * TICKS / TICKS_NS;
}

static void append(int file, const void *bytes, size_t count)
{
	if (write(file, bytes, count) != (ssize_t)count)
		fail("write");
}

void trace_writer_block(struct trace_writer *writer, enum spoor_block_kind kind, uint32_t thread_id, const void *body,
			size_t body_bytes)
{
	uint8_t *block = malloc(sizeof(struct spoor_block) + body_bytes);
	struct spoor_block_facts facts = {
		.kind = kind,
		.session_id = writer->session_id,
		.process_id = writer->process_id,
		.thread_id = thread_id,
	};

	trace_writer_clocks(writer->counter, &facts.clocks);
	facts.clocks.steady_ns -= writer->booted_ns;
	if (body_bytes)
		memcpy(block + sizeof(struct spoor_block), body, body_bytes);
	append(writer->process_file, block, spoor_block_seal(block, body_bytes, &facts));
	free(block);
}

void trace_writer_facts(struct trace_writer *writer, const char *facts, size_t bytes)
{
	trace_writer_block(writer, SPOOR_BLOCK_PROCESS, 0, facts, bytes);
}

void trace_writer_module(struct trace_writer *writer, uint32_t module_id, uint32_t base, uint32_t count,
			 const void *build_id, uint32_t build_id_bytes, const char *path, const char *soname)
{
	struct spoor_module_record record = {
		.module_id = module_id,
		.base = base,
		.count = count,
		.build_id_bytes = build_id_bytes,
		.load_bias = 0x7f0000000000,
		.counter = writer->counter,
	};
	size_t bytes = sizeof(record) + build_id_bytes + strlen(path) + strlen(soname) + 2;
	char *body = calloc(1, bytes);

	memcpy(body, &record, sizeof(record));
	memcpy(body + sizeof(record), build_id, build_id_bytes);
	strcpy(body + sizeof(record) + build_id_bytes, path);
	strcpy(body + sizeof(record) + build_id_bytes + strlen(path) + 1, soname);
	trace_writer_block(writer, SPOOR_BLOCK_MODULE, 0, body, bytes);
	free(body);
}

void trace_writer_loss(struct trace_writer *writer, uint32_t cause, uint32_t thread_id, uint64_t events)
{
	struct spoor_loss_record record = { cause, thread_id, events };

	trace_writer_block(writer, SPOOR_BLOCK_LOSS, 0, &record, sizeof(record));
}

void trace_writer_roots(struct trace_writer *writer, uint32_t thread_id, uint32_t serial, const struct spoor_root *roots,
			uint32_t count)
{
	struct spoor_roots record = { .counter = writer->counter, .thread_serial = serial, .count = count };
	size_t bytes = sizeof(record) + count * sizeof(*roots);
	uint8_t *body = malloc(bytes);

	memcpy(body, &record, sizeof(record));
	memcpy(body + sizeof(record), roots, count * sizeof(*roots));
	trace_writer_block(writer, SPOOR_BLOCK_ROOTS, thread_id, body, bytes);
	free(body);
}

void trace_writer_end(struct trace_writer *writer, bool in_order)
{
	if (in_order)
		trace_writer_block(writer, SPOOR_BLOCK_END, 0, NULL, 0);
	close(writer->folder);
	close(writer->process_file);
	close(writer->events_file);
}

struct trace_thread *trace_thread_begin(struct trace_writer *writer, uint32_t thread_id)
{
	struct trace_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		fail("calloc");
	thread->writer = writer;
	thread->info.process_id = writer->process_id;
	thread->info.thread_id = thread_id;
	thread->info.thread_serial = ++writer->serials;
	return thread;
}

void trace_thread_word(struct trace_thread *thread, uint64_t word)
{
	if (thread->count == SPOOR_SLICE_WORDS)
		trace_thread_flush(thread);
	if (!thread->info.counter)
		thread->info.counter = thread->writer->counter;
	thread->words[thread->count++] = word;
}

void trace_thread_entry(struct trace_thread *thread, uint32_t index)
{
	trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, index, thread->writer->counter));
}

void trace_thread_exit(struct trace_thread *thread, uint32_t index)
{
	trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_EXIT, index, thread->writer->counter));
}

void trace_thread_tail(struct trace_thread *thread, uint32_t index)
{
	trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_TAIL_EXIT, index, thread->writer->counter));
}

void trace_thread_extended(struct trace_thread *thread, enum spoor_extended_type type, const uint64_t *words,
			   uint32_t count)
{
	if (thread->count + 1 + count > SPOOR_SLICE_WORDS)
		trace_thread_flush(thread);
	trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, count, type));
	for (uint32_t i = 0; i < count; i++)
		trace_thread_word(thread, words[i]);
}

void trace_thread_user(struct trace_thread *thread, uint32_t type, uint64_t payload_1, uint32_t payload_2,
		       uint64_t steady_ns)
{
	struct spoor_user_event event = { thread->writer->counter, payload_1, steady_ns, type, payload_2 };
	uint64_t words[SPOOR_USER_OWN_TIME_WORDS];

	spoor_user_pack(&event, words);
	trace_thread_extended(thread, SPOOR_EXTENDED_USER, words,
			      steady_ns ? SPOOR_USER_OWN_TIME_WORDS : SPOOR_USER_WORDS);
}

static void next_slice(struct trace_thread *thread)
{
	thread->info.sequence++;
	thread->info.counter = 0;
	thread->count = 0;
}

static void write_slice(struct trace_thread *thread, uint16_t flags)
{
	static uint8_t block[sizeof(struct spoor_block) + sizeof(struct spoor_slice_info) +
			     SPOOR_PACKED_BYTES_MAX(SPOOR_SLICE_WORDS)];
	uint8_t *body = block + sizeof(struct spoor_block), *bytes = body + sizeof(thread->info);
	struct trace_writer *writer = thread->writer;
	struct spoor_block_facts facts = {
		.kind = SPOOR_BLOCK_EVENTS,
		.session_id = writer->session_id,
		.process_id = writer->process_id,
		.thread_id = thread->info.thread_id,
		.sequence = thread->info.sequence,
		.event_count = (uint32_t)thread->count,
		.flags = flags,
		.compression = writer->raw ? SPOOR_COMPRESSION_NONE : SPOOR_COMPRESSION_PACKED,
	};
	static struct spoor_packing model;
	size_t packed;

	if (!thread->count)
		return;
	thread->info.words = (uint32_t)thread->count;
	memcpy(body, &thread->info, sizeof(thread->info));
	if (writer->raw) {
		packed = thread->count * 8;
		memcpy(bytes, thread->words, packed);
	} else {
		packed = spoor_pack(thread->words, thread->count, (uint32_t)thread->info.counter, bytes, &model, NULL, NULL,
				    NULL);
	}
	if (writer->garbled)
		memset(bytes, 0xff, packed);
	trace_writer_clocks(writer->counter, &facts.clocks);
	facts.clocks.steady_ns -= writer->booted_ns;
	append(writer->events_file, block, spoor_block_seal(block, sizeof(thread->info) + packed, &facts));
}

void trace_thread_flush(struct trace_thread *thread)
{
	write_slice(thread, 0);
	if (thread->count)
		next_slice(thread);
}

void trace_thread_flush_partial(struct trace_thread *thread)
{
	write_slice(thread, SPOOR_BLOCK_PARTIAL);
}

void trace_thread_skip(struct trace_thread *thread)
{
	next_slice(thread);
}

void trace_thread_end(struct trace_thread *thread)
{
	trace_thread_flush(thread);
	trace_thread_free(thread);
}

void trace_thread_free(struct trace_thread *thread)
{
	free(thread);
}

void trace_writer_pool(struct trace_writer *writer, struct trace_thread *const *slices, uint32_t count, uint64_t free)
{
	int file = create(writer->folder, SPOOR_POOL_FILE);
	struct spoor_pool pool = {
		.magic = SPOOR_POOL_MAGIC,
		.version = SPOOR_TRACE_VERSION,
		.slice_bytes = SPOOR_SLICE_BYTES,
		.slice_count = 64,
		.process_id = writer->process_id,
		.session_id = writer->session_id,
		.grown = 64,
	};

	trace_writer_clocks(TRACE_WRITER_COUNTER, &pool.begin);
	trace_writer_clocks(writer->counter, &pool.latest);
	pool.free[0] = count < 64 ? free | ~0ull << count : free;
	if (ftruncate(file, (off_t)spoor_pool_bytes(pool.slice_count)) ||
	    pwrite(file, &pool, sizeof(pool), 0) != (ssize_t)sizeof(pool))
		fail("pool");
	for (uint32_t i = 0; i < count; i++) {
		const struct trace_thread *slice = slices[i];
		size_t bytes = slice->count * 8;

		if (pwrite(file, &slice->info, sizeof(slice->info),
			   (off_t)(SPOOR_POOL_INFOS_OFFSET + i * sizeof(slice->info))) != (ssize_t)sizeof(slice->info) ||
		    pwrite(file, slice->words, bytes, (off_t)(spoor_pool_slice_offset(i) + slice->info.offset)) !=
			    (ssize_t)bytes)
			fail("pool");
	}
	close(file);
}
