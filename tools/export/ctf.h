/* SPDX-License-Identifier: MIT */
/* ctf.h - the numbers that streams and metadata of CTF share. */
#ifndef SPOOR_TOOLS_EXPORT_CTF_H
#define SPOOR_TOOLS_EXPORT_CTF_H

#include "export/export.h"

enum stream_class { STREAM_THREAD, STREAM_FUNCTIONS };

/* No field is an empty string: babeltrace2 2.0 shows the previous event's string instead. So some classes lack it. */
enum event_class {
	CLASS_ENTRY, CLASS_EXIT, CLASS_TAIL_EXIT, CLASS_ROOT,
	CLASS_FRAME, CLASS_UNWIND, CLASS_LEAVES_STACK, CLASS_ON_STACK,
	CLASS_LOST, CLASS_LOST_SLICES, CLASS_LOST_OVERWRITTEN, CLASS_UNRECORDED,
	CLASS_USER, CLASS_USER_NAMED, CLASS_USER_EMPTY, CLASS_USER_STRING,
	CLASS_TRACEPOINT, CLASS_TRACEPOINT_ARGUMENTS, CLASS_WAIT, CLASS_WAIT_IN, CLASS_PREEMPTED, CLASS_SYSCALL,
	CLASS_ENTRY_ARGUMENTS, CLASS_EXIT_RESULT,
};

enum function_class { CLASS_FUNCTION, CLASS_FUNCTION_IN_FILE };

/*
 * export_ctf_metadata - writes the description of the streams.
 * @offset_ns: from CLOCK_MONOTONIC to CLOCK_REALTIME; 0: unknown
 */
void export_ctf_metadata(struct output *out, const struct trace_functions *table, int64_t offset_ns);

#endif
