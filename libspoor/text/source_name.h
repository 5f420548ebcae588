/* SPDX-License-Identifier: MIT */
/* source_name.h - strips the suffixes that the optimiser has added to a linkage name. */
#ifndef SPOOR_SOURCE_NAME_H
#define SPOOR_SOURCE_NAME_H

#include <stddef.h>

/*
 * spoor_source_name_length - length of @linkage without the optimiser's suffixes.
 *
 * The LTO linker makes local functions global ("f.llvm.8421"), numbers functions of the same name
 * ("f.15"), and copies or changes functions ("f.specialized.1", "f.argelim", "f.constprop.0"). Control-flow integrity
 * gives names of functions to jumps ("f.cfi"). The pass names the wrapper of a library function after it
 * ("f.spoor_call.8421"). These suffixes are stripped. Parts of a function that
 * are placed elsewhere ("f.cold.1", "f.resume") are different functions and keep their names.
 */
size_t spoor_source_name_length(const char *linkage);

/* Part of the name of a wrapper: NAME.spoor_call.NUMBER. */
#define SPOOR_WRAPPER_INFIX ".spoor_call."

/* Length of the part of a demangled name to compare: demanglers name copies and parts of a function after its
 * parameters, as in "f(int) [clone .avx2.0]". */
size_t spoor_demangled_name_length(const char *demangled);

#endif
