/* SPDX-License-Identifier: MIT */
/*
 * plan.h - finds out what a command line lets clang or GCC do, as far as the driver must know: the files to
 * compile, the files to link, and the options for the driver.
 */
#ifndef SPOOR_DRIVER_PLAN_H
#define SPOOR_DRIVER_PLAN_H

#include "driver/words.h"

/* The compilers whose command lines are known. */
enum driver_compiler { DRIVER_CLANG, DRIVER_GCC };

/* The last stage that the compiler reaches. A later stage includes the earlier ones. */
enum driver_stage {
	DRIVER_STAGE_ANSWER,	/* answers --version and similar options, and ignores inputs */
	DRIVER_STAGE_PREPROCESS,
	DRIVER_STAGE_CHECK,	/* parses, and generates no code */
	DRIVER_STAGE_CODE,
	DRIVER_STAGE_LINK,
};

struct driver_plan {
	enum driver_stage stage;

	/* The inputs. */
	bool has_source;	/* compiled with instrumentation: to LLVM IR, or by GCC */
	bool has_c_source;	/* the same, in C or a language that includes its headers */
	bool has_header;	/* is precompiled */
	bool has_link_input;	/* any input that leads to a link, unless `stage` is earlier */

	/* The kind of link and code. */
	bool relocatable;	/* the link makes an object file, or an archive of them */
	bool static_program;
	bool profiles;		/* -pg: another tool needs clang's calls of mcount too */
	bool no_passes;		/* an option stops clang from running passes */
	const char *target;	/* --target=, or null */
	const char *word_size;	/* the last of -m16, -m32, -m64, -mx32, or null */

	/* Options of spoor. */
	bool instrument;	/* -fspoor */
	bool link_stub;		/* -fspoor-shared, -fspoor-runtime; follows -fspoor by default */
	bool link_runtime;	/* -fspoor-runtime */
	const char *mode;	/* -fspoor-mode=, or null */
	bool before_inlining;	/* -fspoor-before-inlining */
	char *keep;		/* -fspoor-keep=, joined by commas, or null */
	char *calls;		/* -fspoor-calls, -fspoor-calls=, joined by commas, or null */
	const char *compiler;	/* --compiler=, or null */
};

/*
 * driver_plan_make - reads @words, and marks the driver's options in it.
 * @message: receives the error, for -EINVAL
 *
 * Returns 0, or -EINVAL if an option of the driver is wrong.
 */
int driver_plan_make(struct driver_plan *plan, enum driver_compiler compiler, struct words *words, char *message,
		     size_t size);

#endif
