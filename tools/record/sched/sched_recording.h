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
#include <sys/types.h>

struct sched_recording;

struct sched_request {
	pid_t process_id;
	bool runs;		/* the process is running, and may have several threads */
	bool wakers;		/* also record which threads wake others; needs CAP_PERFMON */
	const char *trace_path;
	uid_t user;		/* owner of the file */
	gid_t group;
};

/*
 * sched_recording_begin - begins to record a process, and the threads and children that it will have.
 * Returns null after a message if that is impossible.
 */
struct sched_recording *sched_recording_begin(const struct sched_request *request);

/* Writes the rest, and frees everything. Prints a message about losses. @recording: may be null */
void sched_recording_end(struct sched_recording *recording);

#endif
