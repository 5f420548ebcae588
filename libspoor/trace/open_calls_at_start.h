/* SPDX-License-Identifier: MIT */
/*
 * open_calls_at_start.h - the calls that a thread is in when its events begin to be recorded, into the trace.
 *
 * Of its frames those count whose function is awake: its exit will be seen. One that stands
 * before its entry's sled has not been entered yet, one behind a tail call's has ended.
 *
 * Context: all of it under the registry's lock, from one spoor_roots_begin to its end.
 */
#ifndef SPOOR_ROOTS_H
#define SPOOR_ROOTS_H

#include "patch/sled_index.h"
#include "format/stack_frame.h"

/* Return: 0 or -ENOMEM. */
int spoor_roots_begin(void);
void spoor_roots_end(void);

/* The next frame of a stack, from the innermost outwards. Return: whether a function with sleds has it. */
bool spoor_roots_add(const struct spoor_stack_frame *frame);

/* A call that has no frame any more: it is about to end. @index: of its function. */
void spoor_roots_add_index(uint32_t index);

/*
 * spoor_roots_write - the stack has ended: it is in the trace, if it had any roots.
 * @serial:  of the thread; 0 where it has never logged
 * @counter: what comes after it hangs from them
 * @cut:     the stack could not be read to its begin
 */
void spoor_roots_write(uint32_t thread_id, uint32_t serial, uint64_t counter, bool cut);

/* The place in a module's table of the function that begins at an address. */
bool spoor_roots_find(const struct spoor_sleds *sleds, uint64_t function, uint32_t *local);

/* Whether a call has been entered, and its exit is still to come, by its function's sleds. */
bool spoor_roots_is_open(const struct spoor_sleds *sleds, uint32_t local, const struct spoor_stack_frame *frame);

#endif
