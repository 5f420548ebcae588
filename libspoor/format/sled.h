/* SPDX-License-Identifier: MIT */
/*
 * sled.h - reads and writes the bytes of a sled, dormant and patched. Each architecture has a header.
 *
 * One aligned store to the head of a sled switches it. The other bytes are written once, while the
 * sled is dormant, and never change again: a thread may be interrupted between them for any time.
 */
#ifndef SPOOR_SLED_H
#define SPOOR_SLED_H

#include <stdbool.h>
#include <stdint.h>

#include "format/registration.h"

/* SPOOR_SLED_GOOD for a sled that can be patched, or the reason why it cannot. */
enum spoor_sled_verdict {
	SPOOR_SLED_GOOD,
	SPOOR_SLED_UNEXPECTED,
	SPOOR_SLED_CONDITIONAL,
	SPOOR_SLED_STACK_OPERAND,
	SPOOR_SLED_OUT_OF_REACH,
};

/*
 * The header of the architecture defines SPOOR_SLED_BYTES, SPOOR_ELF_MACHINE, SPOOR_ARCH_NAME, and the
 * inline functions
 *
 * spoor_sled_kind - returns the kind of a sled that was never patched, to which the sled map gives
 *   @kind. Called before the other functions.
 *
 * spoor_sled_check - checks the bytes of a sled that was never patched.
 *   @kind:  SPOOR_SLED_ENTRY, _EXIT or _TAIL
 *   @thunk: the code that the sled must reach
 *   @size:  number of readable bytes from @sled on, at least SPOOR_SLED_BYTES
 *
 * spoor_sled_is_fresh - whether an aligned sled has exactly the bytes that the compiler wrote. A quick
 *   test: if it returns false, spoor_sled_check decides.
 *
 * spoor_sled_reaches - whether a sled at @sled can lead to @thunk.
 *
 * spoor_sled_jump_over_rest - turns a dormant, writable sled, which threads may be executing, into a
 *   jump over its other bytes. These may be written after all threads have seen the jump. Returns
 *   false if the sled was a jump already.
 *
 * spoor_sled_prepare - writes all bytes except the head of a dormant, writable sled.
 *
 * spoor_sled_is_ours - whether the head of a prepared sled is as the runtime wrote it. A debugger may
 *   have stored a breakpoint there, and restores the bytes that it replaced.
 *
 * spoor_sled_switch - stores the head of a prepared, writable sled.
 *
 * spoor_sled_has_logged - whether the patched sled of an exit or tail call has logged its event when a
 *   thread is @offset bytes after the sled's begin, at most at the instruction after the sled.
 *
 * spoor_text_changed - makes this processor execute the bytes that were stored to [@low, @high). Other
 *   processors execute them after a barrier (membarrier(2), SYNC_CORE).
 */
static inline uint8_t spoor_sled_kind(const uint8_t *sled, uint8_t kind);
static inline enum spoor_sled_verdict spoor_sled_check(const uint8_t *sled, uint8_t kind, const void *thunk,
						       uint64_t size);
static inline bool spoor_sled_is_fresh(const uint8_t *sled, uint8_t kind);
static inline bool spoor_sled_reaches(const uint8_t *sled, const void *thunk);
static inline bool spoor_sled_jump_over_rest(uint8_t *sled, uint8_t kind);
static inline void spoor_sled_prepare(uint8_t *sled, uint8_t kind, const void *thunk, uint32_t index);
static inline bool spoor_sled_is_ours(const uint8_t *sled, uint8_t kind);
static inline void spoor_sled_switch(uint8_t *sled, uint8_t kind, bool on);
static inline bool spoor_sled_has_logged(uint8_t kind, uint64_t offset);
static inline void spoor_text_changed(uintptr_t low, uintptr_t high);

#include SPOOR_SLED_HEADER

#endif
