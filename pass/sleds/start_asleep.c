/* SPDX-License-Identifier: MIT */
/*
 * start_asleep.c - adds a note to a program that makes it start untraced.
 *
 * A note is used because the runtime reads it before the first library of the
 * program registers, which is before any code of the program runs.
 */
#include "pass/sleds/start_asleep.h"

#include "format/registration.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NOTE_NAME ".spoor.asleep"

static bool defines_main(LLVMModuleRef module)
{
	LLVMValueRef function = LLVMGetNamedFunction(module, "main");

	return function && !LLVMIsDeclaration(function) &&
	       LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage;
}

/* Uses llvm.used rather than llvm.compiler.used, so that linkers keep the note, too. */
static int keep(LLVMModuleRef module, LLVMValueRef note)
{
	static const char used_name[] = "llvm.used";
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef pointer = LLVMPointerType(LLVMInt8TypeInContext(context), 0);
	LLVMValueRef used = LLVMGetNamedGlobal(module, used_name), list = used ? LLVMGetInitializer(used) : NULL;
	unsigned count = list ? (unsigned)LLVMGetNumOperands(list) : 0;
	LLVMValueRef *values = malloc((count + 1) * sizeof *values), array;

	if (!values)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++)
		values[i] = LLVMGetOperand(list, i);
	/* A cast is made only if pointers have types (LLVM 14). */
	values[count] = LLVMConstBitCast(note, pointer);
	if (used)
		LLVMDeleteGlobal(used);
	array = LLVMConstArray(pointer, values, count + 1);
	free(values);
	used = LLVMAddGlobal(module, LLVMTypeOf(array), used_name);
	LLVMSetInitializer(used, array);
	LLVMSetLinkage(used, LLVMAppendingLinkage);
	LLVMSetSection(used, "llvm.metadata");
	return 0;
}

int start_asleep_note(LLVMModuleRef module, uint32_t what)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef word = LLVMInt32TypeInContext(context);
	LLVMValueRef fields[5], content, note;
	char owner[8] = SPOOR_NOTE_OWNER;

	if (!what || !defines_main(module) || LLVMGetNamedGlobal(module, NOTE_NAME))
		return 0;
	fields[0] = LLVMConstInt(word, sizeof SPOOR_NOTE_OWNER, 0);
	fields[1] = LLVMConstInt(word, sizeof what, 0);
	fields[2] = LLVMConstInt(word, SPOOR_NOTE_ASLEEP, 0);
	fields[3] = LLVMConstStringInContext(context, owner, sizeof owner, 1);
	fields[4] = LLVMConstInt(word, what, 0);
	content = LLVMConstStructInContext(context, fields, 5, 0);
	note = LLVMAddGlobal(module, LLVMTypeOf(content), NOTE_NAME);
	LLVMSetInitializer(note, content);
	LLVMSetLinkage(note, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(note, 1);
	LLVMSetSection(note, ".note.spoor.asleep");
	LLVMSetAlignment(note, 4);
	return keep(module, note);
}
