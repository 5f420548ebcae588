/* SPDX-License-Identifier: MIT */
/* value_text.h - writes values as a stream of bits, and reads text from memory that may not exist. */
#ifndef SPOOR_VALUE_TEXT_H
#define SPOOR_VALUE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/trace_format.h"
#include "format/values_format.h"

/* Whether the kernel may read the memory of a record's values: 0 if nothing has asked. */
enum spoor_kernel { SPOOR_KERNEL_READS = 1, SPOOR_KERNEL_MUST_NOT_READ };

struct spoor_value_bits {
	uint64_t *word, *end;
	uint64_t bits;		/* of the next word */
	uint32_t used;		/* number of these bits, below SPOOR_VALUES_WORD_BITS */
	uint32_t kernel;	/* enum spoor_kernel */
};

/* Appends @count bits, at most 60. @value has no other bits. Drops bits for which there is no room. */
static inline void spoor_value_put(struct spoor_value_bits *to, uint64_t value, uint32_t count)
{
	to->bits |= value << to->used;
	to->used += count;
	if (to->used < SPOOR_VALUES_WORD_BITS)
		return;
	to->used -= SPOOR_VALUES_WORD_BITS;
	if (to->word < to->end)
		*to->word++ = SPOOR_USER_MARK | (to->bits & (SPOOR_USER_MARK - 1));
	to->bits = value >> (count - to->used);
}

/* Ends the last word. Returns the number of words since @begin. */
static inline uint32_t spoor_value_end(struct spoor_value_bits *to, const uint64_t *begin)
{
	if (to->used && to->word < to->end)
		*to->word++ = SPOOR_USER_MARK | to->bits;
	return (uint32_t)(to->word - begin);
}

/* Memory that can be read as long as the process lives: constants of the executable. */
struct spoor_readable {
	uint64_t begin, bytes;
};

#define SPOOR_READABLE_MAX 8u

extern struct spoor_readable spoor_readable[SPOOR_READABLE_MAX];
extern uint32_t spoor_readable_count;	/* stored after the range that it counts */

/* The process had seccomp filters when it chose its first text, and they permit process_vm_readv. Otherwise no text is
 * read by this call in a thread with a filter, because the filter could end the process. */
extern bool spoor_text_filter_is_tested;

/* The processor has transactions, and they may be used. */
extern bool spoor_text_has_transactions;

/* Appends the text at @address, which ends with NUL: at most @most bytes of it. */
void spoor_value_put_text(struct spoor_value_bits *to, uint64_t address, uint32_t most);

/* Appends the text of @length bytes at @address: at most @most bytes of it. */
void spoor_value_put_range(struct spoor_value_bits *to, uint64_t address, uint64_t length, uint32_t most);

/* Appends the text of an object in memory. */
void spoor_value_put_object(struct spoor_value_bits *to, uint64_t address, enum spoor_text_layout layout, uint32_t most);

#endif
