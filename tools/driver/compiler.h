/* SPDX-License-Identifier: MIT */
/* compiler.h - checks the compiler that the user chose instead of the configured one. */
#ifndef SPOOR_DRIVER_COMPILER_H
#define SPOOR_DRIVER_COMPILER_H

#include <stdbool.h>

/*
 * compiler_ask_version - runs "@compiler --version".
 * @compiler: a path, or a name to find in PATH
 *
 * Returns the major version of its LLVM (> 0), or
 *   -EINVAL  it is not clang
 *   any other negative errno: it cannot be run
 */
int compiler_ask_version(const char *compiler);

struct gcc_version {
	int major;
	char machine[64];	/* such as "x86_64-linux-gnu" */
};

/*
 * compiler_ask_gcc - runs "@compiler -v".
 *
 * Returns 0, or
 *   -EINVAL  it is not GCC
 *   any other negative errno: it cannot be run
 */
int compiler_ask_gcc(const char *compiler, struct gcc_version *version);

/* Runs "@gnatmake --version". Returns its major version (> 0), -EINVAL if it is not gnatmake, or another negative errno. */
int compiler_ask_gnatmake(const char *gnatmake);

/* Returns whether @compiler is this program. */
bool compiler_is_this_program(const char *compiler);

/* Returns whether another driver runs this program with --version, to check it as a compiler. */
bool compiler_is_asked(void);

#endif
