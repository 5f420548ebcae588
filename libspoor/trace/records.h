/* SPDX-License-Identifier: MIT */
/*
 * records.h - writes the process file: the blocks that the process itself writes into its folder.
 *
 * A block is in the file completely or not at all, and blocks of several threads do not mix. If
 * writing fails, spoor prints one message and the program continues. Without a trace, no block is written.
 */
#ifndef SPOOR_TRACE_RECORDS_H
#define SPOOR_TRACE_RECORDS_H

#include "config/configuration.h"
#include "event/event_path.h"

/* The next four functions are for trace.c, under the registry's lock. */

/*
 * spoor_trace_records_begin - creates the file, and writes facts about the process.
 * @folder: owned by the caller, and unchanged until the file is closed
 *
 * Returns 0, or a negative errno.
 */
int spoor_trace_records_begin(const char *folder);

/* Write the end of the trace; close the file. */
void spoor_trace_records_end(void);

void spoor_trace_records_close(void);

/* In a forked child: the file belongs to the parent, and the thread that held the lock does not exist. */
void spoor_trace_records_forget(void);

/*
 * spoor_trace_append - writes one block.
 * @bytes:      sizeof(struct spoor_block) bytes of room for the head, then the body
 * @body_bytes: size of the body
 */
void spoor_trace_append(enum spoor_block_kind kind, uint32_t thread_id, uint8_t *bytes, size_t body_bytes);

/* Records that the mode changes to @mode now. */
void spoor_trace_mode(enum spoor_mode mode);
/* @name and @path are from named_things.h. */
void spoor_trace_tracepoint(const struct spoor_tracepoint *record, const char *name, const char *path);
void spoor_trace_thread(uint32_t thread_id, const char *name);

/* Records how many events the thread lost, if any: a thread may never have a slice that carries this number. */
void spoor_trace_thread_lost(const struct spoor_thread *thread);

/* Records the open calls of a thread. @block: room for the block's head, then the body of @body_bytes */
void spoor_trace_roots(uint32_t thread_id, struct spoor_block *block, size_t body_bytes);

/* Tells if no thread is writing to the process file. */
bool spoor_trace_is_idle(void);

/* Writes a block that consists of a record and a text. */
void spoor_trace_text(enum spoor_block_kind kind, uint32_t thread_id, const void *record, size_t bytes,
		      const char *text);

#endif
