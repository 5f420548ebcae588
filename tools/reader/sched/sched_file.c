/* SPDX-License-Identifier: MIT */
/* sched_file.c - indexes the blocks of sched.spoor by thread, and reads the changes of a thread. */
#include "reader/sched/sched_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/files/printable_text.h"
#include "reader/sched/call_targets.h"

#define AROUND "../" SPOOR_SCHED_FILE

/* Returns the thread of a block, or null if memory runs out. */
static struct sched_thread_places *thread_of(struct sched_file *file, const struct block *block)
{
	uint32_t *at = map64_at(&file->thread_at, block->header.thread_id);

	if (!at)
		return NULL;
	if (*at) {
		file->threads[*at - 1].is_reused |= file->threads[*at - 1].process_id != block->header.process_id;
		return &file->threads[*at - 1];
	}
	if (file->thread_count == file->thread_room) {
		size_t room = file->thread_room ? 2 * file->thread_room : 64;
		struct sched_thread_places *threads = reallocarray(file->threads, room, sizeof(*threads));

		if (!threads)
			return NULL;
		file->threads = threads;
		file->thread_room = room;
	}
	file->threads[file->thread_count++] = (struct sched_thread_places){
		.thread_id = (uint32_t)block->header.thread_id, .process_id = block->header.process_id,
	};
	*at = (uint32_t)file->thread_count;
	return &file->threads[*at - 1];
}

/* Appends the block to its thread's blocks. Returns the thread, or null if memory runs out. */
static struct sched_thread_places *add_place(struct sched_file *file, const struct block *block)
{
	struct sched_thread_places *thread = thread_of(file, block);

	if (!thread)
		return NULL;
	if (file->place_count == file->place_room) {
		size_t room = file->place_room ? 2 * file->place_room : 64;
		struct sched_place *places = reallocarray(file->places, room, sizeof(*places));

		if (!places)
			return NULL;
		file->places = places;
		file->place_room = room;
	}
	file->places[file->place_count++] = (struct sched_place){ .offset = block->offset };
	if (thread->last)
		file->places[thread->last - 1].next = (uint32_t)file->place_count;
	else
		thread->first = (uint32_t)file->place_count;
	thread->last = (uint32_t)file->place_count;
	return thread;
}

/* Returns the number of words in a block of changes. */
static size_t block_words(const struct block *block)
{
	if (block->body_bytes < sizeof(struct spoor_sched_info))
		return 0;
	return (block->body_bytes - sizeof(struct spoor_sched_info)) / sizeof(uint64_t);
}

static int add_target(struct sched_file *file, const struct block *block)
{
	if (file->target_count == file->target_room) {
		size_t room = file->target_room ? 2 * file->target_room : 64;
		struct sched_target_place *targets = reallocarray(file->targets, room, sizeof(*targets));

		if (!targets)
			return -ENOMEM;
		file->targets = targets;
		file->target_room = room;
	}
	file->targets[file->target_count++] = (struct sched_target_place){ block->offset, block->header.process_id };
	return 0;
}

static int add_name(struct sched_file *file, size_t number, const char *name, uint8_t flags)
{
	if (number >= file->name_count) {
		struct sched_name *names = reallocarray(file->names, number + 1, sizeof(*names));

		if (!names)
			return -ENOMEM;
		memset(names + file->name_count, 0, (number + 1 - file->name_count) * sizeof(*names));
		file->names = names;
		file->name_count = number + 1;
	}
	if (file->names[number].text || !*name)
		return 0;
	file->names[number] = (struct sched_name){ strdup(name), flags };
	return clean_name(file->names[number].text) ? 0 : -ENOMEM;
}

static int add_names(struct sched_file *file, const struct block *block)
{
	const uint8_t *at = block->body, *end = at + block->body_bytes, *name_end;
	int error = 0;

	for (; !error && end - at > SPOOR_SCHED_NAME_HEAD; at = name_end + 1) {
		name_end = memchr(at + SPOOR_SCHED_NAME_HEAD, 0, (size_t)(end - at) - SPOOR_SCHED_NAME_HEAD);
		if (!name_end)
			break;
		error = add_name(file, at[0] | (size_t)at[1] << 8, (const char *)at + SPOOR_SCHED_NAME_HEAD, at[2]);
	}
	return error;
}

static void add_lost(const struct block *block, uint64_t *sum)
{
	struct spoor_sched_lost lost;

	if (block->body_bytes < sizeof(lost))
		return;
	memcpy(&lost, block->body, sizeof(lost));
	*sum += lost.changes;
}

static int take_block(struct sched_file *file, const struct block *block)
{
	struct sched_thread_places *thread;
	size_t words;

	switch (block->extension.kind) {
	case SPOOR_BLOCK_SCHED_BEGIN:
		if (block->body_bytes >= sizeof(file->begin))
			memcpy(&file->begin, block->body, sizeof(file->begin));
		return 0;
	case SPOOR_BLOCK_SCHED:
		words = block_words(block);
		thread = words ? add_place(file, block) : NULL;
		if (thread)
			thread->words += words;
		file->changes += words;
		return !words || thread ? 0 : -ENOMEM;
	case SPOOR_BLOCK_SCHED_WAIT:
		thread = add_place(file, block);
		if (thread)
			thread->waits++;
		file->waits++;
		return thread ? 0 : -ENOMEM;
	case SPOOR_BLOCK_SCHED_CALLS:
		thread = add_place(file, block);
		if (thread)
			thread->call_blocks++;
		return thread ? 0 : -ENOMEM;
	case SPOOR_BLOCK_SCHED_TARGET:
		return add_target(file, block);
	case SPOOR_BLOCK_SCHED_NAMES:
		return add_names(file, block);
	case SPOOR_BLOCK_SCHED_LOST:
		add_lost(block, &file->lost);
		return 0;
	case SPOOR_BLOCK_SCHED_CALLS_LOST:
		add_lost(block, &file->lost_calls);
		return 0;
	default:
		return 0;
	}
}

static bool is_there(int directory)
{
	return faccessat(directory, SPOOR_SCHED_FILE, F_OK, 0) == 0 || faccessat(directory, AROUND, F_OK, 0) == 0;
}

bool sched_file_exists(const char *path)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool exists = directory >= 0 && is_there(directory);

	if (directory >= 0)
		close(directory);
	return exists;
}

int sched_file_open(struct sched_file *file, int directory, const char *path)
{
	struct block block;
	char *name;
	int got, error;

	file->is_read = true;
	pthread_mutex_init(&file->lock, NULL);
	pthread_mutex_init(&file->descriptors_lock, NULL);
	if (!is_there(directory))
		return 0;
	if (asprintf(&name, "%s/" SPOOR_SCHED_FILE, path) < 0)
		return -ENOMEM;
	error = block_file_open(&file->blocks, directory, SPOOR_SCHED_FILE, name);
	if (error && error != -ENOMEM)
		error = block_file_open(&file->blocks, directory, AROUND, name);
	free(name);
	/* Without the file the trace is complete except for these times. */
	if (error)
		return error == -ENOMEM ? error : 0;
	while (!error && (got = block_file_next(&file->blocks, &block)) > 0)
		error = take_block(file, &block);
	file->damaged = block_file_complain(&file->blocks, "times of waiting are missing");
	file->is_there = true;
	return error;
}

void sched_file_close(struct sched_file *file)
{
	if (!file->is_read)
		return;
	block_file_close(&file->blocks);
	map64_free(&file->thread_at);
	free(file->threads);
	free(file->places);
	for (size_t i = 0; i < file->name_count; i++)
		free(file->names[i].text);
	free(file->names);
	free(file->targets);
	call_targets_free(file->descriptors);
	pthread_mutex_destroy(&file->lock);
	pthread_mutex_destroy(&file->descriptors_lock);
	*file = (struct sched_file){ 0 };
}

static int compare_changes(const void *left, const void *right)
{
	const struct sched_change *a = left, *b = right;

	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

/* Changes of a thread are nearly sorted: most arrays need no work. */
static void sort_changes(struct sched_change *changes, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (changes[i - 1].time_ns <= changes[i].time_ns)
			continue;
		qsort(changes, count, sizeof(*changes), compare_changes);
		return;
	}
}

static size_t read_block(struct sched_file *file, uint64_t offset, struct sched_change *changes, size_t room)
{
	struct spoor_sched_info info;
	struct block block;
	size_t words, count = 0;

	if (block_file_read(&file->blocks, offset, &block) != BLOCK_GOOD || block.extension.kind != SPOOR_BLOCK_SCHED)
		return 0;
	words = block_words(&block);
	words = words < room ? words : room;
	memcpy(&info, block.body, sizeof(info));
	for (size_t i = 0; i < words; i++) {
		uint64_t word;
		uint32_t letter;

		memcpy(&word, block.body + sizeof(info) + i * sizeof(word), sizeof(word));
		if (!spoor_sched_kind_of(word)) {
			if (count)
				changes[count - 1].waker = (uint32_t)word;
			continue;
		}
		letter = spoor_sched_processor(word);
		changes[count] = (struct sched_change){
			.time_ns = info.base_ns + spoor_sched_since(word),
			.processor = (uint16_t)spoor_sched_processor(word),
			.kind = (uint8_t)spoor_sched_kind_of(word),
			.state = letter > ' ' && letter <= '~' ? (char)letter : '?',
		};
		/* A damaged base must not wrap around to an early time. */
		if (changes[count].time_ns < info.base_ns)
			changes[count].time_ns = UINT64_MAX;
		count++;
	}
	return count;
}

long sched_file_load(struct sched_file *file, uint32_t thread_id, struct sched_change **result)
{
	uint32_t at = file->is_there ? map64_find(&file->thread_at, thread_id) : 0;
	const struct sched_thread_places *thread;
	struct sched_change *changes;
	size_t count = 0;

	*result = NULL;
	if (!at)
		return 0;
	thread = &file->threads[at - 1];
	if (!thread->words)
		return 0;
	changes = calloc(thread->words, sizeof(*changes));
	if (!changes)
		return -ENOMEM;
	pthread_mutex_lock(&file->lock);
	for (uint32_t place = thread->first; place; place = file->places[place - 1].next)
		count += read_block(file, file->places[place - 1].offset, changes + count, thread->words - count);
	pthread_mutex_unlock(&file->lock);
	sort_changes(changes, count);
	*result = changes;
	return (long)count;
}

/* Returns 1, 0 if the block is something else, or -ENOMEM. */
static int read_wait(struct sched_file *file, uint64_t offset, struct sched_wait *result)
{
	struct spoor_sched_wait wait;
	struct block block;
	const char *texts;
	size_t bytes, name_bytes;

	if (block_file_read(&file->blocks, offset, &block) != BLOCK_GOOD || block.extension.kind != SPOOR_BLOCK_SCHED_WAIT ||
	    block.body_bytes <= sizeof(wait))
		return 0;
	memcpy(&wait, block.body, sizeof(wait));
	texts = (const char *)block.body + sizeof(wait);
	bytes = block.body_bytes - sizeof(wait);
	name_bytes = strnlen(texts, bytes - 1) + 1;
	*result = (struct sched_wait){
		.begin_ns = wait.begin_ns, .end_ns = wait.end_ns, .argument = wait.argument,
		.is_descriptor = wait.flags & SPOOR_SCHED_WAIT_DESCRIPTOR,
	};
	/* Two more bytes, so that both texts end even in a damaged block. */
	result->name = calloc(1, bytes + 2);
	if (!result->name)
		return -ENOMEM;
	memcpy(result->name, texts, bytes);
	result->target = result->name + name_bytes;
	clean_name(result->name);
	clean_name(result->target);
	return 1;
}

static int compare_waits(const void *left, const void *right)
{
	const struct sched_wait *a = left, *b = right;

	return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

long sched_file_load_waits(struct sched_file *file, uint32_t thread_id, struct sched_wait **result)
{
	uint32_t at = file->is_there ? map64_find(&file->thread_at, thread_id) : 0;
	const struct sched_thread_places *thread;
	struct sched_wait *waits;
	long count = 0;
	int got = 0;

	*result = NULL;
	if (!at || !file->threads[at - 1].waits)
		return 0;
	thread = &file->threads[at - 1];
	waits = calloc(thread->waits, sizeof(*waits));
	if (!waits)
		return -ENOMEM;
	pthread_mutex_lock(&file->lock);
	for (uint32_t place = thread->first; place && got >= 0 && (uint64_t)count < thread->waits; place = file->places[place - 1].next) {
		got = read_wait(file, file->places[place - 1].offset, &waits[count]);
		count += got > 0;
	}
	pthread_mutex_unlock(&file->lock);
	if (got < 0) {
		while (count > 0)
			free(waits[--count].name);
		free(waits);
		return got;
	}
	if (count)
		qsort(waits, (size_t)count, sizeof(*waits), compare_waits);
	*result = waits;
	return count;
}
