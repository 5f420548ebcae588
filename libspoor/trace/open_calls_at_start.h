/* SPDX-License-Identifier: MIT */
/*
 * open_calls_at_start.h - writes the calls that are open in a thread when the thread's events begin to be recorded.
 *
 * A frame of the stack counts if its function is awake, because its exit will be recorded. A frame that is
 * before its entry sled has not been entered yet; a frame after a tail call's sled has ended.
 *
 * Context: all functions run under the registry's lock, from spoor_roots_begin to spoor_roots_end.
 */
#ifndef SPOOR_OPEN_CALLS_AT_START_H
#define SPOOR_OPEN_CALLS_AT_START_H

#include "patch/sled_index.h"
#include "format/stack_frame.h"

/* Allocates working memory. Returns 0, or -ENOMEM. */
int spoor_roots_begin(void);
void spoor_roots_end(void);

/* Adds the next frame of a stack, from the innermost outwards. Returns whether its function has sleds. */
bool spoor_roots_add(const struct spoor_stack_frame *frame);

/* Adds a call that has no frame left, because it is about to end. @index: the function's dense index */
void spoor_roots_add_index(uint32_t index);

/*
 * spoor_roots_write - writes the added calls, if there are any, after the last frame of a stack.
 * @serial:  of the thread; 0 if it has never logged
 * @counter: events after this counter are inside the written calls
 * @cut:     the stack could not be read completely
 */
void spoor_roots_write(uint32_t thread_id, uint32_t serial, uint64_t counter, bool cut);

/* Finds the function that begins at an address. Returns whether there is one, and sets its local ID. */
bool spoor_roots_find(const struct spoor_sleds *sleds, uint64_t function, uint32_t *local);

/* Tells if a call has passed its function's entry sled, and no exit sled. */
bool spoor_roots_is_open(const struct spoor_sleds *sleds, uint32_t local, const struct spoor_stack_frame *frame);

#endif
