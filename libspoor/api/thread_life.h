/* SPDX-License-Identifier: MIT */
/* thread_life.h - what a thread's first event and its end mean for the trace, the counters and the service. */
#ifndef SPOOR_THREAD_LIFE_H
#define SPOOR_THREAD_LIFE_H

#include "event/thread.h"

extern const struct spoor_thread_observer spoor_thread_life;

/* Names the calling thread, in every trace that it logs to. @name stays. */
void spoor_thread_name(const char *name);

#endif
