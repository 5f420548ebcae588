/* SPDX-License-Identifier: MIT */
/*
 * reading.h - opens traces for the tests of the reader, and writes the calls of a
 * thread as a line of text.
 */
#ifndef SPOOR_READING_H
#define SPOOR_READING_H

#include "reader/events/call_tree.h"
#include "reader/files/trace_reader.h"
#include "tests/unit/support/trace_writer.h"
#include "tests/unit/support/unit.h"

/* Returns a new folder, which is removed if the test passes. The next call reuses the string. */
const char *reading_folder(void);
void reading_remove(const char *folder);

/* Opens the trace at @folder, which has one process. */
void reading_open(const char *folder, struct trace *trace, struct process *process);
void reading_close(struct trace *trace, struct process *process);

/*
 * reading_calls - the calls of thread number @thread, as "0(1 2(3))": a number is a
 * function's dense index. Marks follow a call, or stand for an event of their kind:
 *   > ended by a tail call   * unwound   ~ left without returning   ? unfinished
 *   + continues after the range   < before a call: it was open before the range
 *   % events are missing within   @ before a call: it was open before recording began
 *   ^N  return from N without an entry   !CAUSE:COUNT  loss   $TYPE  user event
 * Returns a string that the next call reuses.
 */
const char *reading_calls(struct process *process, size_t thread);

/* Returns the durations in ns of the same calls, in the order of their ends: "20 30". */
const char *reading_durations(struct process *process, size_t thread);

/* Limits the calls to those within this time, from now on. 0, 0: no limit */
void reading_only(uint64_t begin_ns, uint64_t end_ns);

#endif
