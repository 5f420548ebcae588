/* SPDX-License-Identifier: MIT */
/* slice_words.c - the words of a slice; slice_words.h says what is asked of them. */
#include "format/slice_words.h"

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
		/* Stored before it, perhaps a moment ago. */
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
	uint32_t i = 0;

	while (i < most) {
		uint64_t word = __atomic_load_n(&words[i], __ATOMIC_ACQUIRE);
		uint32_t length = (uint32_t)(word >> 32) & SPOOR_INDEX_MAX;

		if (word == 0)
			break;
		if (word >> 61 != SPOOR_EVENT_EXTENDED) {
			int32_t difference = (int32_t)((uint32_t)word - (uint32_t)*counter);

			*counter += difference > 0 ? (uint32_t)difference : 0;
			i++;
			continue;
		}
		if (length >= most - i)
			break;
		if (length && spoor_extended_is_event((uint32_t)word))
			*counter = words[i + 1] & (SPOOR_USER_MARK - 1);
		else if (length && ((uint32_t)word == SPOOR_EXTENDED_TIMED_EVENT ||
				    (uint32_t)word == SPOOR_EXTENDED_TIME || (uint32_t)word == SPOOR_EXTENDED_GAP))
			*counter = words[i + 1];
		i += 1 + length;
	}
	return i;
}
