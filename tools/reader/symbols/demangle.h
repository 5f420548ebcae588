/* SPDX-License-Identifier: MIT */
/* demangle.h - linkage names of C, C++ and Rust as people write them. */
#ifndef SPOOR_READER_DEMANGLE_H
#define SPOOR_READER_DEMANGLE_H

#include <stdbool.h>

/*
 * demangle_function - "_Z3fooi" to "foo(int)"; "main" stays.
 * @demangle: false leaves the name as it is
 *
 * Return: the caller's to free; null without memory.
 */
char *demangle_function(const char *linkage, bool demangle);

#endif
