/* SPDX-License-Identifier: MIT */
/*
 * jobs.h - how many processors are used to read a trace.
 *
 * SPOOR_JOBS says it, else the processors that this process may run on. With more than one, a thread unpacks slices
 * ahead (slices_ahead.h), traced threads are walked at the same time (parts.h) or one is in pieces (pieces.h), and
 * other threads format what is written of calls (parallel_output.h): all of it as ordered_work.h says.
 */
#ifndef SPOOR_READER_JOBS_H
#define SPOOR_READER_JOBS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return: 0, or SPOOR_EXIT_USAGE where SPOOR_JOBS is no number of processors, which has been said. */
int jobs_check(void);

/* How many processors there are to use, 1 or more. */
size_t jobs_count(void);

/* Whether so many words are worth a thread of their own: where SPOOR_JOBS asks for one, however few. */
bool jobs_are_worth(uint64_t words);

/*
 * Starts a thread that gets no signal: signals are for the main thread, whose handlers rely on its standing still
 * meanwhile (terminal.h). Return: as pthread_create.
 */
int jobs_thread_begin(pthread_t *thread, void *(*work)(void *), void *context);

#endif
