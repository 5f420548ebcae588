/* SPDX-License-Identifier: MIT */
/*
 * merged_tree.h - shows the calls of all processes of a trace that is being written, as lines in order
 * of time. Combines follow.h's events with call_lines.h's lines.
 *
 * A long call gets one line after a moment, and another one at its end. Calls that arrive later than
 * others, such as those in a slice that had a hole, are shown when they arrive.
 */
#ifndef SPOOR_TOOLS_RECORD_MERGED_TREE_H
#define SPOOR_TOOLS_RECORD_MERGED_TREE_H

#include "live/follow.h"
#include "record/recorder.h"
#include "walk/lines/call_lines.h"

#define LIVE_TREE_INTERVAL_NS 100000000ull	/* between two looks */

struct live_process;
struct live_ready;

struct live_tree {
	/* Set by the caller. */
	struct replay replay;		/* its output and its settings */
	const char *trace_path;
	struct recorder *recorder;	/* null: it has ended, and has written everything */
	struct symbol_cache symbols;

	struct walk walk;		/* for replay: the whole time */
	struct call_sink calls;
	struct live_process **processes;
	size_t process_count, process_capacity;
	struct map64 known;		/* folders, by a hash of their names */
	struct live_ready *ready;
	size_t ready_count, ready_capacity;
	bool is_error;			/* a message was printed */
};

/* Called after all members are set. */
void live_tree_begin(struct live_tree *live);

/* Looks at all processes, and shows their calls up to now. */
void live_tree_tick(struct live_tree *live);
void live_tree_end(struct live_tree *live);

#endif
