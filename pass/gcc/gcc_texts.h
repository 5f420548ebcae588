/* SPDX-License-Identifier: MIT */
/*
 * gcc_texts.h - finds by source types which arguments and results lead to text. The functions return an enum
 * spoor_text_layout (format/signature_format.h); 0: no text.
 *
 * This needs no debug information. Without optimisation by the linker, C++ says which template a class is of; with it,
 * the mangled name does, which GCC keeps for this.
 */
#ifndef SPOOR_GCC_TEXTS_H
#define SPOOR_GCC_TEXTS_H

#include "pass/gcc/gcc_headers.h"

/* A pointer or a reference: const char *, or one to an object with text. */
uint8_t gcc_text_of_pointer(tree type);

/* An object in memory: std::string, std::string_view. */
uint8_t gcc_text_of_object(tree type);

/* An object whose two words are two parts of an argument or result: std::string_view. */
uint8_t gcc_text_of_pair(tree type);

#endif
