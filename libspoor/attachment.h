/* SPDX-License-Identifier: MIT */
/*
 * attachment.h - what `spoor record --pid` asks of a libspoor.so that is in another
 * process: through a thread of that process, which calls spoor_attachment.
 *
 * Three steps, in this order: SPOOR_ATTACHMENT_BEGIN adopts the modules that are there
 * and wakes what is chosen; _STOP has all sleds dormant and closes the files; _END, once
 * no thread stands in libspoor.so any more, gives the memory back. Then it may
 * begin again.
 */
#ifndef SPOOR_ATTACHMENT_H
#define SPOOR_ATTACHMENT_H

#include <limits.h>
#include <stdint.h>

#define SPOOR_ATTACHMENT_VERSION 1
#define SPOOR_ATTACHMENT_FUNCTION "spoor_attachment"

enum spoor_attachment_step { SPOOR_ATTACHMENT_BEGIN, SPOOR_ATTACHMENT_STOP, SPOOR_ATTACHMENT_END };

struct spoor_attachment {
	uint32_t version, size;		/* SPOOR_ATTACHMENT_VERSION, of this struct */
	uint32_t step;
	/* For the begin. */
	uint32_t mode;			/* enum spoor_mode: log or ring */
	int32_t recorder_process;
	uint32_t padding;
	uint64_t session_id;
	char trace_path[PATH_MAX];	/* absolute */
	char recorder[108];		/* name of its socket */
	char modules[4096], functions[4096];
	/* The answer. */
	char folder[PATH_MAX];		/* the process's in the trace */
	char words[1024];		/* what the runtime had to say, lines */
};

/*
 * spoor_attachment - takes a step.
 *
 * Return: functions awake now (begin) or 0, or
 *   -EINVAL     another version of this struct
 *   -EBUSY      the process is traced already, to @folder
 *   -EAGAIN     whoever was attached has died: end that first
 *   -ESHUTDOWN  the runtime cannot be had in this process
 *   -EIO        the trace could not be begun: @words says why
 *
 * Context: a thread that holds no lock of ours.
 */
long spoor_attachment(struct spoor_attachment *attachment);

#endif
