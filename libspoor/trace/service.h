/* SPDX-License-Identifier: MIT */
/*
 * service.h - the thread that drains the pool where no recorder does.
 *
 * All signals are blocked in it, it logs nothing, and it sleeps in a futex
 * while there is nothing to do.
 */
#ifndef SPOOR_SERVICE_H
#define SPOOR_SERVICE_H

#include <stdbool.h>

#include "format/mailbox.h"
#include "base/owned_file.h"

/*
 * spoor_service_begin - starts the thread.
 * @events: the events file; stays the caller's, and where it is
 *
 * Where no thread can be had the pool keeps what fits into it, and a message
 * says so. Where one cannot be had now, for the event that began the trace came while
 * a lock that it takes was taken, spoor_drainer_awaited is set.
 *
 * Return: 0, or a negative errno: there is no room for a first block, or no memory.
 */
int spoor_service_begin(struct spoor_pool *pool, struct spoor_trace_file *events);

/*
 * spoor_service_serve_with - who does what the pool's mailbox asks for.
 * @serve: runs in the thread after each look at the pool, with no lock of ours; @taken and @mail are its room
 */
typedef void spoor_mail_server(struct spoor_pool *pool, uint32_t *taken, struct spoor_mail *mail);
void spoor_service_serve_with(spoor_mail_server *serve);

/*
 * spoor_service_start - tries again what spoor_drainer_awaited says is to be.
 * @in_event: not where all locks are free
 *
 * Context: the registry locked, signals blocked.
 */
void spoor_service_start(bool in_event);

/* Remembers the calling thread's signal mask, the first time: should it be for us to
 * end the program, that happens with it. To be called before signals are blocked. */
void spoor_service_remember_mask(void);

/* Drains what is full now, from the calling thread. */
void spoor_service_drain(void);

/* To be called when the main thread ends and the process does not: its last thread
 * would not be the last one for libc, for it counts ours. */
void spoor_service_main_ended(void);

/* To be called when any other thread ends: one that outlives the main thread may decide
 * with what status the process ends. */
void spoor_service_thread_ended(void);

/* In a forked child: the parent's thread is not here. */
void spoor_service_forget(void);

#endif
