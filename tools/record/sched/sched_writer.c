/* SPDX-License-Identifier: MIT */
/* sched_writer.c - collects changes and system calls of threads in blocks, and writes them to the file sched.spoor. */
#include "record/sched/sched_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/block.h"
#include "format/clocks.h"

/* A later change may have an earlier time by this much, if another processor's ring is read later. */
#define SLACK_NS (UINT64_C(1) << 33)

/* A block of system calls that is being filled. */
struct call_block {
	uint8_t *end;			/* of the entries */
	uint32_t entries;
	uint64_t last_ns;
	struct spoor_block block;
	struct spoor_sched_info info;
	uint8_t list[SPOOR_SCHED_CALLS_MAX];
};

/* The blocks of a thread that are being filled. */
struct sched_thread {
	struct call_block *calls;	/* null: none yet */
	uint32_t process_id, thread_id;
	uint32_t words;
	struct spoor_block block;
	struct spoor_sched_info info;
	uint64_t list[SPOOR_SCHED_WORDS_MAX];
};

_Static_assert(offsetof(struct sched_thread, list) ==
	       offsetof(struct sched_thread, block) + sizeof(struct spoor_block) + sizeof(struct spoor_sched_info),
	       "the body follows the block's header");
_Static_assert(offsetof(struct call_block, list) ==
	       offsetof(struct call_block, block) + sizeof(struct spoor_block) + sizeof(struct spoor_sched_info),
	       "the body follows the block's header");

static int write_block(struct sched_writer *writer, void *block, size_t body_bytes, struct spoor_block_facts *facts)
{
	size_t bytes, done = 0;

	facts->session_id = writer->session_id;
	spoor_clocks_read(&facts->clocks, 0);
	bytes = spoor_block_seal(block, body_bytes, facts);
	while (done < bytes) {
		ssize_t put = pwrite(writer->fd, (const char *)block + done, bytes - done, (off_t)(writer->bytes + done));

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			int error = put < 0 ? errno : ENOSPC;

			if (!writer->error)
				writer->error = error;
			if (ftruncate(writer->fd, (off_t)writer->bytes) < 0)
				return -errno;
			return -error;
		}
		done += (size_t)put;
	}
	writer->bytes += bytes;
	return 0;
}

static void write_thread(struct sched_writer *writer, struct sched_thread *thread)
{
	struct spoor_block_facts facts = {
		.kind = SPOOR_BLOCK_SCHED, .process_id = thread->process_id, .thread_id = thread->thread_id,
		.event_count = thread->words,
	};

	if (!thread->words)
		return;
	if (write_block(writer, &thread->block, sizeof(thread->info) + thread->words * sizeof(uint64_t), &facts) < 0)
		sched_writer_lose(writer, thread->words, 0);
	else
		writer->changes += thread->words;
	thread->words = 0;
}

static void write_calls(struct sched_writer *writer, struct sched_thread *thread)
{
	struct call_block *calls = thread->calls;
	struct spoor_block_facts facts = {
		.kind = SPOOR_BLOCK_SCHED_CALLS, .process_id = thread->process_id, .thread_id = thread->thread_id,
	};

	if (!calls || !calls->entries)
		return;
	facts.event_count = calls->entries;
	if (write_block(writer, &calls->block, sizeof(calls->info) + (size_t)(calls->end - calls->list), &facts) < 0)
		sched_writer_lose_calls(writer, calls->entries, 0);
	else
		writer->calls += calls->entries;
	calls->entries = 0;
}

static void end_thread(struct sched_writer *writer, struct sched_thread *thread)
{
	write_thread(writer, thread);
	write_calls(writer, thread);
	free(thread->calls);
	free(thread);
}

int sched_writer_begin(struct sched_writer *writer, const char *trace_path, const struct spoor_sched_begin *begin)
{
	const char *session = getenv("SPOOR_RUNTIME_SESSION_ID");
	struct {
		struct spoor_block block;
		struct spoor_sched_begin begin;
	} first = { .begin = *begin };
	struct spoor_block_facts facts = { .kind = SPOOR_BLOCK_SCHED_BEGIN, .process_id = (uint32_t)getpid() };
	char path[PATH_MAX];
	int error;

	*writer = (struct sched_writer){ .fd = -1, .session_id = session ? strtoull(session, NULL, 10) : 0 };
	if (snprintf(path, sizeof(path), "%s/" SPOOR_SCHED_FILE, trace_path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	writer->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (writer->fd < 0)
		return -errno;
	error = write_block(writer, &first, sizeof(*begin), &facts);
	if (error) {
		close(writer->fd);
		unlink(path);
		writer->fd = -1;
	}
	return error;
}

/* Returns an unused position + 1, or 0 if memory runs out. */
static uint32_t find_position(struct sched_writer *writer)
{
	if (writer->unused_count)
		return writer->unused[--writer->unused_count] + 1;
	if (writer->count == writer->capacity) {
		size_t capacity = writer->capacity ? 2 * writer->capacity : 64;
		struct sched_thread **threads = reallocarray(writer->threads, capacity, sizeof(*threads));
		uint32_t *unused;

		if (!threads)
			return 0;
		writer->threads = threads;
		unused = reallocarray(writer->unused, capacity, sizeof(*unused));
		if (!unused)
			return 0;
		writer->unused = unused;
		writer->capacity = capacity;
	}
	writer->threads[writer->count] = NULL;
	return (uint32_t)++writer->count;
}

static struct sched_thread *thread_of(struct sched_writer *writer, uint32_t process_id, uint32_t thread_id, uint32_t **at)
{
	struct sched_thread *thread;
	uint32_t position;

	*at = map64_at(&writer->thread_at, thread_id);
	if (!*at)
		return NULL;
	if (**at && **at != SCHED_THREAD_ENDED)
		return writer->threads[**at - 1];
	**at = SCHED_THREAD_ENDED;
	thread = malloc(sizeof(*thread));
	if (!thread)
		return NULL;
	thread->process_id = process_id;
	thread->thread_id = thread_id;
	thread->words = 0;
	thread->calls = NULL;
	position = find_position(writer);
	if (!position) {
		free(thread);
		return NULL;
	}
	**at = position;
	return writer->threads[position - 1] = thread;
}

void sched_writer_add(struct sched_writer *writer, const struct perf_change *change)
{
	bool is_waking = change->kind == SPOOR_SCHED_WAKING;
	struct sched_thread *thread;
	uint64_t since_ns;
	uint32_t *at, known = map64_find(&writer->thread_at, change->thread_id);

	/* A recorded thread may wake any other thread. */
	if (is_waking && (!known || known == SCHED_THREAD_ENDED))
		return;
	thread = thread_of(writer, change->process_id, change->thread_id, &at);
	if (!thread) {
		sched_writer_lose(writer, 1, 0);
		return;
	}
	/* Both words of a waking are in one block. */
	if ((is_waking && thread->words > SPOOR_SCHED_WORDS_MAX - 2) ||
	    (thread->words && change->time_ns > thread->info.base_ns + SPOOR_SCHED_TIME_MAX))
		write_thread(writer, thread);
	if (!thread->words)
		thread->info.base_ns = change->time_ns > SLACK_NS ? change->time_ns - SLACK_NS : 0;
	since_ns = change->time_ns > thread->info.base_ns ? change->time_ns - thread->info.base_ns : 0;
	thread->list[thread->words++] = spoor_sched_word(change->kind, change->kind == SPOOR_SCHED_STATE ? (uint8_t)change->state :
							 change->processor, since_ns);
	if (is_waking)
		thread->list[thread->words++] = spoor_sched_word((enum spoor_sched_kind)0, 0, change->waker);
	if (thread->words == SPOOR_SCHED_WORDS_MAX)
		write_thread(writer, thread);
	if (change->kind == SPOOR_SCHED_ENDED) {
		writer->unused[writer->unused_count++] = *at - 1;
		writer->threads[*at - 1] = NULL;
		*at = SCHED_THREAD_ENDED;
		end_thread(writer, thread);
	}
}

void sched_writer_call(struct sched_writer *writer, const struct perf_call *call)
{
	uint32_t *at;
	struct sched_thread *thread = thread_of(writer, call->process_id, call->thread_id, &at);
	struct call_block *calls = thread ? thread->calls : NULL;

	if (thread && !calls)
		calls = thread->calls = calloc(1, sizeof(*calls));
	if (!calls) {
		sched_writer_lose_calls(writer, 1, 0);
		return;
	}
	if (calls->entries && calls->end > calls->list + SPOOR_SCHED_CALLS_MAX - SPOOR_SCHED_CALL_MAX)
		write_calls(writer, thread);
	if (!calls->entries++) {
		calls->info.base_ns = calls->last_ns = call->time_ns;
		calls->end = calls->list;
	}
	calls->end = spoor_leb128_put(calls->end, (uint64_t)((uint32_t)call->number + 1) << 1 | call->is_end);
	calls->end = spoor_leb128_put(calls->end, spoor_zigzag((int64_t)(call->time_ns - calls->last_ns)));
	calls->end = spoor_leb128_put(calls->end, call->is_end ? spoor_zigzag((int64_t)call->value) : call->value);
	calls->last_ns = call->time_ns;
}

void sched_writer_target(struct sched_writer *writer, uint32_t process_id, const struct spoor_sched_target *target,
			 const char *name)
{
	struct {
		struct spoor_block block;
		struct spoor_sched_target target;
		char name[PATH_MAX];
	} block = { .target = *target };
	struct spoor_block_facts facts = { .kind = SPOOR_BLOCK_SCHED_TARGET, .process_id = process_id };
	size_t bytes = strlen(name) + 1;

	if (writer->error || bytes > sizeof(block.name))
		return;
	memcpy(block.name, name, bytes);
	write_block(writer, &block, sizeof(block.target) + bytes, &facts);
}

void sched_writer_names(struct sched_writer *writer, const void *names, size_t bytes)
{
	struct spoor_block_facts facts = { .kind = SPOOR_BLOCK_SCHED_NAMES };
	struct spoor_block *block = malloc(sizeof(*block) + bytes);

	if (!block)
		return;
	memcpy(block + 1, names, bytes);
	if (!writer->error)
		write_block(writer, block, bytes, &facts);
	free(block);
}

void sched_writer_wait(struct sched_writer *writer, uint32_t process_id, uint32_t thread_id,
		       const struct spoor_sched_wait *wait, const char *name, const char *target)
{
	struct {
		struct spoor_block block;
		struct spoor_sched_wait wait;
		char texts[PATH_MAX + 64];
	} block = { .wait = *wait };
	struct spoor_block_facts facts = { .kind = SPOOR_BLOCK_SCHED_WAIT, .process_id = process_id, .thread_id = thread_id };
	int bytes = snprintf(block.texts, sizeof(block.texts), "%s%c%s", name, '\0', target) + 1;

	if (writer->error || bytes > (int)sizeof(block.texts))
		return;
	write_block(writer, &block, sizeof(block.wait) + (size_t)bytes, &facts);
}

static void write_lost(struct sched_writer *writer, enum spoor_block_kind kind, uint64_t count, uint64_t time_ns)
{
	struct {
		struct spoor_block block;
		struct spoor_sched_lost lost;
	} block = { .lost = { time_ns, count } };
	struct spoor_block_facts facts = { .kind = kind };

	if (!writer->error)
		write_block(writer, &block, sizeof(block.lost), &facts);
}

void sched_writer_lose(struct sched_writer *writer, uint64_t changes, uint64_t time_ns)
{
	writer->lost += changes;
	write_lost(writer, SPOOR_BLOCK_SCHED_LOST, changes, time_ns);
}

void sched_writer_lose_calls(struct sched_writer *writer, uint64_t calls, uint64_t time_ns)
{
	writer->lost_calls += calls;
	write_lost(writer, SPOOR_BLOCK_SCHED_CALLS_LOST, calls, time_ns);
}

void sched_writer_end(struct sched_writer *writer)
{
	for (size_t i = 0; i < writer->count; i++)
		if (writer->threads[i])
			end_thread(writer, writer->threads[i]);
	free(writer->threads);
	free(writer->unused);
	map64_free(&writer->thread_at);
	if (writer->fd >= 0)
		close(writer->fd);
	writer->fd = -1;
}
