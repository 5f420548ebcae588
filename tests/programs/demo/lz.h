/* SPDX-License-Identifier: MIT */
/* lz.h - repetitions become references to what stands before them. */
#ifndef LZ_H
#define LZ_H

#include "bits.h"

namespace compress {

/*
 * @dictionary: stands before the text, as it were, and can be referred to
 * @effort: how many earlier places are tried for each repetition
 */
Bytes lz_encode(const Bytes &dictionary, const uint8_t *text, size_t length, unsigned effort);

/* Throws std::runtime_error where @packed is not what lz_encode made. */
Bytes lz_decode(const Bytes &dictionary, const Bytes &packed);

} // namespace compress

#endif
