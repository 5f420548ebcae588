/* SPDX-License-Identifier: MIT */
/*
 * merged_tree.h - the calls of all processes of a trace that is being written, as lines in the order
 * of time: follow.h's events as call_lines.h has them.
 *
 * A call that lasts gets its line after a moment, and another one for its end. What comes later than
 * the rest, such as a slice that had a gap, stands where it came.
 */
#ifndef SPOOR_TOOLS_LIVE_TREE_H
#define SPOOR_TOOLS_LIVE_TREE_H

#include "live/follow.h"
#include "record/recorder.h"
#include "walk/lines/call_lines.h"

#define LIVE_TREE_INTERVAL_NS 100000000ull	/* between two looks */

struct live_process;
struct live_ready;

struct live_tree {
	/* To be set. */
	struct replay replay;		/* its output, and what is to be shown */
	const char *trace_path;
	struct recorder *recorder;	/* null: it has ended, and has written all */
	struct symbol_cache symbols;

	struct walk walk;		/* what replay asks it for: all of the time */
	struct call_sink calls;
	struct live_process **processes;
	size_t process_count, process_capacity;
	struct map64 known;		/* folders, by a hash of their names */
	struct live_ready *ready;
	size_t ready_count, ready_capacity;
	bool is_error;			/* said already */
};

/* Once all is set. */
void live_tree_begin(struct live_tree *live);

/* Looks at all processes, and tells what all of them have until now. */
void live_tree_tick(struct live_tree *live);
void live_tree_end(struct live_tree *live);

#endif
