/* SPDX-License-Identifier: MIT */
/* description.h - what is known of a function: names, source, size. */
#ifndef SPOOR_DESCRIPTION_H
#define SPOOR_DESCRIPTION_H

#include <llvm-c/Core.h>

#include <stdint.h>

struct description {
	LLVMValueRef function;
	const char *linkage_name;	/* the module's */
	char *demangled_name;		/* null until asked for */
	char *file_name, *directory;	/* null where there is no debug information */
	uint32_t line;			/* 0: not known */
	uint32_t instructions;		/* of LLVM's, without those for debugging */
};

/* @function has a body. Return: 0 or -ENOMEM. Free it in both cases. */
int description_make(struct description *description, LLVMValueRef function);
void description_free(struct description *description);

/* The name as the source has it, or the linkage name; null without memory. */
const char *description_demangled(struct description *description);

#endif
