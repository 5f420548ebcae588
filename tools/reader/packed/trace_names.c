/* SPDX-License-Identifier: MIT */
/* trace_names.c - stores the names of functions in a trace. */
#define _GNU_SOURCE
#include "reader/packed/trace_names.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "reader/events/root_calls.h"
#include "reader/files/capture_records.h"
#include "reader/packed/pack_file.h"
#include "reader/packed/symbol_pack.h"
#include "reader/packed/symbol_subset.h"
#include "reader/sched/thread_calls.h"

/* Adds a function of a record. Modules that had its index one after the other all get it. */
static void add_index(const struct process *process, uint32_t index)
{
	for (size_t i = 0; i < process->module_count; i++) {
		const struct module *module = &process->modules[i];

		if (index - module->base < module->count)
			symbol_subset_add(module->symbols, index - module->base);
	}
}

static void add_runs(const struct process *process, const struct spoor_index_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < runs[i].count; j++)
			add_index(process, runs[i].first + j);
}

/* Adds the functions of all records but the events. */
static void add_records(const struct process *process)
{
	for (size_t i = 0; i < process->root_count; i++)
		for (uint32_t j = 0; j < process->roots[i]->count; j++)
			add_index(process, process->roots[i]->list[j].index);
	for (size_t i = 0; i < process->trigger_count; i++)
		add_index(process, process->triggers[i].record.index);
	for (size_t i = 0; i < process->dormant_count; i++)
		add_index(process, process->dormant[i].index);
	for (uint32_t i = 0; i < process->counts.end && process->counts.counts; i++)
		if (process->counts.counts[i])
			add_index(process, i);
	for (uint32_t i = 0; i < process->order.count; i++)
		add_index(process, process->order.indexes[i]);
	for (uint32_t i = 0; i < process->capture_count; i++)
		if (process->captures[i])
			add_runs(process, process->captures[i]->runs, process->captures[i]->run_count);
}

static void add_seen(const struct module *module, const struct spoor_function_set *seen)
{
	uint32_t end = module->count;

	if (!seen || seen->has_all) {
		memset(module->symbols->wanted, 0xff, symbol_subset_words(module->symbols) * sizeof(uint64_t));
		return;
	}
	if (seen->end <= module->base)
		return;
	if (end > seen->end - module->base)
		end = seen->end - module->base;
	for (uint32_t i = 0; i < end; i++) {
		uint32_t index = module->base + i;

		if (spoor_function_set_has(seen, index))
			symbol_subset_add(module->symbols, i);
		else if (!seen->bits[index / 64])
			i += 63 - index % 64;	/* none of these 64 */
	}
}

static int add_variable(const struct process *process, uint64_t address)
{
	int error = 0;

	for (size_t i = 0; i < process->module_count && !error; i++)
		if (address >= process->modules[i].load_bias)
			error = symbol_subset_add_variable(process->modules[i].symbols, address - process->modules[i].load_bias);
	return error;
}

/* Adds the variables of the locks in a thread's system calls (thread_calls.c). */
static int add_called_locks(const struct process *process, uint32_t thread_id)
{
	char buffer[THREAD_CALL_NAME_MAX];
	struct thread_calls calls = { 0 };
	struct map64 seen = { 0 };
	int error = thread_calls_load(&calls, process, thread_id);

	for (size_t i = 0; i < calls.count && !error; i++) {
		uint32_t *at;

		if (strcmp(thread_call_name(calls.file, calls.list[i].number, buffer), "futex") != 0)
			continue;
		at = map64_at(&seen, calls.list[i].argument);
		if (!at)
			error = -ENOMEM;
		else if (!*at)
			error = add_variable(process, calls.list[i].argument);
		if (at)
			*at = 1;
	}
	map64_free(&seen);
	thread_calls_free(&calls);
	return error;
}

/* Adds the variables of the locks for which threads have waited (thread_sched.c). */
static int add_locks(const struct process *process)
{
	int error = 0;

	for (size_t i = 0; process->sched && i < process->threads.count && !error; i++) {
		struct sched_wait *waits = NULL;
		long count = sched_file_load_waits(process->sched, process->threads.threads[i]->thread_id, &waits);

		for (long j = 0; j < count; j++) {
			if (!error && strcmp(waits[j].name, "futex") == 0)
				error = add_variable(process, waits[j].argument);
			free(waits[j].name);
		}
		if (count >= 0)
			free(waits);
		if (!error)
			error = add_called_locks(process, process->threads.threads[i]->thread_id);
	}
	return error;
}

int trace_names_note(const struct process *process, const struct spoor_function_set *seen)
{
	for (size_t i = 0; i < process->module_count; i++)
		if (symbol_subset_begin(process->modules[i].symbols))
			return -ENOMEM;
	for (size_t i = 0; i < process->module_count; i++)
		add_seen(&process->modules[i], seen);
	add_records(process);
	return add_locks(process);
}

static void ignore_message(const char *text)
{
	(void)text;
}

/* Returns whether the names are not stored, and the module has a readable file. */
static bool is_to_be_stored(struct symbol_file *file)
{
	if (!file->count)
		return false;
	/* Without queries to servers, which take too long here. */
	if (!file->read)
		file->debug_servers = SERVERS_ASKED;
	return symbol_file_check(file) && !(file->packed && strcmp(file->source, file->packed) == 0) &&
	       symbol_subset_wants_any(file);
}

static const char *store_module(struct symbol_file *file, const char *folder)
{
	const char *wrong;
	char *path;

	if (symbol_pack_path(folder, file, &path))
		return strerror(ENOMEM);
	wrong = pack_file(file, path);
	free(path);
	return wrong;
}

static const char *store_in(struct symbol_cache *modules, const char *folder)
{
	const char *wrong = NULL;
	size_t first = 0;
	int lock;

	while (first < modules->count && !is_to_be_stored(modules->files[first]))
		first++;
	if (first == modules->count)
		return NULL;
	lock = mkdir(folder, 0700) < 0 && errno != EEXIST ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (lock < 0)
		return strerror(errno);
	if (flock(lock, LOCK_EX | LOCK_NB) == 0)
		for (size_t i = first; i < modules->count && !wrong; i++)
			wrong = is_to_be_stored(modules->files[i]) ? store_module(modules->files[i], folder) : NULL;
	close(lock);
	return wrong;
}

/* Makes the folder's path. Returns null, or the error. */
static const char *folder_of(const char *trace_path, char folder[PATH_MAX])
{
	return snprintf(folder, PATH_MAX, "%s/" SYMBOL_PACK_FOLDER, trace_path) < PATH_MAX ? NULL : strerror(ENAMETOOLONG);
}

const char *trace_names_store(const struct trace *trace, struct symbol_cache *modules)
{
	void (*diverted)(const char *text) = message_diverted();
	const char *wrong;
	struct stat status;
	char folder[PATH_MAX];

	wrong = folder_of(trace->path, folder);
	if (!wrong && fstat(trace->directory, &status) < 0)
		wrong = strerror(errno);
	if (wrong || (status.st_uid != geteuid() && geteuid() != 0))
		return wrong;
	setfsgid(status.st_gid);
	setfsuid(status.st_uid);
	message_divert(ignore_message);
	wrong = store_in(modules, folder);
	message_divert(diverted);
	setfsuid(geteuid());
	setfsgid(getegid());
	return wrong;
}

int trace_names_turn_off(const char *trace_path)
{
	char folder[PATH_MAX], path[PATH_MAX + sizeof("/" TRACE_NAMES_OFF)];
	int file;

	if (folder_of(trace_path, folder))
		return -ENAMETOOLONG;
	if (mkdir(folder, 0700) < 0 && errno != EEXIST)
		return -errno;
	snprintf(path, sizeof(path), "%s/" TRACE_NAMES_OFF, folder);
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (file < 0)
		return -errno;
	close(file);
	return 0;
}

/* Returns whether a recorder writes the trace now, or names are not to be stored in it. */
static bool is_closed(const struct trace *trace)
{
	if (faccessat(trace->directory, SYMBOL_PACK_FOLDER "/" TRACE_NAMES_OFF, F_OK, 0) == 0)
		return true;
	/* A recorder holds this lock (walk/trace_directory.c). */
	if (flock(trace->directory, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	flock(trace->directory, LOCK_UN);
	return false;
}

void trace_names_keep(const struct trace *trace, struct symbol_cache *modules)
{
	const char *off = getenv(TRACE_NAMES_VARIABLE);

	/* Names cannot be stored beside a single process's folder, nor in a trace of version 0. */
	if ((off && *off) || !modules->count || trace->file_count || strcmp(trace->entries[0].name, ".") == 0 || is_closed(trace))
		return;
	trace_names_store(trace, modules);
}
