/* SPDX-License-Identifier: MIT */
/*
 * compress.h - the C interface of libcompress.so: compression by LZ77 and Huffman codes.
 *
 * The caller frees all returned buffers with compress_free.
 */
#ifndef COMPRESS_H
#define COMPRESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Text similar to the text to compress. Packing and unpacking need the same dictionary. */
struct dictionary;

struct packed {
	uint8_t *bytes;
	size_t length;
	unsigned int effort;	/* the effort that gave the smallest result */
};

/* Takes as much of @text as fits. Returns null if there is no memory. */
struct dictionary *compress_dictionary_new(const void *text, size_t length);
void compress_dictionary_free(struct dictionary *dictionary);

/* Compresses with each effort and keeps the smallest result. Returns 0, or -1 if there is no memory. */
int compress_pack(const struct dictionary *dictionary, const void *text, size_t length,
		  struct packed *packed);

/* Returns 0, or -1 if compress_pack did not make @packed. */
int compress_unpack(const struct dictionary *dictionary, const struct packed *packed,
		    uint8_t **text, size_t *length);

void compress_free(void *bytes);

#ifdef __cplusplus
}
#endif

#endif
