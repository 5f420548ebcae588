/* SPDX-License-Identifier: MIT */
/* thread_life.h - what the trace, the counters and the service do at a thread's first event and at its end. */
#ifndef SPOOR_THREAD_LIFE_H
#define SPOOR_THREAD_LIFE_H

#include "event/thread.h"

extern const struct spoor_thread_observer spoor_thread_life;

/* Names the calling thread in every trace to which it logs. @name is never freed. */
void spoor_thread_name(const char *name);

#endif
