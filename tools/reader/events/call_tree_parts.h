/* SPDX-License-Identifier: MIT */
/* call_tree_parts.h - functions that the files of the call tree share; for them only. */
#ifndef SPOOR_READER_CALL_TREE_PARTS_H
#define SPOOR_READER_CALL_TREE_PARTS_H

#include "reader/events/call_tree.h"

/* call_room.c. Functions that return int return 0 or -ENOMEM. */

int call_tree_grow(struct call_tree *tree, size_t depth);

/* Makes room for @depth open calls. */
static inline int call_tree_make_room(struct call_tree *tree, size_t depth)
{
	return depth <= tree->capacity ? 0 : call_tree_grow(tree, depth);
}

/* Makes room for this function in `open`. */
int call_tree_make_open(struct call_tree *tree, uint32_t function);

/* Counts the open calls of each function, and keeps counting from then on. */
int call_tree_count_open(struct call_tree *tree);

/* Notes one more open call with this frame. */
int call_tree_frame_opens(struct call_tree *tree, uint32_t frame);
bool call_tree_has_frame(const struct call_tree *tree, uint32_t frame);

/* call_tree.c. */

/* Closes the innermost calls until @depth are open. */
void call_tree_close_to(struct call_tree *tree, const struct call_sink *sink, size_t depth, uint64_t time_ns,
			enum spoor_call_end how);

/* Closes the calls of all stacks, because it is unknown which of them continue. */
void call_tree_forget_open(struct call_tree *tree, const struct call_sink *sink, uint64_t last_ns);

/* Takes an event of a tree that has no range, or is within it. Returns 0 or -ENOMEM. */
int call_tree_take_one(struct call_tree *tree, const struct event *event, const struct call_sink *sink);

/* call_stacks.c: takes an EVENT_SWITCH. Returns 0 or -ENOMEM. */
int call_tree_switch_stack(struct call_tree *tree, const struct call_sink *sink, const struct event *event);

/* call_range.c: takes an event of a tree that has a range. Returns the same as call_tree_take. */
int call_tree_take_in_range(struct call_tree *tree, const struct event *event, const struct call_sink *sink);
void call_tree_forget_counts(struct call_tree *tree);

/* call_open.c: call_tree_pop_dormant closes the innermost calls while they are dormant; call_tree_go_dormant
 * marks the open calls of functions that were disabled. */
void call_tree_pop_dormant(struct call_tree *tree, const struct call_sink *sink, uint64_t end_ns);
void call_tree_go_dormant(struct call_tree *tree, const struct call_sink *sink, const struct disabling *disabled,
			  uint64_t time_ns);

#endif
