/* SPDX-License-Identifier: MIT */
/* description.h - describes a function: names, source, size. */
#ifndef SPOOR_DESCRIPTION_H
#define SPOOR_DESCRIPTION_H

#include <llvm-c/Core.h>

#include <stdint.h>

struct description {
	LLVMValueRef function;
	const char *linkage_name;	/* owned by the module */
	char *demangled_name;		/* null until first used */
	char *file_name, *directory;	/* null without debug information */
	uint32_t line;			/* 0: unknown */
	uint32_t instructions;		/* LLVM instructions, without those for debugging */
};

/* @function has a body. Returns 0, or -ENOMEM. Free the description in both cases. */
int description_make(struct description *description, LLVMValueRef function);
void description_free(struct description *description);

/* The name as in the source, or else the linkage name; null without memory. */
const char *description_demangled(struct description *description);

#endif
