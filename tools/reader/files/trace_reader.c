/* SPDX-License-Identifier: MIT */
/* trace_reader.c - finds the processes in a trace directory, one folder each. */
#include "reader/files/trace_reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "reader/files/trace_runs.h"
#include "reader/packed/symbol_pack.h"

bool trace_is_process_folder(int directory, const char *name)
{
	static const char *const files[] = { SPOOR_PROCESS_FILE, SPOOR_EVENTS_FILE, SPOOR_POOL_FILE };
	int folder = openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool found = false;

	if (folder < 0)
		return false;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		found |= faccessat(folder, files[i], F_OK, 0) == 0;
	close(folder);
	return found;
}

/* Returns whether @name looks like a process's folder that we may not open. */
static bool is_closed_folder(int directory, const char *name)
{
	int folder, error = 0;

	if (name[strspn(name, "0123456789.")])
		return false;
	folder = openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return errno == EACCES;
	if (faccessat(folder, SPOOR_PROCESS_FILE, F_OK, 0))
		error = errno;
	close(folder);
	return error == EACCES;
}

/* Returns the number after @key in the facts of a process, or 0. */
static int64_t number_of(const char *facts, size_t size, const char *key)
{
	const char *found = memmem(facts, size, key, strlen(key));

	return found ? strtoll(found + strlen(key), NULL, 10) : 0;
}

/* Reads when a process began, and its IDs, from the first block of one of its files. Used for sorting and for
 * trace_runs.c only. */
static void read_begin(const struct trace *trace, struct trace_entry *entry)
{
	static const char *const files[] = { SPOOR_PROCESS_FILE, SPOOR_EVENTS_FILE };

	entry->begin_ns = INT64_MAX;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && entry->begin_ns == INT64_MAX; i++) {
		struct spoor_trace_header header;
		char path[PATH_MAX], facts[4096];
		ssize_t size;
		int file;

		if (snprintf(path, sizeof(path), "%s/%s", entry->name, files[i]) >= (int)sizeof(path))
			continue;
		file = openat(trace->directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (file < 0)
			continue;
		size = pread(file, facts, sizeof(facts) - 1, 0);
		close(file);
		if (size < (ssize_t)sizeof(header) || memcmp(facts, SPOOR_TRACE_MAGIC, SPOOR_TRACE_MAGIC_SIZE) != 0)
			continue;
		facts[size] = '\0';
		memcpy(&header, facts, sizeof(header));
		entry->begin_ns = header.steady_clock_ns;
		entry->session_id = header.session_id;
		entry->process_id = header.process_id;
		entry->parent_id = i == 0 ? number_of(facts, (size_t)size, "parent=") : 0;
	}
}

static int add_entry(struct trace *trace, const char *name)
{
	struct trace_entry *entries = reallocarray(trace->entries, trace->count + 1, sizeof(*entries)), *entry;

	if (!entries)
		return -ENOMEM;
	trace->entries = entries;
	entry = &entries[trace->count++];
	*entry = (struct trace_entry){ .name = strdup(name) };
	if (strcmp(name, ".") == 0)
		entry->path = strdup(trace->path);
	else if (asprintf(&entry->path, "%s/%s", trace->path, name) < 0)
		entry->path = NULL;
	if (!entry->name || !entry->path)
		return -ENOMEM;
	read_begin(trace, entry);
	return 0;
}

/* Adds a file of version 0. Returns 0 or a negative errno after a message. */
static int add_file(struct trace *trace, const char *name)
{
	struct version0_file *files = reallocarray(trace->files, trace->file_count + 1, sizeof(*files));
	int error;

	if (!files)
		return -ENOMEM;
	trace->files = files;
	error = version0_check(&files[trace->file_count], trace->directory, name);
	if (error == -ENOMEM)
		return error;
	if (error) {
		files[trace->file_count].fault = strerror(-error);
		files[trace->file_count].is_unreadable = true;
	}
	files[trace->file_count].name = strdup(name);
	return files[trace->file_count++].name ? 0 : -ENOMEM;
}

static int compare_entries(const void *left, const void *right)
{
	const struct trace_entry *a = left, *b = right;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return strverscmp(a->name, b->name);
}

/* Adds @name if it is a process's folder. Returns 0 or a negative errno after a message. */
static int add_folder(struct trace *trace, const char *name)
{
	bool is_top = strcmp(name, ".") == 0;

	errno = 0;
	/* Opening a closed folder later reports the reason. */
	if (trace_is_process_folder(trace->directory, name) || (!is_top && is_closed_folder(trace->directory, name)))
		return add_entry(trace, name);
	/* Without a free descriptor it is unknown whether this is a process's folder. */
	return errno == EMFILE || errno == ENFILE ? -errno : 0;
}

static int list_processes(struct trace *trace)
{
	int error = 0, again = openat(trace->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *listing = again < 0 ? NULL : fdopendir(again);
	struct dirent *item;
	size_t count;

	if (!listing) {
		error = -errno;
		if (again >= 0)
			close(again);
		return error;
	}
	error = add_folder(trace, ".");
	while (!error && (errno = 0, item = readdir(listing))) {
		if (item->d_name[0] == '.')
			continue;
		count = trace->count;
		error = add_folder(trace, item->d_name);
		if (!error && trace->count == count && version0_is_name(item->d_name))
			error = add_file(trace, item->d_name);
	}
	if (!error)
		error = -errno;
	closedir(listing);
	return error;
}

/* Opens the directory of a file. Returns 0, -ENOTDIR if the file is not part of a trace, or another negative
 * errno. */
static int open_file_of_version0(struct trace *trace, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = slash && slash > path ? (size_t)(slash - path) : 1;
	uint8_t magic[SPOOR_TRACE_MAGIC_SIZE] = { 0 };
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t got = file < 0 ? -1 : pread(file, magic, sizeof(magic), 0);

	if (file >= 0)
		close(file);
	if (!version0_is_name(name) &&
	    (got != (ssize_t)sizeof(magic) || memcmp(magic, SPOOR_TRACE_MAGIC, sizeof(magic)) != 0))
		return -ENOTDIR;
	trace->path = strndup(slash ? path : ".", length);
	if (!trace->path)
		return -ENOMEM;
	trace->directory = open(trace->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return trace->directory < 0 ? -errno : add_file(trace, name);
}

/* Makes entries from files of version 0: one for each process, and one for each unreadable file. */
static int group_files(struct trace *trace)
{
	if (trace->file_count)
		qsort(trace->files, trace->file_count, sizeof(*trace->files), version0_compare);
	for (size_t i = 0, end; i < trace->file_count; i = end) {
		const struct version0_file *first = &trace->files[i];
		struct trace_entry *entry;
		char name[24];
		int error;

		for (end = i + 1; end < trace->file_count && !first->is_unreadable; end++) {
			const struct version0_file *file = &trace->files[end];

			if (file->is_unreadable || file->header.session_id != first->header.session_id ||
			    file->header.process_id != first->header.process_id)
				break;
		}
		snprintf(name, sizeof(name), "%" PRId64, first->header.process_id);
		error = add_entry(trace, name);
		if (error)
			return error;
		entry = &trace->entries[trace->count - 1];
		entry->files = &trace->files[i];
		entry->file_count = end - i;
		entry->begin_ns = first->is_unreadable ? INT64_MAX : first->header.steady_clock_ns;
		entry->session_id = first->is_unreadable ? 0 : first->header.session_id;
	}
	return 0;
}

/* Finds the symbols of a packed trace. If @trace is a single process's folder, they are in the trace around it. */
static int find_packed(struct trace *trace)
{
	bool here = faccessat(trace->directory, SYMBOL_PACK_FOLDER, F_OK, 0) == 0;

	if (!here && faccessat(trace->directory, "../" SYMBOL_PACK_FOLDER, F_OK, 0) != 0)
		return 0;
	return asprintf(&trace->packed, "%s/%s" SYMBOL_PACK_FOLDER, trace->path, here ? "" : "../") < 0 ? -ENOMEM : 0;
}

int trace_open(struct trace *trace, const char *path, bool demangle)
{
	int error = 0;

	*trace = (struct trace){ .directory = -1, .symbols.demangle = demangle };
	trace->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (trace->directory < 0) {
		error = -errno;
		if (error == -ENOTDIR) {
			error = open_file_of_version0(trace, path);
			if (!error)
				goto group;
			trace_close(trace);
		}
		if (error == -ENOENT)
			message("%s: no such trace: 'spoor record PROGRAM' writes one", path);
		else if (error == -ENOTDIR)
			message("%s: not a trace: a trace is a directory that 'spoor record' wrote, or a file of "
				"Microsoft's Spoor", path);
		else
			message("%s: cannot open the trace: %s", path, strerror(-error));
		return error;
	}
	trace->path = strdup(path);
	if (trace->path)
		for (size_t end = strlen(path); end > 1 && trace->path[end - 1] == '/'; end--)
			trace->path[end - 1] = '\0';
	error = trace->path ? list_processes(trace) : -ENOMEM;
	if (!error)
		error = find_packed(trace);
group:
	if (!error)
		error = group_files(trace);
	if (error)
		message("%s: cannot read the trace: %s", path, strerror(-error));
	else if (!trace->count)
		message("%s: not a trace: it contains no folder of a process; 'spoor record PROGRAM' writes a trace",
			path);
	if (!error && !trace->count)
		error = -ENODATA;
	if (error) {
		trace_close(trace);
		return error;
	}
	qsort(trace->entries, trace->count, sizeof(*trace->entries), compare_entries);
	trace_runs_number(trace);
	return 0;
}

void trace_close(struct trace *trace)
{
	for (size_t i = 0; i < trace->count; i++) {
		free(trace->entries[i].name);
		free(trace->entries[i].path);
	}
	for (size_t i = 0; i < trace->file_count; i++)
		free(trace->files[i].name);
	free(trace->files);
	free(trace->entries);
	free(trace->path);
	if (trace->directory >= 0)
		close(trace->directory);
	symbol_cache_free(&trace->symbols);
	sched_file_close(&trace->sched);
	free(trace->packed);
	*trace = (struct trace){ .directory = -1 };
}

int trace_open_process(struct trace *trace, size_t number, struct process *process)
{
	const struct trace_entry *entry = &trace->entries[number];
	struct symbol_cache *symbols = trace->shared ? trace->shared : &trace->symbols;
	int error;

	symbols->packed = trace->packed;
	if (entry->files)
		return version0_open_process(process, trace->directory, trace->path, entry->files, entry->file_count);
	error = process_open(process, trace->directory, entry->name, entry->path, symbols);
	if (error)
		return error;
	if (!trace->sched.is_read)
		error = sched_file_open(&trace->sched, trace->directory, trace->path);
	if (error) {
		message("%s/" SPOOR_SCHED_FILE ": out of memory for the switches", trace->path);
		process_close(process);
		return error;
	}
	process->run = entry->run;
	process->run_count = trace->runs;
	process->damaged |= trace->sched.damaged;
	process->sched = trace->sched.is_there ? &trace->sched : NULL;
	return 0;
}
