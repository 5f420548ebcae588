/* SPDX-License-Identifier: MIT */
/*
 * records.h - the process file: what the process itself writes into its folder.
 *
 * A block is in the file whole or not at all, and blocks of several threads do not
 * mix. What cannot be written is said once; the program goes on. While the process has no trace nothing is written.
 */
#ifndef SPOOR_TRACE_RECORDS_H
#define SPOOR_TRACE_RECORDS_H

#include "config/configuration.h"
#include "event/event_path.h"

/* The next four are trace.c's, under the registry's lock. */

/*
 * spoor_trace_records_begin - makes the file, with what is known of the process.
 * @folder: stays the caller's, as it is, until the file is closed
 *
 * Return: 0, or a negative errno.
 */
int spoor_trace_records_begin(const char *folder);

/* The process ends in order, or its trace does. */
void spoor_trace_records_end(void);

void spoor_trace_records_close(void);

/* In a forked child: the file is the parent's, and whoever held the lock is not here. */
void spoor_trace_records_forget(void);

/*
 * spoor_trace_append - one block.
 * @bytes: the body behind room for the head, sizeof(struct spoor_block) bytes
 */
void spoor_trace_append(enum spoor_block_kind kind, uint32_t thread_id, uint8_t *bytes, size_t body_bytes);

/* The mode is this one from now on. */
void spoor_trace_mode(enum spoor_mode mode);
/* @name and @path are named_things.h's. */
void spoor_trace_tracepoint(const struct spoor_tracepoint *record, const char *name, const char *path);
void spoor_trace_thread(uint32_t thread_id, const char *name);

/* What the thread lost, where it lost anything: it may never have a slice that says so. */
void spoor_trace_thread_lost(const struct spoor_thread *thread);

/* What was open in a thread: @body_bytes of the body stand behind room for the block's head. */
void spoor_trace_roots(uint32_t thread_id, struct spoor_block *block, size_t body_bytes);

/* Whether no thread is just writing to the process file. */
bool spoor_trace_is_idle(void);

/* A record and a text behind it. */
void spoor_trace_text(enum spoor_block_kind kind, uint32_t thread_id, const void *record, size_t bytes,
		      const char *text);

#endif
