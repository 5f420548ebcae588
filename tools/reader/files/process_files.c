/* SPDX-License-Identifier: MIT */
/*
 * process_files.c - reads the files in a process's folder: their records, and the places of events.
 *
 * Each file may be damaged, cut off or missing, independently of the others.
 */
#include "format/slice_words.h"
#include "format/values_format.h"
#include "reader/files/process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/message.h"
#include "base/progress.h"

void process_take_clocks(struct process *process, const struct block *block)
{
	const struct spoor_trace_header *header = &block->header;

	/* 0: the writer did not read the counter. */
	if (block->extension.counter)
		clock_add(&process->clock, block->extension.counter, header->steady_clock_ns, header->system_clock_ns);
	if (!process->begin_steady_ns || header->steady_clock_ns < process->begin_steady_ns) {
		process->begin_steady_ns = header->steady_clock_ns;
		process->begin_system_ns = header->system_clock_ns;
	}
	process->process_id = header->process_id;
	process->session_id = header->session_id;
}

static int read_process_file(struct process *process, int directory, struct symbol_cache *symbols)
{
	struct block_file file;
	struct block block;
	char *path;
	uint64_t senseless = 0;
	int error, more;

	if (asprintf(&path, "%s/" SPOOR_PROCESS_FILE, process->path) < 0)
		return -ENOMEM;
	error = block_file_open(&file, directory, SPOOR_PROCESS_FILE, path);
	if (error == -ENOMEM)
		goto free_path;
	if (error) {
		message("%s: %s; functions are shown by number", path, strerror(-error));
		process->damaged = true;
		error = 0;
		goto free_path;
	}
	while ((more = block_file_next(&file, &block)) > 0) {
		process_take_clocks(process, &block);
		error = process_take_record(process, &block, symbols);
		if (error == -ENOMEM)
			goto close_file;
		senseless += error != 0;
	}
	error = 0;
	if (more < 0) {
		message("%s: cannot read: %s", path, strerror(-more));
		process->damaged = true;
	}
	if (senseless) {
		message("%s: %" PRIu64 " invalid record%s skipped", path, senseless, senseless == 1 ? "" : "s");
		process->damaged = true;
	}
	if (!file.window.size) {
		message("%s: empty; functions are shown by number", path);
		process->damaged = true;
	}
	if (block_file_complain(&file, "names may be missing"))
		process->damaged = true;
	/* The other files of the process have the same version and byte order. */
	if (!file.good_blocks && (file.first_fault == BLOCK_BIG_ENDIAN || file.first_fault == BLOCK_VERSION))
		error = -ENOTSUP;

close_file:
	block_file_close(&file);
free_path:
	free(path);
	return error;
}

bool process_slice_info(const struct block *block, struct spoor_slice_info *info)
{
	uint64_t words, bytes;

	if (block->body_bytes < sizeof(*info) || block->header.event_count < 0)
		return false;
	memcpy(info, block->body, sizeof(*info));
	words = (uint64_t)block->header.event_count;
	bytes = block->body_bytes - sizeof(*info);
	switch (block->header.compression) {
	case SPOOR_COMPRESSION_NONE:
		return words * 8 == bytes;
	case SPOOR_COMPRESSION_PACKED:
		return words <= bytes;	/* a word takes at least one byte */
	case SPOOR_COMPRESSION_VALUES:
		/* An event with its record does. */
		return words <= bytes * (SPOOR_VALUES_WORDS_MAX + 2);
	default:
		return false;
	}
}

static int index_events_file(struct process *process, int directory, struct symbol_cache *symbols)
{
	struct block_file *file = &process->events;
	struct block block;
	struct spoor_slice_info info;
	uint64_t senseless = 0;
	char *path;
	int error, more = 0;

	if (asprintf(&path, "%s/" SPOOR_EVENTS_FILE, process->path) < 0)
		return -ENOMEM;
	error = block_file_open(file, directory, SPOOR_EVENTS_FILE, path);
	if (error) {
		if (error != -ENOMEM && error != -ENOENT) {
			message("%s: %s; its events are missing", path, strerror(-error));
			process->damaged = true;
		}
		goto free_path;
	}
	progress_begin("reading", file->window.size);
	while (!error && (more = block_file_next(file, &block)) > 0) {
		progress_add(sizeof(block.header) + block.header.payload_bytes);
		process_take_clocks(process, &block);
		if (block.extension.kind == SPOOR_BLOCK_LOSS && block.extension.flags & SPOOR_BLOCK_IN_USE)
			process->present_counter = block.extension.counter;
		if (block.extension.kind != SPOOR_BLOCK_EVENTS) {
			error = process_take_record(process, &block, symbols);
			senseless += error == -EBADMSG;
		} else if (process_slice_info(&block, &info)) {
			uint64_t words = (uint64_t)block.header.event_count;

			process->event_bytes += sizeof(block.header) + block.header.payload_bytes;
			error = block.extension.flags & SPOOR_BLOCK_PARTIAL
				? thread_index_add_partial(&process->threads, &info, words, block.offset)
				: thread_index_add(&process->threads, &info, words, block.offset);
			if (!error && block.extension.flags & (SPOOR_BLOCK_PARTIAL | SPOOR_BLOCK_IN_USE))
				thread_index_seen(&process->threads, &info, block.extension.counter);
		} else {
			senseless++;
		}
		if (error == -EBADMSG)
			error = 0;
	}
	progress_begin("", 0);
	if (error)
		goto free_path;
	if (more < 0)
		message("%s: cannot read: %s", path, strerror(-more));
	if (senseless)
		message("%s: %" PRIu64 " invalid block%s skipped", path, senseless, senseless == 1 ? "" : "s");
	if (more < 0 || senseless)
		process->damaged = true;
free_path:
	free(path);
	return error == -ENOMEM ? error : 0;
}

/* Adds the losses that the pool counted after the drainer's last record of them. */
static int take_losses(struct process *process, const uint64_t *lost)
{
	struct spoor_loss_record *losses =
		realloc(process->losses, (process->loss_count + SPOOR_LOSS_COUNT) * sizeof(*losses));

	if (!losses)
		return -ENOMEM;
	process->losses = losses;
	for (uint32_t cause = 0; cause < SPOOR_LOSS_COUNT; cause++) {
		size_t at = 0;

		while (at < process->loss_count && (losses[at].cause != cause || losses[at].thread_id))
			at++;
		if (at == process->loss_count)
			losses[process->loss_count++] = (struct spoor_loss_record){ .cause = cause };
		if (losses[at].events < lost[cause])
			losses[at].events = lost[cause];
	}
	return 0;
}

static int index_pool_file(struct process *process, int directory)
{
	struct pool_file *pool = &process->pool;
	char *path;
	int error;

	if (asprintf(&path, "%s/" SPOOR_POOL_FILE, process->path) < 0)
		return -ENOMEM;
	error = pool_file_open(pool, directory, SPOOR_POOL_FILE, path);
	free(path);
	if (error) {
		process->damaged |= error != -ENOENT;
		return 0;
	}
	clock_add(&process->clock, pool->header.begin.counter, pool->header.begin.steady_ns,
		  pool->header.begin.system_ns);
	if (pool->header.latest.counter)
		clock_add(&process->clock, pool->header.latest.counter, pool->header.latest.steady_ns,
			  pool->header.latest.system_ns);
	process->pool_counter = pool->header.latest.counter;
	if (!process->process_id)
		process->process_id = pool->header.process_id;
	error = take_losses(process, pool->header.lost);
	if (error)
		return error;
	for (uint32_t slice = 0; slice < pool->slice_count; slice++) {
		struct spoor_slice_info info;
		int taken = pool_file_info(pool, slice, &info);

		if (taken < 0) {
			message("%s: cannot read: %s; events in it are missing", pool->path, strerror(-taken));
			process->damaged = true;
			break;
		}
		error = taken ? thread_index_add(&process->threads, &info, 0, THREAD_PLACE_POOL | slice) : 0;
		if (taken && !error && !info.words && !info.ended_ns)
			thread_index_seen(&process->threads, &info, pool->header.latest.counter);
		if (error)
			return error;
	}
	return 0;
}

static int read_counts(struct process *process, int directory)
{
	char *path;
	int error;

	if (asprintf(&path, "%s/" SPOOR_COUNTS_FILE, process->path) < 0)
		return -ENOMEM;
	error = count_file_read(&process->counts, directory, SPOOR_COUNTS_FILE, path);
	free(path);
	process->damaged |= error && error != -ENOENT;
	return error == -ENOMEM ? error : 0;
}

static int read_order(struct process *process, int directory)
{
	char *path;
	int error;

	if (asprintf(&path, "%s/" SPOOR_ORDER_FILE, process->path) < 0)
		return -ENOMEM;
	error = order_file_read(&process->order, directory, SPOOR_ORDER_FILE, path);
	free(path);
	process->damaged |= process->order.damaged || (error && error != -ENOENT);
	return error == -ENOMEM ? error : 0;
}

/*
 * Returns whether the last block is the only fault of the events file, and its slice is still in the
 * pool. That happens if a drainer was killed during a write, because it frees a slice only after
 * writing it.
 */
static bool torn_is_in_pool(struct process *process)
{
	struct block_file *file = &process->events;
	struct spoor_slice_info torn, info;
	const uint8_t *bytes;

	if (file->damaged_places || process->ended || !process->pool.slice_count)
		return false;
	if (file->torn_bytes < sizeof(struct spoor_block) + sizeof(torn))
		return true;	/* too short to identify the slice */
	bytes = file_window_at(&file->window, file->window.size - file->torn_bytes,
			       sizeof(struct spoor_block) + sizeof(torn));
	if (!bytes)
		return false;
	memcpy(&torn, bytes + sizeof(struct spoor_block), sizeof(torn));
	for (uint32_t slice = 0; slice < process->pool.slice_count; slice++)
		if (pool_file_info(&process->pool, slice, &info) > 0 && info.thread_serial == torn.thread_serial &&
		    info.sequence == torn.sequence)
			return true;
	return false;
}

/* Returns the number of bytes missing after the last block. The file may have grown since it was opened. */
static uint64_t missing_bytes(const struct process *process)
{
	struct stat status;

	if (process->events_bytes <= process->events.window.size || fstat(process->events.window.fd, &status) ||
	    (uint64_t)status.st_size >= process->events_bytes)
		return 0;
	return process->events_bytes - (uint64_t)status.st_size;
}

/* The drainer creates the events file before it records any module. */
static bool events_file_is_gone(const struct process *process)
{
	const char *mode = process_fact(process, "mode");

	return !process->events.path && process->module_count && mode &&
	       (strcmp(mode, "log") == 0 || strcmp(mode, "ring") == 0);
}

static void complain_of_events(struct process *process)
{
	uint64_t missing;

	if (events_file_is_gone(process)) {
		message("%s/" SPOOR_EVENTS_FILE ": %s; its events are missing", process->path, strerror(ENOENT));
		process->damaged = true;
	}
	if (!process->events.path)
		return;
	missing = missing_bytes(process);
	if (!torn_is_in_pool(process) && block_file_complain(&process->events, "events are missing")) {
		process->damaged = true;
	} else if (missing) {
		message("%s: cut off by %" PRIu64 " bytes; events are missing", process->events.path, missing);
		process->damaged = true;
	} else if (process->ended && !process->events.window.size) {
		message("%s: empty; events are missing", process->events.path);
		process->damaged = true;
	}
}

int process_read_files(struct process *process, int folder, struct symbol_cache *symbols)
{
	int error = read_process_file(process, folder, symbols);

	if (!error)
		error = index_events_file(process, folder, symbols);
	if (!error)
		error = index_pool_file(process, folder);
	if (!error)
		error = read_counts(process, folder);
	if (!error)
		error = read_order(process, folder);
	if (!error)
		complain_of_events(process);
	return error;
}

int process_count_pool_words(struct process *process)
{
	uint64_t *words;

	if (!process->pool.slice_count)
		return 0;
	words = malloc(SPOOR_SLICE_BYTES);
	if (!words)
		return -ENOMEM;
	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread_slices *thread = process->threads.threads[i];
		struct thread_place place;
		struct thread_walk walk;

		thread_walk_begin(&walk, thread);
		while (thread_walk_next(&walk, &place)) {
			struct spoor_slice_info info;
			uint32_t slice = (uint32_t)place.place, holes, events;

			if (!(place.place & THREAD_PLACE_POOL) || pool_file_info(&process->pool, slice, &info) <= 0)
				continue;
			long count = pool_file_words(&process->pool, slice, &info, words);
			if (count < 0)
				continue;
			spoor_slice_words_copy(words, words, (uint32_t)count, &holes, &events);
			thread->words += (uint64_t)count;
			thread->events += events;
			thread->holes += info.holes;
		}
	}
	free(words);
	return 0;
}
