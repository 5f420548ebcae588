/* SPDX-License-Identifier: MIT */
/* throttled.h - spoor record --max-rate: makes functions dormant that are called too often. */
#ifndef SPOOR_TOOLS_RECORD_THROTTLED_H
#define SPOOR_TOOLS_RECORD_THROTTLED_H

#include "reader/files/process.h"
#include "record/recorder.h"

/* Makes functions dormant that the recorder has found since the last call, by requests to their processes.
 * @trace_path: absolute */
void record_throttled_tick(struct recorder *recorder, const char *trace_path);

/* Prints which functions of a process were made dormant. */
void record_throttled_print(const struct process *process);

#endif
