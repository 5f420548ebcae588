/* SPDX-License-Identifier: MIT */
/* capture_records.h - the captures of a process: which values of functions its trace has, and how they are stored. */
#ifndef SPOOR_READER_CAPTURE_RECORDS_H
#define SPOOR_READER_CAPTURE_RECORDS_H

#include "format/values_format.h"
#include "reader/files/process.h"

/* format/values_format.h describes the fields. */
struct capture {
	uint32_t number, value_count, flags;
	uint64_t counter;		/* when it began */
	struct spoor_capture_value values[SPOOR_CAPTURE_VALUES_MAX];
	const char *names[SPOOR_CAPTURE_VALUES_MAX];	/* "": the user gave none */
	char *names_text;
	struct spoor_index_run *runs;			/* the functions */
	size_t run_count;
};

/* Reads a block SPOOR_BLOCK_CAPTURE. Returns 0, -EBADMSG or -ENOMEM. */
int process_take_capture(struct process *process, const struct block *block);
void process_free_captures(struct process *process);

/* Returns the capture with this number, or null. It stays where it is until the process is closed. */
static inline const struct capture *process_capture(const struct process *process, uint32_t number)
{
	return number < process->capture_count ? process->captures[number] : NULL;
}

#endif
