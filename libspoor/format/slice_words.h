/* SPDX-License-Identifier: MIT */
/*
 * slice_words.h - reads the words of a slice, one record after the other.
 *
 * The traced thread may still write to the slice. It stores a record's first word last, so a slot that
 * is 0 holds no record yet. trace_format.h describes the words.
 */
#ifndef SPOOR_SLICE_WORDS_H
#define SPOOR_SLICE_WORDS_H

#include <stdbool.h>

#include "format/trace_format.h"

static inline uint32_t spoor_word_kind(uint64_t word)
{
	return (uint32_t)(word >> (32 + SPOOR_INDEX_BITS));
}

static inline uint32_t spoor_word_index(uint64_t word)
{
	return (uint32_t)(word >> 32) & SPOOR_INDEX_MAX;
}

/* Tells if a word of this kind is one event, whose low half is its time. */
static inline bool spoor_kind_is_plain(uint32_t kind)
{
	return kind - SPOOR_EVENT_ENTRY <= SPOOR_EVENT_SWITCH - SPOOR_EVENT_ENTRY;
}

/* Returns the counter of a plain word whose predecessor has @counter: the nearest time that is not earlier. */
static inline uint64_t spoor_word_date(uint64_t counter, uint64_t word)
{
	int32_t difference = (int32_t)((uint32_t)word - (uint32_t)counter);

	return difference > 0 ? counter + (uint32_t)difference : counter;
}

/* Returns the counter after a record with a full counter. A full counter near the end of its range is invalid:
 * adding the difference of the next word would overflow. */
static inline uint64_t spoor_word_raise(uint64_t counter, uint64_t full)
{
	return full > counter && full <= INT64_MAX ? full : counter;
}

/* The words that are still to be read. */
struct spoor_words {
	const uint64_t *word, *end;
	uint64_t counter;	/* of the record before @word */
};

/* One record. */
struct spoor_slice_record {
	uint32_t kind;		/* enum spoor_event_kind; 0: the word belongs to no record */
	uint32_t index;		/* of a plain event: its function, or its frame's bits */
	uint32_t type;		/* of SPOOR_EVENT_EXTENDED: enum spoor_extended_type; 0: unknown or too short */
	uint32_t length;	/* ... number of words after the first */
	const uint64_t *payload;	/* ... these words */
};

/*
 * spoor_words_next_plain - reads the next word if it is a plain event: entry to switch.
 *
 * Return: whether the word is one. If not, nothing has changed.
 */
static inline __attribute__((always_inline)) bool spoor_words_next_plain(struct spoor_words *words,
									 struct spoor_slice_record *record)
{
	uint64_t word;

	if (words->word >= words->end)
		return false;
	word = __atomic_load_n(words->word, __ATOMIC_ACQUIRE);
	record->kind = spoor_word_kind(word);
	record->index = spoor_word_index(word);
	if (!spoor_kind_is_plain(record->kind))
		return false;
	words->counter = spoor_word_date(words->counter, word);
	words->word++;
	return true;
}

/*
 * spoor_words_next - reads the next record.
 *
 * An event inside a SPOOR_EXTENDED_TIMED_EVENT is returned as a plain event.
 *
 * Return: 1, 0 at the end, or -EBADMSG if the record is longer than the rest of the words: then nothing
 * has changed.
 */
int spoor_words_next(struct spoor_words *words, struct spoor_slice_record *record);

/* Tells if the traced thread has stored the next word. */
static inline bool spoor_words_is_stored(const struct spoor_words *words)
{
	return words->word < words->end && __atomic_load_n(words->word, __ATOMIC_RELAXED) != 0;
}

/*
 * spoor_slice_words_copy - copies @count words to @out, which has room for as many.
 * @holes:  out: number of empty words
 * @events: out: number of events copied
 *
 * Leaves out empty words, no-ops, and the payload of an extended record whose first word is missing: no
 * payload looks like an event.
 *
 * Return: the number of words copied.
 */
uint32_t spoor_slice_words_copy(uint64_t *out, const uint64_t *words, uint32_t count, uint32_t *holes, uint32_t *events);

/* Returns the number of words that a slice in use holds: up to the last word that is not empty. */
uint32_t spoor_slice_words_in_use(const uint64_t *words, uint32_t count);

/*
 * spoor_slice_words_settled - counts the words before the first empty slot. They are whole records, to
 * which no thread writes again.
 * @counter: in: before these words; out: after them
 */
uint32_t spoor_slice_words_settled(const uint64_t *words, uint32_t most, uint64_t *counter);

#endif
