/* SPDX-License-Identifier: MIT */
/* lz.h - replaces repetitions by references to earlier text. */
#ifndef LZ_H
#define LZ_H

#include "bits.h"

namespace compress {

/*
 * @dictionary: text that references can use as if it came before @text
 * @effort: how many earlier positions are tried for each repetition
 */
Bytes lz_encode(const Bytes &dictionary, const uint8_t *text, size_t length, unsigned effort);

/* Throws std::runtime_error if lz_encode did not make @packed. */
Bytes lz_decode(const Bytes &dictionary, const Bytes &packed);

} // namespace compress

#endif
