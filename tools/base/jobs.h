/* SPDX-License-Identifier: MIT */
/*
 * jobs.h - how many processors are used to read a trace.
 *
 * SPOOR_JOBS says it, else the processors that this process may run on. With more than one, slices are
 * unpacked ahead in a thread of their own (slices_ahead.h), traced threads are walked at the same
 * time (../walk_parts.h) or one in pieces (../walk_pieces.h), and what is written of calls is formatted in
 * others (../formatting.h).
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
 * A thread that gets no signal: those are the main thread's, whose handlers count on what it does
 * standing still meanwhile (../terminal.h). Return: as pthread_create.
 */
int jobs_thread_begin(pthread_t *thread, void *(*work)(void *), void *context);

#endif
