/* SPDX-License-Identifier: MIT */
/*
 * compress.h - libcompress.so: LZ77 and Huffman codes, for C callers.
 *
 * Buffers that come out of here go back through compress_free.
 */
#ifndef COMPRESS_H
#define COMPRESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Text that is like what will be packed; both sides need the same one. */
struct dictionary;

struct packed {
	uint8_t *bytes;
	size_t length;
	unsigned int effort;	/* the effort that gave the smallest result */
};

/* Takes what there is room for of @text. Null without memory. */
struct dictionary *compress_dictionary_new(const void *text, size_t length);
void compress_dictionary_free(struct dictionary *dictionary);

/* Packs with each effort and keeps the smallest result. 0, or -1 without memory. */
int compress_pack(const struct dictionary *dictionary, const void *text, size_t length,
		  struct packed *packed);

/* 0, or -1 where @packed is not what compress_pack made. */
int compress_unpack(const struct dictionary *dictionary, const struct packed *packed,
		    uint8_t **text, size_t *length);

void compress_free(void *bytes);

#ifdef __cplusplus
}
#endif

#endif
