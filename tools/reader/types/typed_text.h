/* SPDX-License-Identifier: MIT */
/* typed_text.h - writes bytes as a value of a source type: "-3", "'a'", "O_RDWR|O_CREAT", "{x=1, y=2.5}". */
#ifndef SPOOR_READER_TYPED_TEXT_H
#define SPOOR_READER_TYPED_TEXT_H

#include "reader/types/value_types.h"

/*
 * typed_text - writes the value.
 * @bytes: number of bytes that are known; may be less than the type's size
 *
 * The text always ends with NUL and is cut to @size.
 */
void typed_text(const struct value_type *type, const uint8_t *data, size_t bytes, char *text, size_t size);

/* Gets a scalar as a number. Returns whether it is one. */
bool typed_number(const struct value_type *type, const uint8_t *data, size_t bytes, long double *number);

#endif
