/* SPDX-License-Identifier: MIT */
/* trace.c - a trace directory: the processes in it, one folder each. */
#include "trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../message.h"

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

/* When a process began, as the first block of one of its files says; for sorting alone. */
static int64_t begin_of(int directory, const char *name)
{
	static const char *const files[] = { SPOOR_PROCESS_FILE, SPOOR_EVENTS_FILE };
	int64_t begin_ns = INT64_MAX;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && begin_ns == INT64_MAX; i++) {
		struct spoor_trace_header header;
		char path[PATH_MAX];
		int file;

		if (snprintf(path, sizeof(path), "%s/%s", name, files[i]) >= (int)sizeof(path))
			continue;
		file = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (file < 0)
			continue;
		if (pread(file, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
		    memcmp(header.magic, SPOOR_TRACE_MAGIC, SPOOR_TRACE_MAGIC_SIZE) == 0)
			begin_ns = header.steady_clock_ns;
		close(file);
	}
	return begin_ns;
}

static int add_entry(struct trace *trace, const char *name)
{
	struct trace_entry *entries = reallocarray(trace->entries, trace->count + 1, sizeof(*entries)), *entry;

	if (!entries)
		return -ENOMEM;
	trace->entries = entries;
	entry = &entries[trace->count++];
	*entry = (struct trace_entry){ .name = strdup(name), .begin_ns = begin_of(trace->directory, name) };
	if (strcmp(name, ".") == 0)
		entry->path = strdup(trace->path);
	else if (asprintf(&entry->path, "%s/%s", trace->path, name) < 0)
		entry->path = NULL;
	return entry->name && entry->path ? 0 : -ENOMEM;
}

static int compare_entries(const void *left, const void *right)
{
	const struct trace_entry *a = left, *b = right;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return strverscmp(a->name, b->name);
}

static int list_processes(struct trace *trace)
{
	int error = 0, again = openat(trace->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *listing = again < 0 ? NULL : fdopendir(again);
	struct dirent *item;

	if (!listing) {
		error = -errno;
		if (again >= 0)
			close(again);
		return error;
	}
	if (trace_is_process_folder(trace->directory, "."))
		error = add_entry(trace, ".");
	while (!error && (errno = 0, item = readdir(listing)))
		if (item->d_name[0] != '.' && trace_is_process_folder(trace->directory, item->d_name))
			error = add_entry(trace, item->d_name);
	if (!error)
		error = -errno;
	closedir(listing);
	return error;
}

int trace_open(struct trace *trace, const char *path, bool demangle)
{
	int error = 0;

	*trace = (struct trace){ .directory = -1, .symbols.demangle = demangle };
	trace->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (trace->directory < 0) {
		error = -errno;
		if (error == -ENOENT)
			message("%s: no such trace; 'spoor record PROGRAM' writes one", path);
		else if (error == -ENOTDIR)
			message("%s: not a trace: a trace is a directory that 'spoor record' wrote", path);
		else
			message("%s: cannot open the trace: %s", path, strerror(-error));
		return error;
	}
	trace->path = strdup(path);
	if (trace->path)
		for (size_t end = strlen(path); end > 1 && trace->path[end - 1] == '/'; end--)
			trace->path[end - 1] = '\0';
	error = trace->path ? list_processes(trace) : -ENOMEM;
	if (error)
		message("%s: cannot read the trace: %s", path, strerror(-error));
	else if (!trace->count)
		message("%s: no trace in it: it holds no process's folder; 'spoor record PROGRAM' writes one", path);
	if (!error && !trace->count)
		error = -ENODATA;
	if (error) {
		trace_close(trace);
		return error;
	}
	qsort(trace->entries, trace->count, sizeof(*trace->entries), compare_entries);
	return 0;
}

void trace_close(struct trace *trace)
{
	for (size_t i = 0; i < trace->count; i++) {
		free(trace->entries[i].name);
		free(trace->entries[i].path);
	}
	free(trace->entries);
	free(trace->path);
	if (trace->directory >= 0)
		close(trace->directory);
	symbol_cache_free(&trace->symbols);
	*trace = (struct trace){ .directory = -1 };
}

int trace_open_process(struct trace *trace, size_t number, struct process *process)
{
	const struct trace_entry *entry = &trace->entries[number];

	return process_open(process, trace->directory, entry->name, entry->path, &trace->symbols);
}
