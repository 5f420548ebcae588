/* SPDX-License-Identifier: MIT */
/*
 * call_lines.h - writes calls as the lines of an indented tree: thread by thread, or those of all
 * threads by time.
 *
 * A call without calls below it takes one line, another one two. Lines that are no calls begin
 * with a '#'. About 30 ns a line.
 */
#ifndef SPOOR_TOOLS_CALL_LINES_H
#define SPOOR_TOOLS_CALL_LINES_H

#include "base/parallel_output.h"
#include "walk/lines/line.h"
#include "walk/lines/function_text.h"
#include "walk/walk.h"

struct replay_process {
	struct process *process;
	struct replay_texts texts;
	size_t trigger;			/* merged: the next one */
	struct map64 thread_at;		/* merged: by serial, + 1 */
};

struct replay_thread {
	struct replay_process *process;
	const struct thread_slices *slices;
	size_t trigger;			/* the process's next one, which may be another thread's */
	size_t root_depth;		/* of the chosen call that it is in; SIZE_MAX: in none */
	size_t depth;			/* of calls around what comes next */
	size_t number;			/* merged: how many came before */
	const char *name;		/* merged: in the column */
	char column[REPLAY_COLUMN_MAX];	/* merged: in each of its lines */
	size_t column_bytes;
};

struct replay {
	struct output out;
	struct formatting formatting;	/* thread by thread, of their calls */
	struct replay_lines lines;
	struct walk_choice choice;
	size_t depth_limit;
	char *patterns;
	bool from_roots;		/* nothing is shown but what is in chosen calls */
	bool merged;
	uint32_t slowest;		/* so many calls; 0: all */
	const struct walk *walk;

	struct replay_process process;	/* the one at hand */
	struct replay_thread own;	/* the thread at hand */
	struct replay_thread *thread;	/* whose calls come; where they are merged, one of `threads` */
	const struct replay_thread *latest;	/* whose line was the last one */
	uint64_t trigger_ns;		/* when the next one was noticed, or earlier */
	bool heading_due;		/* it stands above the first line */
	uint32_t processes;		/* so far */

	/* Merged. */
	struct replay_process **all_processes;
	struct replay_thread **threads;
	size_t process_count, thread_count, thread_capacity, process_capacity;

	/* An entry whose line is not written yet. */
	const struct replay_thread *pending;	/* whose; null: there is none */
	bool pending_root, pending_early;
	size_t pending_depth;
	uint32_t pending_function;
	uint64_t pending_ns;
};

/* Calls become lines by several threads, where that is worth it. */
void replay_formatting_begin(struct replay *replay);

/* For the calls of a walk_sink, whose context is the replay. */
void replay_enter(void *context, const struct call *call, size_t depth);
void replay_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how);
void replay_other(void *context, const struct event *event, size_t depth);
bool replay_stop(void *context);

/* A thread whose calls are told from its first one on. */
void replay_thread_begin(struct replay *replay, struct replay_thread *thread, struct replay_process *process,
			 const struct thread_slices *slices);

/* The marks of triggers that were noticed up to @time_ns: in the thread at hand, or in all that are merged. */
void replay_triggers(struct replay *replay, uint64_t time_ns);

void replay_trace_begin(void *context, struct walk *walk);
void replay_process_heading(struct replay *replay, const struct process *process);
void replay_columns(struct replay *replay);

/* The entry that waits for what comes next becomes a line of its own. */
void replay_pending(struct replay *replay);

/*
 * A process and a thread whose calls are merged with others'. replay_turn: the calls of the thread
 * that was number @thread to be added follow, from 0. Return: 0 or a negative errno.
 */
int replay_add_process(struct replay *replay, struct process *process, struct functions *functions);
int replay_add_thread(struct replay *replay, struct replay_process *process, const struct thread_slices *slices);
void replay_turn(struct replay *replay, size_t thread);

/* Its name may have become another one. */
void replay_name_thread(struct replay *replay, struct replay_thread *thread);

/* Nothing follows of a process. */
void replay_drop_process(struct replay *replay, struct replay_process *process);
void replay_drop_all(struct replay *replay);

#endif
