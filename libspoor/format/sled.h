/* SPDX-License-Identifier: MIT */
/*
 * sled.h - the bytes of a sled, dormant and patched. One header per architecture.
 *
 * A sled is switched by one aligned store to its head. Its other bytes are
 * written once, while it is dormant, and never again: a thread may stand among
 * them for as long as it likes.
 */
#ifndef SPOOR_SLED_H
#define SPOOR_SLED_H

#include <stdbool.h>
#include <stdint.h>

#include "format/registration.h"

/* Why a sled stays dormant for ever. */
enum spoor_sled_verdict {
	SPOOR_SLED_GOOD,
	SPOOR_SLED_UNEXPECTED,
	SPOOR_SLED_CONDITIONAL,
	SPOOR_SLED_STACK_OPERAND,
	SPOOR_SLED_OUT_OF_REACH,
};

/*
 * What the architecture's header has, inline: SPOOR_SLED_BYTES, SPOOR_ELF_MACHINE and its name, and
 *
 * spoor_sled_kind - the kind of a sled that was never patched, of which the sled map says
 *   @kind; asked before all else
 *
 * spoor_sled_check - reads a sled that was never patched.
 *   @kind:  SPOOR_SLED_ENTRY, _EXIT or _TAIL
 *   @thunk: where it would have to reach
 *   @size:  what may be read from @sled on, at least SPOOR_SLED_BYTES
 *
 * spoor_sled_is_fresh - whether a sled, aligned as its head must be, is at a glance as the compiler
 *   left it; where not, spoor_sled_check knows
 *
 * spoor_sled_reaches - whether a sled at @sled can lead to @thunk
 *
 * spoor_sled_step_aside - makes a dormant, writable sled that threads may be running through a jump
 *   over the rest, which is to be written when all of them have seen that. Return: false where it was one
 *
 * spoor_sled_prepare - writes all but the head of a dormant, writable sled.
 *
 * spoor_sled_is_ours - whether the head of a prepared sled is as we left it: a
 *   debugger may have put its own there, and remembers what it replaced.
 *
 * spoor_sled_switch - stores the head of a prepared, writable sled.
 *
 * spoor_sled_has_logged - whether an exit's or a tail call's patched sled has logged its event
 *   when a thread stands @offset bytes behind its begin, up to the instruction behind it
 *
 * spoor_text_changed - what was stored to [@low, @high) is what this processor executes from
 *   here on, and any other one after a barrier (membarrier(2), SYNC_CORE).
 */
static inline uint8_t spoor_sled_kind(const uint8_t *sled, uint8_t kind);
static inline enum spoor_sled_verdict spoor_sled_check(const uint8_t *sled, uint8_t kind, const void *thunk,
						       uint64_t size);
static inline bool spoor_sled_is_fresh(const uint8_t *sled, uint8_t kind);
static inline bool spoor_sled_reaches(const uint8_t *sled, const void *thunk);
static inline bool spoor_sled_step_aside(uint8_t *sled, uint8_t kind);
static inline void spoor_sled_prepare(uint8_t *sled, uint8_t kind, const void *thunk, uint32_t index);
static inline bool spoor_sled_is_ours(const uint8_t *sled, uint8_t kind);
static inline void spoor_sled_switch(uint8_t *sled, uint8_t kind, bool on);
static inline bool spoor_sled_has_logged(uint8_t kind, uint64_t offset);
static inline void spoor_text_changed(uintptr_t low, uintptr_t high);

#include SPOOR_SLED_HEADER

#endif
