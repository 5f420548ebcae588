/* SPDX-License-Identifier: MIT */
/* slice_words.c - reads the words of a slice. slice_words.h describes the rules. */
#include "format/slice_words.h"

#include <errno.h>
#include <stddef.h>

/* Returns the least number of words after the first word of a record; 0 if the type has no minimum or is unknown. */
static uint32_t least_length(uint32_t type)
{
	switch (type) {
	case SPOOR_EXTENDED_TIME:
	case SPOOR_EXTENDED_GAP:
	case SPOOR_EXTENDED_VALUES:
		return 1;
	case SPOOR_EXTENDED_TIMED_EVENT:
	case SPOOR_EXTENDED_LOST:
		return 2;
	case SPOOR_EXTENDED_TRACEPOINT:
		return SPOOR_TRACEPOINT_WORDS;
	case SPOOR_EXTENDED_USER:
		return SPOOR_USER_WORDS;
	default:
		return 0;
	}
}

/* Reads a record whose words are complete. */
static void read_extended(struct spoor_words *words, struct spoor_slice_record *record)
{
	uint32_t least = least_length(record->type);

	if (!least || record->length < least) {
		record->type = record->type == SPOOR_EXTENDED_NOP ? record->type : 0;
		return;
	}
	if (record->type == SPOOR_EXTENDED_LOST || record->type == SPOOR_EXTENDED_VALUES)
		return;
	words->counter = spoor_word_raise(words->counter, spoor_extended_is_event(record->type) ?
					  record->payload[0] & (SPOOR_USER_MARK - 1) : record->payload[0]);
	if (record->type == SPOOR_EXTENDED_TIMED_EVENT && spoor_kind_is_plain((uint32_t)record->payload[1] >> SPOOR_INDEX_BITS)) {
		record->kind = (uint32_t)record->payload[1] >> SPOOR_INDEX_BITS;
		record->index = (uint32_t)record->payload[1] & SPOOR_INDEX_MAX;
	}
}

int spoor_words_next(struct spoor_words *words, struct spoor_slice_record *record)
{
	uint64_t word;

	if (words->word >= words->end)
		return 0;
	if (spoor_words_next_plain(words, record))
		return 1;
	word = __atomic_load_n(words->word, __ATOMIC_ACQUIRE);
	record->type = (uint32_t)word;
	record->length = record->kind == SPOOR_EVENT_EXTENDED ? record->index : 0;
	record->payload = words->word + 1;
	if (record->length >= (size_t)(words->end - words->word))
		return -EBADMSG;
	words->word += 1 + record->length;
	if (record->kind == SPOOR_EVENT_EXTENDED)
		read_extended(words, record);
	return 1;
}

uint32_t spoor_slice_words_copy(uint64_t *out, const uint64_t *words, uint32_t count, uint32_t *holes, uint32_t *events)
{
	const uint64_t *begin = out;

	*holes = 0;
	*events = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t word = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
		uint32_t kind = (uint32_t)(word >> 61);

		if (kind == 0) {
			*holes += word == 0;
			continue;
		}
		if (word == SPOOR_NOP_WORD)
			continue;
		*out++ = word;
		*events += kind != SPOOR_EVENT_EXTENDED || (uint32_t)word == SPOOR_EXTENDED_TIMED_EVENT ||
			   spoor_extended_is_event((uint32_t)word);
		if (kind != SPOOR_EVENT_EXTENDED)
			continue;
		/* The payload is stored before the first word, perhaps a moment ago. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		for (uint32_t left = (uint32_t)(word >> 32) & SPOOR_INDEX_MAX; left && i + 1 < count; left--)
			*out++ = words[++i];
	}
	return (uint32_t)(out - begin);
}

uint32_t spoor_slice_words_in_use(const uint64_t *words, uint32_t count)
{
	while (count && words[count - 1] == 0)
		count--;
	return count;
}

uint32_t spoor_slice_words_settled(const uint64_t *words, uint32_t most, uint64_t *counter)
{
	struct spoor_words left = { words, words + most, *counter };
	struct spoor_slice_record record;

	while (spoor_words_is_stored(&left) && spoor_words_next(&left, &record) > 0)
		;
	*counter = left.counter;
	return (uint32_t)(left.word - words);
}
