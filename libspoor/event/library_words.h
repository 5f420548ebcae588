/* SPDX-License-Identifier: MIT */
/* library_words.h - counts the stack words of a call whose number of arguments varies. */
#ifndef SPOOR_LIBRARY_WORDS_H
#define SPOOR_LIBRARY_WORDS_H

#include <stdint.h>

/* Each returns the number of stack words, or -1 if it is unknown. @fixed: number of arguments before the varying ones,
 * all of them integers or pointers. */
long spoor_library_printf_words(const char *format, uint32_t fixed);
long spoor_library_scanf_words(const char *format, uint32_t fixed);

/* Registers for integers and pointers, and for real numbers. */
#ifdef __x86_64__
#define SPOOR_INTEGER_REGISTERS 6u
#else
#define SPOOR_INTEGER_REGISTERS 8u
#endif
#define SPOOR_REAL_REGISTERS 8u

#endif
