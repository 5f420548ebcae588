/* SPDX-License-Identifier: MIT */
/*
 * attachment_request.h - the request by which `spoor record --pid` controls a libspoor.so in another
 * process. A thread of that process calls spoor_attachment with the request.
 *
 * The steps come in this order; afterwards the first step may come again:
 *   SPOOR_ATTACHMENT_PREPARE  adopts the loaded modules and begins the trace
 *   SPOOR_ATTACHMENT_WAKE     patches the chosen sleds
 *   SPOOR_ATTACHMENT_ROOTS    records the calls that are open in the other threads, which are stopped
 *                             since the wake; repeated until all stacks are passed
 *   SPOOR_ATTACHMENT_PROBES   writes jump slots of library calls, and the breakpoints of tracepoints that need
 *                             them; all threads run
 *   SPOOR_ATTACHMENT_STOP     disables all sleds and closes the files
 *   SPOOR_ATTACHMENT_END      frees the memory; no thread is inside libspoor.so
 * SPOOR_ATTACHMENT_TRY is valid at any time: it returns -EDEADLK if another step would block.
 */
#ifndef SPOOR_ATTACHMENT_REQUEST_H
#define SPOOR_ATTACHMENT_REQUEST_H

#include <limits.h>
#include <stdint.h>

#include "format/stack_frame.h"

#define SPOOR_ATTACHMENT_VERSION 7
#define SPOOR_ATTACHMENT_FUNCTION "spoor_attachment"

#define SPOOR_ATTACHMENT_FRAMES 1024u

enum spoor_attachment_step {
	SPOOR_ATTACHMENT_PREPARE,
	SPOOR_ATTACHMENT_WAKE,
	SPOOR_ATTACHMENT_ROOTS,
	SPOOR_ATTACHMENT_PROBES,
	SPOOR_ATTACHMENT_STOP,
	SPOOR_ATTACHMENT_END,
	SPOOR_ATTACHMENT_TRY,
};

struct spoor_attachment {
	uint32_t version, size;		/* SPOOR_ATTACHMENT_VERSION; size of this struct in bytes */
	uint32_t step;			/* enum spoor_attachment_step */
	/* For SPOOR_ATTACHMENT_WAKE. */
	uint32_t held;			/* nonzero: other threads are stopped, and may hold locks */
	/* For SPOOR_ATTACHMENT_PREPARE. */
	uint32_t mode;			/* enum spoor_mode: log or ring */
	int32_t recorder_process;	/* the recorder's process ID; 0: the traced process cannot see the recorder */
	uint64_t session_id;
	char trace_path[PATH_MAX];	/* absolute */
	char recorder[108];		/* the recorder's name (recorder_protocol.h) */
	char modules[4096], functions[4096], tracepoints[4096];	/* patterns */
	char trigger[256];		/* trigger_text.h */
	char args[4096], retval[4096], cpu_time[4096];	/* capture_text.h */
	char library_calls[4096];	/* patterns (library_choice.h); "": none */
	/* For SPOOR_ATTACHMENT_ROOTS: stacks, each with its end frame. A stack may continue in the next
	 * request. */
	uint64_t frame_count;
	struct spoor_stack_frame frames[SPOOR_ATTACHMENT_FRAMES];
	/* The answer. */
	char folder[PATH_MAX];		/* the process's folder in the trace */
	uint64_t tracepoints_on;	/* number of enabled tracepoints */
	char words[1024];		/* the runtime's messages, one per line */
};

#endif
