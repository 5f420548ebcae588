/* SPDX-License-Identifier: MIT */
/* huffman.h - compresses bytes with canonical Huffman codes. */
#ifndef HUFFMAN_H
#define HUFFMAN_H

#include "bits.h"

namespace compress {

/* Appends to @packed: a length, 256 code lengths, the coded bytes. */
void huffman_encode(const Bytes &bytes, Bytes &packed);

/* Throws std::runtime_error if huffman_encode did not make [begin, end). */
Bytes huffman_decode(const uint8_t *begin, const uint8_t *end);

} // namespace compress

#endif
