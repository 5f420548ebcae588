/* SPDX-License-Identifier: MIT */
/* slice_words.h - what the words of a slice say of themselves, whoever may still write to it. */
#ifndef SPOOR_SLICE_WORDS_H
#define SPOOR_SLICE_WORDS_H

#include "format/trace_format.h"

/*
 * spoor_slice_words_copy - copies @count words to @out, as large, without the empty ones and the
 * no-ops, and without what stands behind an extended record's empty first word: its
 * payload looks like no event.
 * @holes:  empty words among them
 * @events: what was copied, in events
 *
 * Return: the number of words copied.
 */
uint32_t spoor_slice_words_copy(uint64_t *out, const uint64_t *words, uint32_t count, uint32_t *holes, uint32_t *events);

/* How many words a slice in use holds: nothing is known but what is not empty. */
uint32_t spoor_slice_words_in_use(const uint64_t *words, uint32_t count);

/*
 * spoor_slice_words_settled - how many words stand in front of the first empty slot: whole
 * records, which nobody touches any more.
 * @counter: in: before them; out: after them
 */
uint32_t spoor_slice_words_settled(const uint64_t *words, uint32_t most, uint64_t *counter);

#endif
