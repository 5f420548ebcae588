/* SPDX-License-Identifier: MIT */
/*
 * version0.h - reads traces of Microsoft's Spoor (version0_format.h): files of one process in a
 * directory become a process.
 *
 * Each event becomes a user event of version 1, dated by a counter of nanoseconds, so the rest of the
 * reader handles one format only.
 */
#ifndef SPOOR_READER_VERSION0_H
#define SPOOR_READER_VERSION0_H

#include "reader/files/process.h"
#include "reader/files/version0_format.h"

/* The number of events that are decoded at once. They form a slice for the rest of the reader. */
#define VERSION0_SLICE_EVENTS 4096u
#define VERSION0_EVENT_WORDS (1u + SPOOR_USER_OWN_TIME_WORDS)

/* Marks a place of thread_index.h as: file number << 32, and the slice in that file. */
#define THREAD_PLACE_VERSION0 (1ull << 61)

struct version0_file {
	char *name;			/* in the directory */
	struct spoor_trace_header header;
	uint64_t bytes;
	uint64_t event_count;		/* complete events in the file */
	const char *fault;		/* null: none */
	bool is_unreadable;		/* the fault prevents reading any event */
};

struct version0 {
	int directory;
	struct version0_file *files;	/* the files of a thread are in order of time */
	size_t file_count;
	/* The file that was read last, with its events decompressed. */
	size_t loaded;			/* file number + 1; 0: none */
	struct spoor_version0_event *events;
};

/* Returns whether @name is the name of such a file. */
bool version0_is_name(const char *name);

/*
 * version0_check - checks a file's header, and all of a compressed file.
 * @file: the caller owns its name
 *
 * Returns 0, with `fault` set if the file has one; or a negative errno of opening or reading.
 */
int version0_check(struct version0_file *file, int directory, const char *name);

/*
 * version0_open_process - makes a process from @count checked files of one process, which it owns from
 * then on.
 * @directory: stays open as long as the process
 *
 * Writes messages about faults. Returns 0, -ENOMEM, or -EBADMSG if no file can be read.
 */
int version0_open_process(struct process *process, int directory, const char *path, struct version0_file *files,
			  size_t count);

/* Compares by process, thread and time. */
int version0_compare(const void *left, const void *right);

/*
 * version0_load - converts the events of a slice to words.
 * @counter: of the previous event
 * @words:   room for VERSION0_SLICE_EVENTS * VERSION0_EVENT_WORDS
 *
 * Returns the number of words (>= 0), -EBADMSG, or -ENOMEM.
 */
long version0_load(struct version0 *version0, uint64_t place, uint64_t counter, uint64_t *words);

void version0_free(struct version0 *version0);

#endif
