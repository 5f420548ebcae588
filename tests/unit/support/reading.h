/* SPDX-License-Identifier: MIT */
/*
 * reading.h - what the tests of the reader have in common: a folder for a trace,
 * and the calls of a thread as one line.
 */
#ifndef SPOOR_READING_H
#define SPOOR_READING_H

#include "reader/events/call_tree.h"
#include "reader/files/trace_reader.h"
#include "tests/unit/support/trace_writer.h"
#include "tests/unit/support/unit.h"

/* A new folder, removed when the test ends well; the next call reuses the string. */
const char *reading_folder(void);
void reading_remove(const char *folder);

/* Opens the only process of the trace at @folder. */
void reading_open(const char *folder, struct trace *trace, struct process *process);
void reading_close(struct trace *trace, struct process *process);

/*
 * reading_calls - thread number @thread's calls, as "0(1 2(3))": a call is its
 * function's dense index. What is not plain follows it or stands by itself:
 *   > ended by a tail call   * unwound   ~ left without returning   ? unfinished
 *   + goes on behind the range   < in front: it was open before the range
 *   % events are missing within   @ in front: it was open before it could be recorded
 *   ^N  returns from N, not entered   !CAUSE:COUNT  lost   $TYPE  user event
 * Return: a string that the next call reuses.
 */
const char *reading_calls(struct process *process, size_t thread);

/* The durations in ns of the same calls in the order of their ends: "20 30". */
const char *reading_durations(struct process *process, size_t thread);

/* The calls that are asked for from now on are those of this time; 0, 0: of all. */
void reading_only(uint64_t begin_ns, uint64_t end_ns);

#endif
