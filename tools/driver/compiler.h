/* SPDX-License-Identifier: MIT */
/* compiler.h - a compiler that the user chose instead of the configured one. */
#ifndef SPOOR_DRIVER_COMPILER_H
#define SPOOR_DRIVER_COMPILER_H

#include <stdbool.h>

/*
 * compiler_ask_version - runs "@compiler --version".
 * @compiler: a path, or a name that PATH finds
 *
 * Return: the major version of the LLVM in it (> 0), or
 *   -EINVAL  it is not clang
 *   any other negative errno: it cannot be run
 */
int compiler_ask_version(const char *compiler);

/* Whether what runs as @compiler is the program that asks. */
bool compiler_is_this_program(const char *compiler);

/* Whether a driver asks this program for its version, as a compiler that the user chose. */
bool compiler_is_asked(void);

#endif
