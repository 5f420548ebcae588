/* SPDX-License-Identifier: MIT */
/*
 * fuzz_sched_file.c - reads a file of switches, waits, system calls and losses with any content.
 *
 * Input: blocks of 1 byte for the kind, 1 byte for the thread, 1 byte for the number of bytes, and so
 * many bytes; the last byte says how many bytes of the file are cut off.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/block.h"
#include "fuzz.h"
#include "reader/files/process.h"
#include "reader/sched/thread_calls.h"
#include "reader/sched/thread_sched.h"

#define THREADS 4u

static const enum spoor_block_kind kinds[] = {
	SPOOR_BLOCK_SCHED_BEGIN, SPOOR_BLOCK_SCHED, SPOOR_BLOCK_SCHED_LOST, SPOOR_BLOCK_SCHED_WAIT, SPOOR_BLOCK_THREAD,
	SPOOR_BLOCK_SCHED_CALLS, SPOOR_BLOCK_SCHED_NAMES, SPOOR_BLOCK_SCHED_CALLS_LOST,
	SPOOR_BLOCK_SCHED_TARGET,
};

/* Checks a thread: gaps in order, and sums that do not depend on the way in which they are computed. */
static void verify(const struct process *process, uint32_t thread_id)
{
	struct thread_sched sched = { 0 };
	char text[SCHED_WAIT_TEXT_MAX];
	uint64_t step;

	if (thread_sched_load(&sched, process, thread_id))
		abort();
	for (size_t i = 0; i < sched.gap_count; i++) {
		const struct sched_gap *gap = &sched.gaps[i];

		if (gap->end_ns < gap->begin_ns || (i && gap[-1].end_ns > gap->begin_ns))
			abort();
		if (gap->wait > sched.wait_count || (thread_sched_wait_text(&sched, gap, true, text) && !*text))
			abort();
	}
	step = sched.gap_count ? sched.gaps[sched.gap_count - 1].begin_ns / 64 + 1 : 1;
	for (uint64_t at = step; at < 80 * step && at >= step; at += step) {
		struct sched_spent spent, between;
		uint64_t before = sched.mark_ns;

		thread_sched_between(&sched, before, at, &between);
		thread_sched_spend(&sched, at, &spent);
		if (memcmp(&spent, &between, sizeof(spent)) != 0 || spent.wait_ns + spent.preempted_ns > spent.wall_ns)
			abort();
	}
	thread_sched_free(&sched);
}

/* Checks that system calls do not overlap, and that each has a text. */
static void verify_calls(const struct process *process, uint32_t thread_id)
{
	struct thread_calls calls = { 0 };
	char text[THREAD_CALL_TEXT_MAX];

	if (thread_calls_load(&calls, process, thread_id))
		abort();
	for (size_t i = 0; i < calls.count; i++) {
		const struct thread_call *call = &calls.list[i];

		if (call->end_ns < call->begin_ns || (i && call[-1].end_ns != UINT64_MAX && call[-1].end_ns > call->begin_ns))
			abort();
		thread_call_text(&calls, call, process, text);
		if (!strchr(text, '('))
			abort();
	}
	thread_calls_free(&calls);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char folder[FUZZ_FOLDER_MAX];
	struct sched_file file = { 0 };
	struct process process = { .sched = &file };
	uint64_t length = 0;
	int fd, directory;
	uint8_t cut;

	if (!size)
		return 0;
	fuzz_folder(folder);
	directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cut = bytes[--size];
	fd = openat(directory, SPOOR_SCHED_FILE, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		abort();
	while (size > 3) {
		struct spoor_block_facts facts = {
			.kind = kinds[bytes[0] % (sizeof(kinds) / sizeof(*kinds))], .thread_id = 1 + bytes[1] % THREADS,
			.process_id = 1 + bytes[1] / THREADS % 2,
		};
		size_t body = bytes[2] < size - 3 ? bytes[2] : size - 3, all;
		uint8_t block[512];

		memcpy(block + sizeof(struct spoor_block), bytes + 3, body);
		all = spoor_block_seal(block, body, &facts);
		if (write(fd, block, all) != (ssize_t)all)
			abort();
		length += all;
		bytes += 3 + body;
		size -= 3 + body;
	}
	if (ftruncate(fd, (off_t)(length > cut ? length - cut : 0)))
		abort();
	close(fd);
	if (sched_file_open(&file, directory, folder))
		abort();
	for (uint32_t i = 0; i <= THREADS; i++) {
		verify(&process, i);
		verify_calls(&process, i);
	}
	sched_file_close(&file);
	unlinkat(directory, SPOOR_SCHED_FILE, 0);
	close(directory);
	rmdir(folder);
	return 0;
}
