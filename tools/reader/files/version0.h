/* SPDX-License-Identifier: MIT */
/*
 * version0.h - traces as Microsoft's Spoor writes them (version0_format.h): those files
 * of a directory that are of one process, as a process.
 *
 * An event becomes what an event of the program's own is in version 1, dated by a
 * counter that counts nanoseconds: the rest of the reader knows no other.
 */
#ifndef SPOOR_READER_VERSION0_H
#define SPOOR_READER_VERSION0_H

#include "reader/files/process.h"
#include "format/version0_format.h"

/* Events that are decoded at once: a slice, to the rest of the reader. */
#define VERSION0_SLICE_EVENTS 4096u
#define VERSION0_EVENT_WORDS (1u + SPOOR_USER_OWN_TIME_WORDS)

/* A place of thread_index.h: file number << 32, slice of it, and this. */
#define THREAD_PLACE_VERSION0 (1ull << 61)

struct version0_file {
	char *name;			/* in the directory */
	struct spoor_trace_header header;
	uint64_t bytes;
	uint64_t event_count;		/* those that are there */
	const char *fault;		/* null: none. What is wrong with it, */
	bool is_unreadable;		/* so that nothing of it can be read */
};

struct version0 {
	int directory;
	struct version0_file *files;	/* a thread's one after the other, by time */
	size_t file_count;
	/* The file read last, its events decompressed. */
	size_t loaded;			/* + 1 */
	struct spoor_version0_event *events;
};

/* Whether a file is called as those are. */
bool version0_is_name(const char *name);

/*
 * version0_check - looks at a file's header, and, where it is compressed, at all of it.
 * @file: its name is the caller's
 *
 * Return: 0, `fault` set where something is wrong; or a negative errno of opening or reading.
 */
int version0_check(struct version0_file *file, int directory, const char *name);

/*
 * version0_open_process - a process out of @count files, checked and of one process
 * each, which become the process's.
 * @directory: stays open as long as the process
 *
 * Says what is wrong with them. Return: 0 or -ENOMEM, and -EBADMSG where nothing can be read.
 */
int version0_open_process(struct process *process, int directory, const char *path, struct version0_file *files,
			  size_t count);

/* By process, thread and time. */
int version0_compare(const void *left, const void *right);

/*
 * version0_load - the events of a slice, as words.
 * @counter: of the event before
 * @words:   room for VERSION0_SLICE_EVENTS * VERSION0_EVENT_WORDS
 *
 * Return: words (>= 0), -EBADMSG, -ENOMEM.
 */
long version0_load(struct version0 *version0, uint64_t place, uint64_t counter, uint64_t *words);

void version0_free(struct version0 *version0);

#endif
