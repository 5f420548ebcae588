/* SPDX-License-Identifier: MIT */
/*
 * call_targets.h - tells what a descriptor referred to when a system call used it.
 *
 * The recorder looks at a descriptor once, and again after a change (system_call_format.h). The name holds from the
 * last change before the look to the first change after it: no system call in between has closed or replaced the
 * descriptor. A descriptor that another process has changed, in a table that both share (clone(2), CLONE_FILES), or
 * io_uring, may have a wrong name.
 */
#ifndef SPOOR_READER_CALL_TARGETS_H
#define SPOOR_READER_CALL_TARGETS_H

#include "reader/sched/sched_file.h"

/*
 * call_targets_find - finds the name of a descriptor. Several threads may call it. The first call for a process reads all
 * its system calls.
 * @time_ns: begin of the system call, CLOCK_MONOTONIC
 *
 * Returns the name, which the file owns, or null if it is unknown.
 */
const char *call_targets_find(struct sched_file *file, int64_t process_id, uint64_t descriptor, uint64_t time_ns);

/* Frees a list of processes. */
void call_targets_free(struct call_targets *list);

#endif
