/* SPDX-License-Identifier: MIT */
/*
 * trace_writer.h - writes traces for tests without a running runtime, also damaged
 * ones.
 *
 * The caller sets the time: the counter has 2.3 GHz and begins at TRACE_WRITER_COUNTER,
 * when CLOCK_MONOTONIC is TRACE_WRITER_STEADY_NS. If a call fails, it ends the test
 * program.
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
	uint64_t counter;	/* the present value; only the caller changes it */
	uint32_t serials;
	bool raw;		/* write event blocks unpacked */
	bool garbled;		/* write packed event blocks, then damage them inside */
	int64_t booted_ns;	/* how much later this machine booted than another one */
};

struct trace_thread {
	struct trace_writer *writer;
	struct spoor_slice_info info;
	size_t count;
	uint64_t words[SPOOR_SLICE_WORDS];
};

/* Makes the trace at @trace_path if it does not exist, and the folder of the process in it. */
void trace_writer_begin(struct trace_writer *writer, const char *trace_path, const char *folder, uint32_t process_id);

/* @in_order: also writes the block that marks a complete trace */
void trace_writer_end(struct trace_writer *writer, bool in_order);

/* Returns in *@clocks the values of the clocks at @counter. */
void trace_writer_clocks(uint64_t counter, struct spoor_clocks *clocks);
uint64_t trace_writer_ticks(uint64_t ns);

/* Appends one block to the process file. */
void trace_writer_block(struct trace_writer *writer, enum spoor_block_kind kind, uint32_t thread_id, const void *body,
			size_t body_bytes);
void trace_writer_facts(struct trace_writer *writer, const char *facts, size_t bytes);
void trace_writer_module(struct trace_writer *writer, uint32_t module_id, uint32_t base, uint32_t count,
			 const void *build_id, uint32_t build_id_bytes, const char *path, const char *soname);
void trace_writer_loss(struct trace_writer *writer, uint32_t cause, uint32_t thread_id, uint64_t events);

/* Writes a record of the calls that are open in a thread now. @serial: 0 for the next thread with this ID */
void trace_writer_roots(struct trace_writer *writer, uint32_t thread_id, uint32_t serial, const struct spoor_root *roots,
			uint32_t count);

struct trace_thread *trace_thread_begin(struct trace_writer *writer, uint32_t thread_id);
void trace_thread_word(struct trace_thread *thread, uint64_t word);
void trace_thread_entry(struct trace_thread *thread, uint32_t index);
void trace_thread_exit(struct trace_thread *thread, uint32_t index);
void trace_thread_tail(struct trace_thread *thread, uint32_t index);
void trace_thread_extended(struct trace_thread *thread, enum spoor_extended_type type, const uint64_t *words,
			   uint32_t count);

/* Writes a user event. @steady_ns: the event's time of CLOCK_MONOTONIC; 0: the counter's time */
void trace_thread_user(struct trace_thread *thread, uint32_t type, uint64_t payload_1, uint32_t payload_2,
		       uint64_t steady_ns);

/* Writes the present slice as a block of the events file, and begins a new slice. */
void trace_thread_flush(struct trace_thread *thread);

/* Writes the present slice as the first part of a slice that continues. */
void trace_thread_flush_partial(struct trace_thread *thread);

/* Drops the present slice, so that it is missing from the trace. */
void trace_thread_skip(struct trace_thread *thread);
void trace_thread_end(struct trace_thread *thread);

/* Frees the thread without writing the rest. */
void trace_thread_free(struct trace_thread *thread);

/*
 * trace_writer_pool - writes pool.spoor with slices in it.
 * @slices: not flushed; their info.words as they are
 * @free:   one bit for each slice: it is free, whatever words it holds
 */
void trace_writer_pool(struct trace_writer *writer, struct trace_thread *const *slices, uint32_t count, uint64_t free);

#endif
