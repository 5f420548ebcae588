/* SPDX-License-Identifier: MIT */
/*
 * packing.h - packs event words into bytes and unpacks them, one slice at a time.
 *
 * Calls repeat and nest, so the words before usually predict a word: an exit belongs to the function
 * that was entered last, and an entry is the one that followed the same word last time. The format of
 * a word:
 *
 *   byte   bits 0-1  0 exit of the innermost open function, 1 the predicted entry,
 *                    2 any other word: its upper half follows, 3 tail exit of the innermost function
 *          bits 2-7  low half minus low half of the word before: 0-39 itself;
 *                    40-62: (value - 40) << 8, plus the next byte, plus 40;
 *                    63: a LEB128 follows
 *   after 2: LEB128 of index << 3 | kind, then for an extended word its `index` words of eight bytes
 *
 * SPOOR_COMPRESSION_VALUES packs records of values too (value_packing.h). Then the bytes of an event come before
 * the bytes of its record.
 *
 * Packer and unpacker keep the same stack and the same table of successors. Both are empty at the
 * begin of a block, so each block can be unpacked alone.
 */
#ifndef SPOOR_PACKING_H
#define SPOOR_PACKING_H

#include <stddef.h>
#include <stdint.h>

#include "format/function_set.h"
#include "format/value_packing.h"

#define SPOOR_PACKING_DEPTH 256u	/* a ring: deeper calls replace the outermost ones */
#define SPOOR_PACKING_SUCCESSORS 2048u

/* The tables that both sides derive from the words so far. 9 KiB: too large for a small stack. */
struct spoor_packing {
	uint32_t stack[SPOOR_PACKING_DEPTH];
	uint32_t successors[SPOOR_PACKING_SUCCESSORS];
};

/* The most bytes that @words words can take. */
#define SPOOR_PACKED_WORD_MAX 16
#define SPOOR_PACKED_BYTES_MAX(words) ((words) * SPOOR_PACKED_WORD_MAX)

/*
 * spoor_pack - packs event words.
 * @words:   as stored in a slice, without holes
 * @bytes:   room for SPOOR_PACKED_BYTES_MAX(count)
 * @counter: the low half of spoor_slice_info.counter
 * @tables:  working memory; its contents before and after do not matter
 * @seen:    null, or receives the functions of the words. A block has each of its functions at least once in a
 *           word that is not predicted, so predicted words cost nothing.
 * @values:  null: packs for SPOOR_COMPRESSION_PACKED; else for SPOOR_COMPRESSION_VALUES
 * @layouts: with @values, or null
 *
 * Return: the number of bytes written.
 */
size_t spoor_pack(const uint64_t *words, size_t count, uint32_t counter, uint8_t *bytes,
		  struct spoor_packing *tables, struct spoor_function_set *seen, struct spoor_value_model *values,
		  struct spoor_layout_index *layouts);

/*
 * spoor_unpack - unpacks the bytes of spoor_pack.
 * @words: room for @count words
 * @count: the number of words according to the block
 * @values: null: the block has SPOOR_COMPRESSION_PACKED; else SPOOR_COMPRESSION_VALUES
 *
 * Return: 0, or -EBADMSG if the bytes are not a packing of exactly @count words.
 */
int spoor_unpack(const uint8_t *bytes, size_t size, uint32_t counter, uint64_t *words, size_t count,
		 struct spoor_value_model *values);

#endif
