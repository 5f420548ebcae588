/* SPDX-License-Identifier: MIT */
/* description.c - describes a function of LLVM's IR: names, source, size. */
#include "pass/description/description.h"

#include "pass/intrinsics.h"
#include "pass/llvm_more.h"

#include <llvm-c/DebugInfo.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Tells if an instruction only describes the program and does nothing. */
static bool is_debug_intrinsic(LLVMValueRef instruction)
{
	static const char debug[] = "llvm.dbg.", probe[] = "llvm.pseudoprobe";
	const char *name = intrinsic_called(instruction);

	return name && (strncmp(name, debug, strlen(debug)) == 0 || strncmp(name, probe, strlen(probe)) == 0);
}

static uint32_t count_instructions(LLVMValueRef function)
{
	LLVMBasicBlockRef block;
	LLVMValueRef instruction;
	uint32_t count = 0;

	for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (instruction = LLVMGetFirstInstruction(block); instruction;
		     instruction = LLVMGetNextInstruction(instruction))
			count += !is_debug_intrinsic(instruction);
	return count;
}

/* If the file's name is absolute, removes the directory, which is stored separately. */
static int describe_source(struct description *description, LLVMMetadataRef subprogram)
{
	LLVMMetadataRef file = LLVMDIScopeGetFile(subprogram);
	const char *name, *directory;
	unsigned name_length, directory_length;

	if (!file)
		return 0;
	name = LLVMDIFileGetFilename(file, &name_length);
	directory = LLVMDIFileGetDirectory(file, &directory_length);
	if (directory_length && name_length > directory_length + 1 && name[directory_length] == '/' &&
	    memcmp(name, directory, directory_length) == 0) {
		name += directory_length + 1;
		name_length -= directory_length + 1;
	}
	description->file_name = strndup(name, name_length);
	description->directory = strndup(directory ? directory : "", directory_length);
	description->line = LLVMDISubprogramGetLine(subprogram);
	return description->file_name && description->directory ? 0 : -ENOMEM;
}

/* The name of a method in Objective-C, such as "-[Shape area]": linkage names do not contain it. */
static char *method_name(LLVMMetadataRef subprogram)
{
	size_t length = 0;
	const char *name = spoor_subprogram_name(subprogram, &length);

	if (length < 4 || (name[0] != '-' && name[0] != '+') || name[1] != '[')
		return NULL;
	return strndup(name, length);
}

int description_make(struct description *description, LLVMValueRef function)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	size_t length;

	*description = (struct description){
		.function = function,
		.linkage_name = LLVMGetValueName2(function, &length),
		.method_name = subprogram ? method_name(subprogram) : NULL,
		.instructions = count_instructions(function),
	};
	return subprogram ? describe_source(description, subprogram) : 0;
}
