/* SPDX-License-Identifier: MIT */
/* source_name.h - a linkage name without what the optimiser has added to it. */
#ifndef SPOOR_SOURCE_NAME_H
#define SPOOR_SOURCE_NAME_H

#include <stddef.h>

/*
 * source_name_length - how much of @linkage stood in the source, or was mangled from it.
 *
 * The linker of bitcode makes local functions global ("f.llvm.8421"), tells those
 * of one name apart ("f.15"), copies or changes functions ("f.specialized.1",
 * "f.argelim"), and gives their names to jumps (control-flow integrity: "f.cfi"): still the
 * same functions. Parts of a function that were put elsewhere ("f.cold.1", "f.resume") are
 * not, and keep their names.
 */
size_t spoor_source_name_length(const char *linkage);

/* How much of a demangled name is to be matched: demanglers name copies and parts of a function behind its
 * parameters, "f(int) [clone .avx2.0]". */
size_t spoor_demangled_name_length(const char *demangled);

#endif
