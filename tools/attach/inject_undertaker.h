/* SPDX-License-Identifier: MIT */
/*
 * inject_undertaker.h - waits for those of our stopped threads that an execve(2) ends, for the inject_*.c alone.
 *
 * execve(2) goes on when all other threads have been waited for, and until then nobody attaches to any: who
 * has stopped one of them and attaches to the next would wait for ever, and the program as well. So another
 * thread of ours waits for them.
 */
#ifndef SPOOR_TOOLS_INJECT_UNDERTAKER_H
#define SPOOR_TOOLS_INJECT_UNDERTAKER_H

#include <pthread.h>
#include <stdbool.h>

struct inject;

/* Until inject_undertaker_end; where it cannot be had, without it. */
void inject_undertaker_begin(struct inject *inject);
void inject_undertaker_end(struct inject *inject);

/* Around what changes @inject->hold. */
void inject_undertaker_lock(struct inject *inject);
void inject_undertaker_unlock(struct inject *inject);

#endif
