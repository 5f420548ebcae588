/* SPDX-License-Identifier: MIT */
/*
 * plan.h - what a command line asks clang to do, as far as the driver
 * must know: what is compiled, what is linked, and what is for the driver.
 */
#ifndef SPOOR_DRIVER_PLAN_H
#define SPOOR_DRIVER_PLAN_H

#include "driver/words.h"

/* How far clang goes; a later one includes the earlier ones. */
enum driver_stage {
	DRIVER_STAGE_ANSWER,	/* --version and the like: no input is looked at */
	DRIVER_STAGE_PREPROCESS,
	DRIVER_STAGE_CHECK,	/* parses, makes no code */
	DRIVER_STAGE_CODE,
	DRIVER_STAGE_LINK,
};

struct driver_plan {
	enum driver_stage stage;

	/* The inputs. */
	bool has_source;	/* something that becomes LLVM's code */
	bool has_header;	/* something to precompile */
	bool has_link_input;	/* anything that, unless stage says less, leads to a link */

	/* Circumstances. */
	bool relocatable;	/* the link makes one more object file, or an archive of those */
	bool static_program;
	bool profiles;		/* -pg: clang's marks are wanted by somebody else too */
	bool no_passes;		/* clang is told to run no pass */
	const char *target;	/* --target=, or null */
	const char *word_size;	/* the last of -m16, -m32, -m64, -mx32, or null */

	/* Our own. */
	bool instrument;	/* -fspoor */
	bool link_stub;		/* -fspoor-shared, -fspoor-runtime; follows -fspoor by default */
	bool link_runtime;	/* -fspoor-runtime */
	const char *mode;	/* -fspoor-mode=, or null */
};

/*
 * driver_plan_make - reads @words, and marks in it which are ours.
 * @message: gets what is wrong, for -EINVAL
 *
 * Return: 0, or -EINVAL if an option of ours is wrong.
 */
int driver_plan_make(struct driver_plan *plan, struct words *words, char *message, size_t size);

#endif
