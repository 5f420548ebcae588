/* SPDX-License-Identifier: MIT */
/*
 * library_choice.h - the patterns that choose library calls: 'libc*', 'libz*:inflate*', '-libc*:str*'.
 *
 * A pattern is for the soname or the file's name of a library, and after a colon for functions. The last pattern that
 * matches decides.
 */
#ifndef SPOOR_LIBRARY_CHOICE_H
#define SPOOR_LIBRARY_CHOICE_H

#include <stdbool.h>

/* Whether a list chooses any function of the library. @file: the name of its file; @soname: null if there is none */
bool spoor_library_choice_library(const char *patterns, const char *soname, const char *file);

/* Whether a list chooses a function of the library. */
bool spoor_library_choice_function(const char *patterns, const char *soname, const char *file, const char *function);

#endif
