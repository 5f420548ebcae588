/* SPDX-License-Identifier: MIT */
/*
 * inject_undertaker.h - reaps our stopped threads that an execve(2) ends; internal to inject_*.c.
 *
 * execve(2) continues when all other threads are reaped, and until then no process can attach to any thread. A tracer
 * that has stopped one thread and attaches to the next would wait forever, and so would the program. So another
 * thread of the tracer reaps them.
 */
#ifndef SPOOR_TOOLS_INJECT_UNDERTAKER_H
#define SPOOR_TOOLS_INJECT_UNDERTAKER_H

#include <pthread.h>
#include <stdbool.h>

struct inject;

/* Runs until the inject_undertaker_end of the outermost begin. If no thread can be created, the work continues
 * without it. */
void inject_undertaker_begin(struct inject *inject);
void inject_undertaker_end(struct inject *inject);

/* Protects changes of @inject->hold. */
void inject_undertaker_lock(struct inject *inject);
void inject_undertaker_unlock(struct inject *inject);

#endif
