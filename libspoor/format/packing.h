/* SPDX-License-Identifier: MIT */
/*
 * packing.h - event words to bytes and back, one slice at a time.
 *
 * Calls repeat and nest, so most words follow from what went before: an exit
 * is that of the function entered last, an entry is the one that followed the
 * same word the last time. The format, per word:
 *
 *   byte   bits 0-1  0 exit of the innermost open function, 1 the predicted entry,
 *                    2 anything, its upper half follows, 3 tail exit of the innermost
 *          bits 2-7  the difference to the word before's low half: 0-39 itself;
 *                    40-62: (this - 40) << 8, plus the next byte, plus 40;
 *                    63: a LEB128 follows
 *   after 2: LEB128 of index << 3 | kind, then for an extended word its
 *            `index` words, eight bytes each
 *
 * Packer and unpacker keep the same stack and the same table of successors,
 * both empty when a block begins: each block stands alone.
 */
#ifndef SPOOR_PACKING_H
#define SPOOR_PACKING_H

#include <stddef.h>
#include <stdint.h>

#define SPOOR_PACKING_DEPTH 256u	/* a ring: deeper frames are forgotten, outermost first */
#define SPOOR_PACKING_SUCCESSORS 2048u

/* What both sides derive from the words so far. 9 KiB: not for every stack. */
struct spoor_packing {
	uint32_t time;
	uint32_t depth;
	uint32_t *successor;
	uint32_t stack[SPOOR_PACKING_DEPTH];
	uint32_t successors[SPOOR_PACKING_SUCCESSORS];
};

/* The most bytes that `words` words can take. */
#define SPOOR_PACKED_BYTES_MAX(words) ((words) * 11)

/*
 * spoor_pack - packs event words.
 * @words:   as stored in a slice, without holes
 * @bytes:   room for SPOOR_PACKED_BYTES_MAX(count)
 * @counter: the low half of spoor_slice_info.counter
 * @model:   room to work in; nothing is asked of it
 *
 * Return: the number of bytes written.
 */
size_t spoor_pack(const uint64_t *words, size_t count, uint32_t counter, uint8_t *bytes,
		  struct spoor_packing *model);

/*
 * spoor_unpack - the inverse.
 * @count: how many words the block says it holds; room for them is at @words
 *
 * Return: 0, or -EBADMSG where the bytes are no packing of exactly @count words.
 */
int spoor_unpack(const uint8_t *bytes, size_t size, uint32_t counter, uint64_t *words, size_t count);

#endif
