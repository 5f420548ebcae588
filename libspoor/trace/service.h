/* SPDX-License-Identifier: MIT */
/*
 * service.h - the service thread, which drains the pool if there is no recorder.
 *
 * The thread blocks all signals, logs nothing, and sleeps in a futex while there is nothing
 * to do.
 */
#ifndef SPOOR_SERVICE_H
#define SPOOR_SERVICE_H

#include <stdbool.h>

#include "format/mailbox.h"
#include "base/owned_file.h"

/*
 * spoor_service_begin - starts the service thread.
 * @events: the events file; owned by the caller, at a fixed address
 *
 * If no thread can be started, the pool keeps the events that fit into it, and spoor prints
 * a message. If the thread cannot be started yet, because the event that began the trace
 * interrupted code with a lock that is needed, spoor_drainer_awaited is set. In a forked child it is
 * always set: the thread starts when a slice is full, or when a second thread logs.
 *
 * Returns 0, or a negative errno: there is no room for a first block, or no memory.
 */
int spoor_service_begin(struct spoor_pool *pool, struct spoor_owned_file *events);

/*
 * spoor_service_serve_with - sets the function that serves requests in the pool's mailbox.
 * @serve: runs in the service thread after each look at the pool, without locks of spoor. @taken and @mail are
 *         its working memory
 */
typedef void spoor_mail_server(struct spoor_pool *pool, uint32_t *taken, struct spoor_mail *mail);
void spoor_service_serve_with(spoor_mail_server *serve);

/*
 * spoor_service_start - tries again to start a thread that spoor_drainer_awaited announces.
 * @in_event: called in an event, in which locks of libc may be held
 *
 * Context: the registry locked, signals blocked.
 */
void spoor_service_start(bool in_event);

/* Stores the calling thread's signal mask, at the first call only. If the service thread has to end the program,
 * it does so with this mask. Call it before signals are blocked. */
void spoor_service_remember_mask(void);

/* Drains the pool now, in the calling thread. */
void spoor_service_drain(void);

/* Call it when the main thread ends and the process continues: libc counts the service thread, so it would not
 * notice the end of the program's last thread. */
void spoor_service_main_ended(void);

/* Call it when any other thread ends: a thread that outlives the main thread may decide the exit status of the
 * process. */
void spoor_service_thread_ended(void);

/* In a forked child: the service thread belongs to the parent. */
void spoor_service_forget(void);

#endif
