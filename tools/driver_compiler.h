/* SPDX-License-Identifier: MIT */
/* driver_compiler.h - a compiler that the user chose instead of the configured one. */
#ifndef SPOOR_DRIVER_COMPILER_H
#define SPOOR_DRIVER_COMPILER_H

/*
 * compiler_ask_version - runs "@compiler --version".
 * @compiler: a path, or a name that PATH finds
 *
 * Return: the major version of the LLVM in it (> 0), or
 *   -EINVAL  it is not clang
 *   any other negative errno: it cannot be run
 */
int compiler_ask_version(const char *compiler);

#endif
