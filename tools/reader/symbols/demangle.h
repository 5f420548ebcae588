/* SPDX-License-Identifier: MIT */
/* demangle.h - turns linkage names of C, C++ and Rust into readable names. */
#ifndef SPOOR_READER_DEMANGLE_H
#define SPOOR_READER_DEMANGLE_H

#include <stdbool.h>

/*
 * demangle_function - turns "_Z3fooi" into "foo(int)"; "main" stays.
 * @demangle: false returns the name unchanged
 *
 * Returns a string that the caller frees; null if memory runs out.
 */
char *demangle_function(const char *linkage, bool demangle);

#endif
