/* SPDX-License-Identifier: MIT */
/* description.h - describes a function: names, source, size. GCC's plugin uses it too, without LLVM. */
#ifndef SPOOR_DESCRIPTION_H
#define SPOOR_DESCRIPTION_H

#include <stdint.h>

struct LLVMOpaqueValue;

struct description {
	struct LLVMOpaqueValue *function;	/* LLVMValueRef; null in GCC's plugin */
	const char *linkage_name;	/* owned by the module */
	char *demangled_name;		/* null until first used */
	char *method_name;		/* of a method in Objective-C, whose linkage name is incomplete; else null */
	char *file_name, *directory;	/* null without debug information */
	uint32_t line;			/* 0: unknown */
	uint32_t instructions;		/* of LLVM's IR, or statements of GIMPLE, without those for debugging */
};

/* @function has a body. Returns 0, or -ENOMEM. Free the description in both cases. */
int description_make(struct description *description, struct LLVMOpaqueValue *function);
void description_free(struct description *description);

/* The name as in the source, or else the linkage name; null without memory. */
const char *description_demangled(struct description *description);

#endif
