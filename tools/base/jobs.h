/* SPDX-License-Identifier: MIT */
/*
 * jobs.h - decides how many processors spoor uses to read a trace.
 *
 * The number is SPOOR_JOBS, or else the number of processors that this process may use. With more than
 * one processor, other threads unpack slices ahead (slices_ahead.h), walk several traced threads
 * (parts.h) or pieces of one traced thread (pieces.h) at the same time, and format output
 * (parallel_output.h). ordered_work.h schedules all of this.
 */
#ifndef SPOOR_READER_JOBS_H
#define SPOOR_READER_JOBS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Checks SPOOR_JOBS. Returns 0, or SPOOR_EXIT_USAGE after a message if it is not a number of processors. */
int jobs_check(void);

/* Returns the number of processors to use, at least 1. */
size_t jobs_count(void);

/* Returns whether this many words justify another thread. If SPOOR_JOBS is set to more than one, any number does. */
bool jobs_are_worth(uint64_t words);

/*
 * Starts a thread that blocks all signals. The main thread handles signals, and its handlers rely on
 * the main thread standing still meanwhile (terminal.h). Returns the same as pthread_create.
 */
int jobs_thread_begin(pthread_t *thread, void *(*work)(void *), void *context);

#endif
