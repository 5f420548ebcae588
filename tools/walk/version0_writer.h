/* SPDX-License-Identifier: MIT */
/*
 * version0_writer.h - writes a trace as files of Microsoft's Spoor (version0_format.h).
 *
 * A tail call is written as an exit. If an exception left a call, the call's exit is written at that
 * time. A call that never ended has no exit.
 */
#ifndef SPOOR_TOOLS_VERSION0_WRITER_H
#define SPOOR_TOOLS_VERSION0_WRITER_H

#include "walk/walk.h"

/* Writes the trace at @path, compressed, into its own directory. Returns an enum spoor_exit. */
int version0_write_trace(const char *path);

/* The same as the parts of a walk. */
struct version0_writer;

/* @directory: a descriptor, the writer's if 0 is returned. Returns 0 or -ENOMEM. */
int version0_writer_begin(struct version0_writer **writer, int directory, bool compressed);

/* Prints a message if events are missing, frees the writer. Returns 0 or the negative errno of writing. */
int version0_writer_end(struct version0_writer *writer);

void version0_process(struct version0_writer *writer, struct process *process, struct functions *functions);
void version0_thread(struct version0_writer *writer, const struct thread_slices *thread);

/* Writes the thread's events. Returns 0 or the negative errno of writing, now or before. */
int version0_thread_end(struct version0_writer *writer, const struct call_tree *tree);

void version0_enter(struct version0_writer *writer, const struct call *call);
void version0_leave(struct version0_writer *writer, const struct call *call, uint64_t end_ns, enum call_end how);
void version0_other(struct version0_writer *writer, const struct event *event);

#endif
