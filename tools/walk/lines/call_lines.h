/* SPDX-License-Identifier: MIT */
/*
 * call_lines.h - writes calls as the lines of an indented tree: thread by thread, or all threads
 * merged by time.
 *
 * A call without callees takes one line, another call two. Lines that are not calls begin with a '#'.
 * About 30 ns a line.
 */
#ifndef SPOOR_TOOLS_CALL_LINES_H
#define SPOOR_TOOLS_CALL_LINES_H

#include "base/parallel_output.h"
#include "reader/sched/thread_calls.h"
#include "reader/sched/thread_sched.h"
#include "walk/lines/line.h"
#include "walk/lines/function_text.h"
#include "walk/lines/waker_functions.h"
#include "walk/walk.h"

struct replay_process {
	struct process *process;
	struct replay_texts texts;
	size_t trigger;			/* merged: the next one to write */
	struct map64 thread_at;		/* merged: position + 1, by serial */
};

struct replay_thread {
	struct replay_process *process;
	const struct thread_slices *slices;
	size_t trigger;			/* the process's next one, which may belong to another thread */
	size_t root_depth;		/* of the chosen call around the current one; SIZE_MAX: none */
	size_t depth;			/* number of calls around the next line */
	size_t number;			/* merged: number of threads before it */
	const char *name;		/* merged: shown in the column */
	char column[REPLAY_COLUMN_MAX];	/* merged: part of each of its lines */
	size_t column_bytes;
	struct thread_sched sched;	/* with --waits: when it waited */
	size_t next_wait;		/* position of its next gap */
	struct thread_calls calls;	/* with --syscalls */
	size_t next_call;		/* position of the next one */
};

struct replay {
	struct output out;
	struct formatting formatting;	/* of calls, if threads are not merged */
	struct replay_lines lines;
	struct walk_choice choice;
	size_t depth_limit;
	char *patterns;
	bool shows_waits;		/* waits of at least this time are lines */
	uint64_t least_wait_ns;
	bool shows_calls;		/* system calls of at least this time are lines */
	uint64_t least_call_ns;
	struct waker_functions wakers;	/* with waits: where the threads were that ended them */
	bool from_roots;		/* shows only the calls in chosen calls */
	bool merged;
	uint32_t slowest;		/* shows this many calls; 0: all */
	const struct walk *walk;

	struct replay_process process;	/* the current process */
	struct replay_thread own;	/* the current thread */
	struct replay_thread *thread;	/* the thread of the next calls; merged: one of `threads` */
	const struct replay_thread *latest;	/* the thread of the last line */
	uint64_t trigger_ns;		/* time of the next trigger's mark, or earlier */
	bool heading_due;		/* the next line needs the heading above it */
	uint32_t processes;		/* number of processes so far */

	/* For merged threads. */
	struct replay_process **all_processes;
	struct replay_thread **threads;
	size_t process_count, thread_count, thread_capacity, process_capacity;

	/* An entry whose line is not written yet. */
	const struct replay_thread *pending;	/* its thread; null: there is no such entry */
	bool pending_root, pending_early;
	size_t pending_depth;
	uint32_t pending_function;
	uint64_t pending_ns;
	struct call_values *pending_values;	/* its arguments, or null */
};

/* Lets several threads format calls, if that is faster. */
void replay_formatting_begin(struct replay *replay);

/* Begins a line of a thread that is not a call, in the thread's current call. Returns where its text begins. */
char *replay_line_within(struct replay *replay, const struct replay_thread *thread, uint64_t time_ns, size_t text_bytes);

/* Returns whether lines of the thread are shown where it is now. */
bool replay_shows(const struct replay *replay, const struct replay_thread *thread);

/* Before a walk with --waits: finds where the threads were that ended the waits. */
void replay_wakers_begin(struct replay *replay);

/* Returns whether there are lines of waits or of system calls. */
static inline bool replay_has_states(const struct replay *replay)
{
	return replay->shows_waits || replay->shows_calls;
}

/* In wait_lines.c: reads the waits and system calls of a thread; writes the current thread's up to @time_ns,
 * and sets trigger_ns to the next one if it comes first; frees the memory. Do nothing without --waits and --syscalls. */
void replay_waits_begin(struct replay *replay, struct replay_thread *thread);
void replay_waits(struct replay *replay, uint64_t time_ns);
void replay_waits_end(struct replay_thread *thread);

/* In system_call_lines.c: writes a system call. */
void replay_call(struct replay *replay, struct replay_thread *thread, const struct thread_call *call);

/* Functions for a walk_sink whose context is the replay. */
void replay_enter(void *context, const struct call *call, size_t depth);
void replay_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how);
void replay_other(void *context, const struct event *event, size_t depth);
bool replay_stop(void *context);

/* Begins a thread whose calls follow from its first one on. */
void replay_thread_begin(struct replay *replay, struct replay_thread *thread, struct replay_process *process,
			 const struct thread_slices *slices);

/* Writes the marks of triggers up to @time_ns, of the current thread or of all merged threads. */
void replay_triggers(struct replay *replay, uint64_t time_ns);

void replay_trace_begin(void *context, struct walk *walk);
void replay_process_heading(struct replay *replay, const struct process *process);
void replay_columns(struct replay *replay);

/* Writes the waiting entry as a separate line. */
void replay_pending(struct replay *replay);

/*
 * Add a process and a thread whose calls are merged with others. replay_turn: the next calls belong to
 * the thread that was added as number @thread, from 0. Return 0 or a negative errno.
 */
int replay_add_process(struct replay *replay, struct process *process, struct functions *functions);
int replay_add_thread(struct replay *replay, struct replay_process *process, const struct thread_slices *slices);
void replay_turn(struct replay *replay, size_t thread);

/* Updates the thread's name, which may have changed. */
void replay_name_thread(struct replay *replay, struct replay_thread *thread);

/* Frees a process, which has no further calls. */
void replay_drop_process(struct replay *replay, struct replay_process *process);
void replay_drop_all(struct replay *replay);

#endif
