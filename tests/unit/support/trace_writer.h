/* SPDX-License-Identifier: MIT */
/*
 * trace_writer.h - writes traces without a runtime: those that tests expect to
 * read back, broken ones too.
 *
 * Time is what the caller says: a counter of 2.3 GHz that begins at
 * TRACE_WRITER_COUNTER, when CLOCK_MONOTONIC is TRACE_WRITER_STEADY_NS. A call
 * that fails ends the test program.
 */
#ifndef SPOOR_TRACE_WRITER_H
#define SPOOR_TRACE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/block.h"

#define TRACE_WRITER_COUNTER 1000000000000ull
#define TRACE_WRITER_STEADY_NS 5000000000000
#define TRACE_WRITER_SYSTEM_NS 1700000000000000000

struct trace_writer {
	int folder, process_file, events_file;
	uint32_t process_id;
	uint64_t session_id;
	uint64_t counter;	/* now; only the caller moves it */
	uint32_t serials;
	bool raw;		/* event blocks are not packed */
	bool garbled;		/* ... are packed, and then made unreadable within */
	int64_t booted_ns;	/* so much later than another machine: its CLOCK_MONOTONIC is less by that */
};

struct trace_thread {
	struct trace_writer *writer;
	struct spoor_slice_info info;
	size_t count;
	uint64_t words[SPOOR_SLICE_WORDS];
};

/* Makes @trace_path if need be, and the process's folder in it. */
void trace_writer_begin(struct trace_writer *writer, const char *trace_path, const char *folder, uint32_t process_id);

/* @in_order: writes the block that says so. */
void trace_writer_end(struct trace_writer *writer, bool in_order);

/* What the clocks show at a moment of the counter. */
void trace_writer_clocks(uint64_t counter, struct spoor_clocks *clocks);
uint64_t trace_writer_ticks(uint64_t ns);

/* Appends one block to the process file. */
void trace_writer_block(struct trace_writer *writer, enum spoor_block_kind kind, uint32_t thread_id, const void *body,
			size_t body_bytes);
void trace_writer_facts(struct trace_writer *writer, const char *facts, size_t bytes);
void trace_writer_module(struct trace_writer *writer, uint32_t module_id, uint32_t base, uint32_t count,
			 const void *build_id, uint32_t build_id_bytes, const char *path, const char *soname);
void trace_writer_loss(struct trace_writer *writer, uint32_t cause, uint32_t thread_id, uint64_t events);

/* What was open in a thread at this moment: indexes and frames. @serial: 0 for the next one with this ID. */
void trace_writer_roots(struct trace_writer *writer, uint32_t thread_id, uint32_t serial, const struct spoor_root *roots,
			uint32_t count);

struct trace_thread *trace_thread_begin(struct trace_writer *writer, uint32_t thread_id);
void trace_thread_word(struct trace_thread *thread, uint64_t word);
void trace_thread_entry(struct trace_thread *thread, uint32_t index);
void trace_thread_exit(struct trace_thread *thread, uint32_t index);
void trace_thread_tail(struct trace_thread *thread, uint32_t index);
void trace_thread_extended(struct trace_thread *thread, enum spoor_extended_type type, const uint64_t *words,
			   uint32_t count);

/* @steady_ns: the event's own time; 0 for none */
void trace_thread_user(struct trace_thread *thread, uint32_t type, uint64_t payload_1, uint32_t payload_2,
		       uint64_t steady_ns);

/* Writes the slice so far as a block of the events file. The next one begins. */
void trace_thread_flush(struct trace_thread *thread);

/* Writes the slice so far as the beginning of one that goes on. */
void trace_thread_flush_partial(struct trace_thread *thread);

/* Lets the slice so far be missing from the trace. */
void trace_thread_skip(struct trace_thread *thread);
void trace_thread_end(struct trace_thread *thread);

/* The same without writing what is left. */
void trace_thread_free(struct trace_thread *thread);

/*
 * trace_writer_pool - writes pool.spoor with slices in it.
 * @slices: not flushed; their info.words as they are
 * @free:   bit by slice: it is not in use, whatever it holds
 */
void trace_writer_pool(struct trace_writer *writer, struct trace_thread *const *slices, uint32_t count, uint64_t free);

#endif
