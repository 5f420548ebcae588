/* SPDX-License-Identifier: MIT */
/*
 * sched_recording.h - records when the threads of a program and of its children run and wait, for `spoor
 * record --sched`.
 *
 * A thread of the recorder reads the kernel's rings and writes sched.spoor. If the kernel refuses, one
 * message says so, and calls are recorded as usual.
 */
#ifndef SPOOR_TOOLS_RECORD_SCHED_RECORDING_H
#define SPOOR_TOOLS_RECORD_SCHED_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sched_recording;

struct sched_request {
	pid_t process_id;
	bool runs;		/* the process is running, and may have several threads */
	uint32_t flags;		/* of enum spoor_sched_flags: what to record with CAP_PERFMON */
	const char *trace_path;
	uid_t user;		/* owner of the file */
	gid_t group;
};

/* Parses a list such as "wakers,states". Returns false if a word is unknown. */
bool sched_recording_parse(const char *text, uint32_t *flags);

/*
 * sched_recording_begin - begins to record a process, and the threads and children that it will have.
 * Returns null after a message if that is impossible.
 */
struct sched_recording *sched_recording_begin(const struct sched_request *request);

/* Writes the rest, and frees everything. Prints a message about losses. @recording: may be null */
void sched_recording_end(struct sched_recording *recording);

#endif
