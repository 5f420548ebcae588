/* SPDX-License-Identifier: MIT */
/*
 * attachment_request.h - what `spoor record --pid` asks of a libspoor.so that is in another
 * process: through a thread of that process, which calls spoor_attachment.
 *
 * Six steps, in this order: SPOOR_ATTACHMENT_PREPARE adopts the modules that are there
 * and begins the trace; _WAKE wakes what is chosen; _ROOTS, as often as need be, while all other
 * threads still stand where they stood then, takes what these are in; _PROBES, once they run again, writes the
 * breakpoints of tracepoints that need them; _STOP has all sleds dormant and closes the files; _END, once
 * no thread stands in libspoor.so any more, gives the memory back. Then it may
 * begin again. _TRY, at any time, only says whether another call would have to wait (-EDEADLK).
 */
#ifndef SPOOR_ATTACHMENT_REQUEST_H
#define SPOOR_ATTACHMENT_REQUEST_H

#include <limits.h>
#include <stdint.h>

#include "format/stack_frame.h"

#define SPOOR_ATTACHMENT_VERSION 5
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
	uint32_t version, size;		/* SPOOR_ATTACHMENT_VERSION, of this struct */
	uint32_t step;
	/* For the wake. */
	uint32_t held;			/* nonzero: other threads stand still, with locks perhaps */
	/* To prepare. */
	uint32_t mode;			/* enum spoor_mode: log or ring */
	int32_t recorder_process;	/* 0: not to be seen from there */
	uint64_t session_id;
	char trace_path[PATH_MAX];	/* absolute */
	char recorder[108];		/* its name (recorder_protocol.h) */
	char modules[4096], functions[4096], tracepoints[4096];
	char trigger[256];		/* trigger_text.h */
	/* Of the roots: stacks, each with its end, one after the other through all of these steps. */
	uint64_t frame_count;
	struct spoor_stack_frame frames[SPOOR_ATTACHMENT_FRAMES];
	/* The answer. */
	char folder[PATH_MAX];		/* the process's in the trace */
	uint64_t tracepoints_on;
	char words[1024];		/* what the runtime had to say, lines */
};

#endif
