/* SPDX-License-Identifier: MIT */
/*
 * make_hostile.c - writes traces with impossible contents and correct checksums, as an attacker would.
 *
 * usage: make_hostile DIR COUNT - writes DIR/NAME for each of the makers below; COUNT is the number of items in the
 * traces that cost a reader time.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/support/trace_writer.h"
#include "format/count_format.h"
#include "reader/files/version0_format.h"

static struct trace_writer writer;
static const char *trace;
static uint32_t count;

static void module(uint32_t id, uint32_t base, uint32_t functions, const char *path)
{
	trace_writer_module(&writer, id, base, functions, "x", 1, path, "");
}

static void write_file(const char *name, const void *bytes, size_t size)
{
	int fd = openat(writer.folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || close(fd) < 0) {
		perror(name);
		exit(1);
	}
}

/* One valid call, so that each trace has something to show. */
static void good_call(void)
{
	struct trace_thread *thread = trace_thread_begin(&writer, 1);

	trace_thread_entry(thread, 1);
	writer.counter += 100;
	trace_thread_exit(thread, 1);
	trace_thread_end(thread);
}

/* Modules that share functions, and that unload before they are loaded. */
static void overlapping(void)
{
	struct trace_thread *thread;

	module(1, 0, 100, "/nowhere/a");
	module(2, 50, 100, "/nowhere/b");
	module(3, 0, SPOOR_INDEX_MAX, "/nowhere/c");
	module(4, SPOOR_INDEX_MAX, 1, "/nowhere/d");
	module(5, 99, 0, "/nowhere/e");
	for (uint32_t i = 0; i < 100; i++) {
		struct spoor_module_gone gone = { i, UINT32_MAX, i % 2 ? UINT64_MAX : 0 };

		trace_writer_block(&writer, SPOOR_BLOCK_MODULE_GONE, 0, &gone, sizeof(gone));
	}
	thread = trace_thread_begin(&writer, 1);
	for (uint32_t i = 0; i < 200; i++) {
		trace_thread_entry(thread, i);
		trace_thread_exit(thread, i);
	}
	trace_thread_entry(thread, SPOOR_INDEX_MAX);
	trace_thread_end(thread);
}

/* Strings without an end, empty strings, and strings with control sequences of terminals. */
static void names(void)
{
	static const char bad[] = "\x1b]0;owned\x07\x1b[2J\n# process 1\r\xff\xfe";
	const struct spoor_module_record record = { .module_id = 9, .base = 4, .count = 4, .build_id_bytes = UINT32_MAX };
	struct {
		struct spoor_event_type type;
		char name[sizeof(bad)];
	} type = { { 0x80000001, 1 }, "" };
	struct trace_thread *thread;

	memcpy(type.name, bad, sizeof(bad));
	trace_writer_facts(&writer, "executable=/bin/endless", 23);
	trace_writer_facts(&writer, bad, sizeof(bad));
	trace_writer_block(&writer, SPOOR_BLOCK_MODULE, 0, &record, sizeof(record));
	module(1, 0, 4, bad);
	trace_writer_block(&writer, SPOOR_BLOCK_THREAD, 1, bad, sizeof(bad));
	trace_writer_block(&writer, SPOOR_BLOCK_EVENT_TYPE, 0, &type, sizeof(type));
	for (int kind = 0; kind < 32; kind++)
		trace_writer_block(&writer, (enum spoor_block_kind)kind, 1, bad, 1);
	thread = trace_thread_begin(&writer, 1);
	trace_thread_user(thread, 0x80000001, 0x5eed, 1, 0);
	trace_thread_entry(thread, 1);
	trace_thread_end(thread);
}

/* Blocks whose lengths are at the limits of integers; a valid call follows each length. */
static void lengths(void)
{
	static const uint32_t bytes[] = { 0, 1, 23, 24, 25, INT32_MAX, 0x80000000u, UINT32_MAX - 63, UINT32_MAX };
	static const int32_t events[] = { 0, -1, INT32_MAX, INT32_MIN };
	struct spoor_block block;
	struct spoor_block_facts facts = { .kind = SPOOR_BLOCK_EVENTS, .process_id = 1, .thread_id = 1 };

	for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
		for (size_t j = 0; j < sizeof(events) / sizeof(*events); j++) {
			spoor_block_seal(&block, 0, &facts);
			block.header.payload_bytes = bytes[i];
			block.header.event_count = events[j];
			block.extension.checksum = 0;
			if (bytes[i] == sizeof(block.extension))
				block.extension.checksum = spoor_block_checksum(&block);
			if (write(writer.events_file, &block, sizeof(block)) < 0 || write(writer.process_file, &block, sizeof(block)) < 0)
				exit(1);
		}
		good_call();
	}
}

/* Clocks that run backwards, start before time 0, or stand still. */
static void times(void)
{
	static const struct spoor_clocks moments[] = {
		{ UINT64_MAX, INT64_MIN, INT64_MIN }, { 0, INT64_MAX, INT64_MAX }, { 1ull << 63, -1, -1 }, { 5, 5, 5 }, { 5, 4, 3 },
	};
	struct spoor_block block;
	struct trace_thread *thread = trace_thread_begin(&writer, 1);

	for (size_t i = 0; i < sizeof(moments) / sizeof(*moments); i++) {
		struct spoor_block_facts facts = { .kind = SPOOR_BLOCK_PROCESS, .process_id = 1, .clocks = moments[i] };
		uint64_t words[2] = { moments[i].counter, SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, 1) };

		if (write(writer.process_file, &block, spoor_block_seal(&block, 0, &facts)) < 0)
			exit(1);
		trace_thread_extended(thread, SPOOR_EXTENDED_TIMED_EVENT, words, 2);
		trace_thread_extended(thread, SPOOR_EXTENDED_TIME, &moments[i].counter, 1);
		trace_thread_user(thread, 0x80000001, 1, 1, (uint64_t)moments[i].steady_ns);
		trace_thread_exit(thread, 1);
		trace_thread_flush(thread);
	}
	trace_thread_end(thread);
}

/* Slices that refer to words outside of the slice; sequence numbers at the limits of their type. */
static void slices(void)
{
	struct trace_thread *pieces[8];

	good_call();
	for (uint32_t i = 0; i < 8; i++) {
		struct spoor_slice_info *info;

		pieces[i] = trace_thread_begin(&writer, 1);
		trace_thread_entry(pieces[i], i);
		info = &pieces[i]->info;
		info->words = i & 1 ? UINT32_MAX : 0;
		info->offset = i == 1 ? SPOOR_SLICE_BYTES : i == 2 ? SPOOR_SLICE_BYTES - 8 : i == 3 ? 4 : 0;
		info->sequence = i == 4 ? UINT64_MAX : 0;
		info->lost = i == 5 ? UINT64_MAX : 0;
		info->holes = UINT32_MAX;
		info->next = i + 1;
		info->thread_serial = i == 6 ? UINT32_MAX : i == 7 ? 0 : 1;
	}
	trace_writer_pool(&writer, pieces, 8, 0);
	for (uint32_t i = 0; i < 8; i++)
		trace_thread_free(pieces[i]);
}

/* Very deep stacks; then exits of functions that are not open, unwinding to unknown frames, and losses. */
static void deep(void)
{
	struct trace_thread *thread = trace_thread_begin(&writer, 1);
	const uint64_t loss[2] = { 1, SPOOR_LOSS_POOL_EXHAUSTED };

	module(1, 0, 10, "/nowhere/deep");
	for (uint32_t i = 0; i < count; i++) {
		trace_thread_entry(thread, i % 3);
		trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_FRAME, i % 1000 + 1, writer.counter));
	}
	for (uint32_t i = 0; i < count; i++) {
		trace_thread_exit(thread, 7);
		trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_UNWIND, i + 5000, writer.counter));
		if (i % 4 == 0)
			trace_thread_extended(thread, SPOOR_EXTENDED_LOST, loss, 2);
	}
	trace_thread_end(thread);
}

/* Stacks that a thread leaves and never continues. */
static void stacks(void)
{
	struct trace_thread *thread = trace_thread_begin(&writer, 1);

	for (uint32_t i = 0; i < count; i++) {
		trace_thread_entry(thread, 1);
		trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_SWITCH, i, writer.counter));
		trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_SWITCH, SPOOR_SWITCH_GOES_ON | (i + 1000000), writer.counter));
	}
	trace_thread_end(thread);
}

/* More losses, threads and modules than any process has. */
static void many(void)
{
	struct spoor_loss_record *losses = calloc(count, sizeof(*losses));

	for (uint32_t i = 0; i < count; i++)
		losses[i] = (struct spoor_loss_record){ i % 3, i, 1 };
	for (uint32_t i = 0; i < count; i += 1000)
		trace_writer_block(&writer, SPOOR_BLOCK_LOSS, 0, &losses[i], 1000 * sizeof(*losses));
	free(losses);
	for (uint32_t i = 0; i < count / 100; i++) {
		struct spoor_module_gone gone = { 10 * i, 10, writer.counter };
		struct trace_thread *thread;

		module(i, 10 * i, 20, "/nowhere/many");
		trace_writer_block(&writer, SPOOR_BLOCK_MODULE_GONE, 0, &gone, sizeof(gone));
		trace_writer_block(&writer, SPOOR_BLOCK_THREAD, i, "name", 4);
		thread = trace_thread_begin(&writer, i);
		trace_thread_entry(thread, 10 * i);
		trace_thread_exit(thread, 10 * i);
		trace_thread_end(thread);
	}
}

/* Counts of functions that do not exist, in more lanes than exist. @what selects one defect. */
static void counts(uint32_t what)
{
	struct spoor_count_header header = {
		.magic = SPOOR_COUNT_MAGIC, .version = SPOOR_TRACE_VERSION, .indexes = SPOOR_COUNT_INDEXES, .lanes = 64,
	};
	const uint64_t most = UINT64_MAX;
	char path[4096];
	int fd;

	if (what == 1)
		header.lanes = UINT32_MAX;
	if (what == 2)
		header.indexes = UINT32_MAX;
	snprintf(path, sizeof(path), "%s/1/" SPOOR_COUNTS_FILE, trace);
	if (what == 3 && mkfifo(path, 0600) == 0)
		return;
	if (what == 4 && symlink("/dev/zero", path) == 0)
		return;
	write_file(SPOOR_COUNTS_FILE, &header, sizeof(header));
	fd = openat(writer.folder, SPOOR_COUNTS_FILE, O_WRONLY | O_CLOEXEC);
	for (uint32_t lane = 0; lane < 64; lane++)
		if (pwrite(fd, &most, 8, (off_t)spoor_count_offset(lane, SPOOR_COUNT_INDEXES - 1 - lane)) != 8)
			exit(1);
	close(fd);
}

static void counts_without_owner(void)
{
	counts(0);
}

static void counts_lanes(void)
{
	counts(1);
}

static void counts_indexes(void)
{
	counts(2);
}

static void counts_fifo(void)
{
	counts(3);
}

static void counts_device(void)
{
	counts(4);
}

/* Files of version 0 next to the others; each has a different length in its header. */
static void version0(void)
{
	static const int32_t events[] = { 0, 1, -1, INT32_MAX, INT32_MIN };

	for (int compression = 0; compression < 4; compression++) {
		for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
			struct {
				struct spoor_trace_header header;
				uint8_t body[64];
			} file = {
				.header = { .compression = (uint8_t)compression, .process_id = INT64_MIN, .thread_id = UINT64_MAX,
					    .steady_clock_ns = INT64_MIN, .event_count = events[i] },
			};
			char path[4096];
			int fd;

			memcpy(file.header.magic, SPOOR_TRACE_MAGIC, SPOOR_TRACE_MAGIC_SIZE);
			memset(file.body, 0xff, sizeof(file.body));
			snprintf(path, sizeof(path), "%s/%016x-%016x-%016zx.spoor_trace", trace, 1, compression, i);
			fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
			if (fd < 0 || write(fd, &file, sizeof(file)) < 0 || close(fd) < 0)
				exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(void);
	} makers[] = {
		{ "overlapping", overlapping }, { "names", names }, { "lengths", lengths }, { "times", times },
		{ "slices", slices }, { "deep", deep }, { "stacks", stacks }, { "many", many },
		{ "counts_without_owner", counts_without_owner }, { "counts_lanes", counts_lanes },
		{ "counts_indexes", counts_indexes }, { "counts_fifo", counts_fifo }, { "counts_device", counts_device },
		{ "version0", version0 },
	};

	if (argc != 3) {
		fprintf(stderr, "usage: make_hostile DIR COUNT\n");
		return 2;
	}
	count = (uint32_t)atol(argv[2]);
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		static char path[4096];

		snprintf(path, sizeof(path), "%s/%s", argv[1], makers[i].name);
		trace = path;
		trace_writer_begin(&writer, path, "1", 1);
		makers[i].make();
		trace_writer_end(&writer, true);
	}
	return 0;
}
