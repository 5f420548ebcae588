/* SPDX-License-Identifier: MIT */
/*
 * process.c - opens one process of a trace and combines its files' contents. process_files.c reads the
 * files.
 */
#include "reader/files/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/files/capture_records.h"
#include "base/message.h"
#include "reader/files/printable_text.h"
#include "reader/events/root_calls.h"
#include "reader/events/thread_names.h"
#include "reader/files/version0.h"

static int compare_strings(const void *left, const void *right)
{
	const struct interned *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

const char *process_string(const struct process *process, uint64_t id)
{
	const struct interned wanted = { .id = id }, *found = NULL;

	if (process->string_count)
		found = bsearch(&wanted, process->strings, process->string_count, sizeof(*process->strings), compare_strings);
	return found ? found->text : NULL;
}

static int compare_tracepoints(const void *left, const void *right)
{
	const struct tracepoint *a = left, *b = right;

	return a->number < b->number ? -1 : a->number > b->number;
}

const struct tracepoint *process_tracepoint(const struct process *process, uint32_t number)
{
	const struct tracepoint wanted = { .number = number };

	return process->tracepoint_count ? bsearch(&wanted, process->tracepoints, process->tracepoint_count,
						   sizeof(*process->tracepoints), compare_tracepoints) : NULL;
}

/* Makes the title from the program's name, and its rank in a parallel job. Returns 0 or -ENOMEM. */
static int make_title(struct process *process)
{
	const char *path = process_fact(process, "executable"), *rank = process_fact(process, "rank");

	if (!path)
		path = process->module_count ? process->modules[0].path : "?";
	if (strrchr(path, '/'))
		path = strrchr(path, '/') + 1;
	if (asprintf(&process->title, "%s%s%s%s", path, rank ? " (rank " : "", rank ? rank : "", rank ? ")" : "") < 0)
		return -ENOMEM;
	clean_name(process->title);
	return 0;
}

int process_init(struct process *process, const char *name, const char *path)
{
	*process = (struct process){ .events.window.fd = -1, .pool.window.fd = -1 };
	clock_init(&process->clock);
	process->name = strdup(name);
	process->path = strdup(path);
	return process->name && process->path ? 0 : -ENOMEM;
}

int process_settle(struct process *process)
{
	const char *mode = process_fact(process, "mode");

	process->began_ring = mode && strcmp(mode, "ring") == 0;
	process->is_ring = process_was_ring(process, 0, UINT64_MAX);
	if (process->string_count)
		qsort(process->strings, process->string_count, sizeof(*process->strings), compare_strings);
	if (process->tracepoint_count)
		qsort(process->tracepoints, process->tracepoint_count, sizeof(*process->tracepoints), compare_tracepoints);
	free(process->title);
	process->title = NULL;
	return make_title(process);
}

/* Returns the ID that a process or thread has in the recorder's name space, if known. */
static uint64_t outer_id(const struct process *process, uint64_t id)
{
	uint32_t outer = map64_find(&process->outer_ids, id);

	return outer ? outer : id;
}

/* Replaces all IDs by those in the recorder's name space. */
static void move_ids(struct process *process)
{
	int64_t inner_id = process->process_id;

	if (!process->outer_ids.count)
		return;
	process->process_id = (int64_t)outer_id(process, (uint64_t)inner_id);
	if (process->process_id != inner_id)
		process->inner_id = inner_id;
	for (size_t i = 0; i < process->threads.count; i++)
		process->threads.threads[i]->thread_id = (uint32_t)outer_id(process, process->threads.threads[i]->thread_id);
	for (size_t i = 0; i < process->trigger_count; i++)
		process->triggers[i].thread_id = outer_id(process, process->triggers[i].thread_id);
	for (size_t i = 0; i < process->loss_count; i++)
		process->losses[i].thread_id = outer_id(process, process->losses[i].thread_id);
}

int process_open(struct process *process, int directory, const char *name, const char *path,
		 struct symbol_cache *symbols)
{
	int folder, error = process_init(process, name, path);

	if (error) {
		message("%s: %s", path, strerror(-error));
		process_close(process);
		return error;
	}
	folder = openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0) {
		error = -errno;
		message("%s: %s", path, strerror(errno));
		process_close(process);
		return error;
	}
	error = process_read_files(process, folder, symbols);
	if (!error)
		error = process_settle(process);
	if (!error)
		error = roots_settle(process);
	if (!error)
		error = thread_index_finish(&process->threads);
	if (!error)
		error = thread_names_settle(process);
	if (!error)
		error = process_count_pool_words(process);
	if (!error)
		error = clock_finish(&process->clock);
	close(folder);
	if (error) {
		if (error != -ENOTSUP)
			message("%s: %s", path, strerror(-error));
		process_close(process);
		return error;
	}
	if (!process->process_id)
		process->process_id = strtoll(name, NULL, 10);
	move_ids(process);
	if (process->clock.uncalibrated && process_words(process))
		message("%s: only one reading of the clock is in the trace: times are counts of the time stamp "
			"counter, not nanoseconds",
			path);
	return 0;
}

void process_close(struct process *process)
{
	for (size_t i = 0; i < process->module_count; i++) {
		free(process->modules[i].path);
		free(process->modules[i].soname);
		free(process->modules[i].build_id);
	}
	for (size_t i = 0; i < process->name_count; i++)
		free(process->names[i].name);
	for (size_t i = 0; i < process->foreign_count; i++)
		free(process->foreign[i].path);
	for (size_t i = 0; i < process->fact_count; i++)
		free(process->facts[i]);
	for (size_t i = 0; i < process->event_type_count; i++)
		free(process->event_types[i].name);
	for (size_t i = 0; i < process->string_count; i++)
		free(process->strings[i].text);
	for (size_t i = 0; i < process->tracepoint_count; i++) {
		free(process->tracepoints[i].name);
		free(process->tracepoints[i].path);
	}
	for (size_t i = 0; i < process->root_count; i++)
		free(process->roots[i]);
	process_free_captures(process);
	free(process->tracepoints);
	free(process->roots);
	free(process->modes);
	free(process->event_types);
	free(process->strings);
	free(process->triggers);
	free(process->dormant);
	for (size_t i = 0; i < process->disabled_count; i++)
		free(process->disabled[i].runs);
	free(process->disabled);
	free(process->modules);
	free(process->names);
	free(process->losses);
	map64_free(&process->module_at);
	map64_free(&process->loss_at);
	map64_free(&process->outer_ids);
	free(process->foreign);
	free(process->facts);
	clock_free(&process->clock);
	block_file_close(&process->events);
	pool_file_close(&process->pool);
	count_file_free(&process->counts);
	order_file_free(&process->order);
	thread_index_free(&process->threads);
	version0_free(process->version0);
	free(process->name);
	free(process->path);
	free(process->title);
	*process = (struct process){ .events.window.fd = -1, .pool.window.fd = -1 };
}

const char *process_fact(const struct process *process, const char *key)
{
	size_t length = strlen(key);

	for (size_t i = 0; i < process->fact_count; i++)
		if (strncmp(process->facts[i], key, length) == 0 && process->facts[i][length] == '=')
			return process->facts[i] + length + 1;
	return NULL;
}

uint64_t process_stopped(const struct process *process)
{
	uint64_t counter = UINT64_MAX;

	for (size_t i = process->mode_count; i-- > 0; counter = process->modes[i].counter)
		if (process->modes[i].mode == SPOOR_MODE_NUMBER_LOG || process->modes[i].mode == SPOOR_MODE_NUMBER_RING)
			break;
	return counter;
}

bool process_was_ring(const struct process *process, uint64_t begin_counter, uint64_t end_counter)
{
	bool ring = process->began_ring;

	for (size_t i = 0; i < process->mode_count && process->modes[i].counter <= end_counter; i++) {
		if (ring && process->modes[i].counter >= begin_counter)
			return true;
		ring = process->modes[i].mode == SPOOR_MODE_NUMBER_RING ||
		       (ring && process->modes[i].mode == SPOOR_MODE_NUMBER_OFF);
	}
	return ring;
}

const char *process_mode_name(uint32_t mode)
{
	static const char *const names[] = {
		[SPOOR_MODE_NUMBER_LOG] = "log", [SPOOR_MODE_NUMBER_RING] = "ring",
		[SPOOR_MODE_NUMBER_COUNT] = "count", [SPOOR_MODE_NUMBER_OFF] = "off",
		[SPOOR_MODE_NUMBER_ORDER] = "order",
	};

	return mode < sizeof(names) / sizeof(*names) ? names[mode] : "unknown";
}

const char *process_title(const struct process *process)
{
	return process->title ? process->title : "?";
}

uint64_t process_words(const struct process *process)
{
	uint64_t words = 0;

	for (size_t i = 0; i < process->threads.count; i++)
		words += process->threads.threads[i]->words;
	return words;
}

uint64_t process_events(const struct process *process)
{
	uint64_t events = 0;

	for (size_t i = 0; i < process->threads.count; i++)
		events += process->threads.threads[i]->events;
	return events;
}
