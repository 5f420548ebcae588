/* SPDX-License-Identifier: MIT */
/*
 * kept_entries.c - makes entries of the function table as globals that refer to their functions.
 *
 * Each entry is a constant in the function's COMDAT and linked to its section, so
 * that the linker keeps or drops both together. The entry's address field is the
 * distance from the field to the function. It has 32 bits, because LLVM 14 and 19
 * cannot emit a distance of 64 bits in an executable that is optimised at link time.
 *
 * If another module may replace the function, the distance would need a dynamic
 * relocation. So the distance leads to a private alias of the function. Alias and
 * function must then be kept as well: otherwise LLVM would replace the alias by the
 * function or, once linking has made the function local, the function's name by the
 * alias's. A function that is local from the start has no alias and is not kept,
 * because a local function that is kept cannot be imported into other units.
 */
#include "pass/sleds/kept_entries.h"

#include <llvm-c/Comdat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALIAS_NAME ".spoor.function"
#define ENTRY_NAME ".spoor.entry"
#define USED_NAME "llvm.compiler.used"

static int compare_functions(const void *a, const void *b)
{
	const struct kept_entry *left = a, *right = b;

	return (left->function > right->function) - (left->function < right->function);
}

static bool is_entry(const struct kept_entries *entries, LLVMValueRef global)
{
	const char *section = LLVMGetSection(global);

	return section && strcmp(section, entries->section) == 0 && LLVMGetInitializer(global);
}

/* The function at the start of an entry's field, without casts. */
static LLVMValueRef function_in_field(LLVMValueRef value)
{
	for (;;) {
		if (LLVMIsAConstantExpr(value))
			value = LLVMGetOperand(value, 0);
		else if (LLVMIsAGlobalAlias(value))
			value = LLVMAliasGetAliasee(value);
		else
			return value;
	}
}

static struct kept_entry read_entry(LLVMValueRef entry)
{
	LLVMValueRef fields = LLVMGetInitializer(entry);

	return (struct kept_entry){
		.function = function_in_field(LLVMGetOperand(fields, 0)),
		.unit = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(fields, 2)),
		.position = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(fields, 3)),
	};
}

int kept_entries_open(struct kept_entries *entries, LLVMModuleRef module, const char *section)
{
	LLVMValueRef global;
	size_t count = 0;

	memset(entries, 0, sizeof *entries);
	entries->module = module;
	entries->section = section;
	for (global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
		count += is_entry(entries, global);
	if (count == 0)
		return 0;
	entries->known = malloc(count * sizeof *entries->known);
	if (!entries->known)
		return -ENOMEM;
	for (global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
		if (is_entry(entries, global))
			entries->known[entries->known_count++] = read_entry(global);
	qsort(entries->known, entries->known_count, sizeof *entries->known, compare_functions);
	return 0;
}

const struct kept_entry *kept_entries_find(const struct kept_entries *entries, LLVMValueRef function)
{
	struct kept_entry key = {.function = function};

	return entries->known_count ? bsearch(&key, entries->known, entries->known_count,
					      sizeof *entries->known, compare_functions) : NULL;
}

static int keep(struct kept_entries *entries, LLVMValueRef value)
{
	if (entries->used_count == entries->used_room) {
		size_t room = entries->used_room ? 2 * entries->used_room : 256;
		LLVMValueRef *grown = realloc(entries->used, room * sizeof *grown);

		if (!grown)
			return -ENOMEM;
		entries->used = grown;
		entries->used_room = room;
	}
	entries->used[entries->used_count++] = value;
	return 0;
}

/* Links the section of @entry to that of @function. */
static void associate(LLVMContextRef context, LLVMValueRef entry, LLVMValueRef function)
{
	LLVMMetadataRef target = LLVMValueAsMetadata(function);
	unsigned kind = LLVMGetMDKindIDInContext(context, "associated", strlen("associated"));

	LLVMGlobalSetMetadata(entry, kind, LLVMMDNodeInContext2(context, &target, 1));
}

/* Sets @local to a name of @function that no other module replaces. Returns 0, or -ENOMEM. */
static int name_locally(struct kept_entries *entries, LLVMValueRef function, LLVMValueRef *local)
{
	LLVMLinkage linkage = LLVMGetLinkage(function);
	int result;

	*local = function;
	if (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage) {
		/* LLVM refers to a function whose address does not matter by R_AARCH64_PLT32, which GNU ld 2.40 lacks. */
		LLVMSetUnnamedAddress(function, LLVMNoUnnamedAddr);
		return 0;
	}
	*local = LLVMAddAlias2(entries->module, LLVMGlobalGetValueType(function), 0, function,
			       ALIAS_NAME);
	LLVMSetLinkage(*local, LLVMPrivateLinkage);
	result = keep(entries, *local);
	return result < 0 ? result : keep(entries, function);
}

int kept_entries_add(struct kept_entries *entries, LLVMValueRef function, uint32_t unit,
		     uint32_t position)
{
	LLVMContextRef context = LLVMGetModuleContext(entries->module);
	LLVMTypeRef word = LLVMInt32TypeInContext(context);
	LLVMTypeRef address = LLVMInt64TypeInContext(context);
	LLVMTypeRef fields[] = {word, word, word, word};
	LLVMValueRef entry, local, distance, values[4];
	int result;

	result = name_locally(entries, function, &local);
	if (result < 0)
		return result;
	entry = LLVMAddGlobal(entries->module, LLVMStructTypeInContext(context, fields, 4, 0),
			      ENTRY_NAME);
	distance = LLVMConstSub(LLVMConstPtrToInt(local, address),
				LLVMConstPtrToInt(entry, address));
	values[0] = LLVMConstTrunc(distance, word);
	values[1] = LLVMConstInt(word, 0, 0);	/* the size is unknown here */
	values[2] = LLVMConstInt(word, unit, 0);
	values[3] = LLVMConstInt(word, position, 0);
	LLVMSetInitializer(entry, LLVMConstStructInContext(context, values, 4, 0));
	LLVMSetLinkage(entry, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(entry, 1);
	LLVMSetSection(entry, entries->section);
	LLVMSetAlignment(entry, sizeof(uint32_t));
	if (LLVMGetComdat(function))
		LLVMSetComdat(entry, LLVMGetComdat(function));
	associate(context, entry, function);
	return keep(entries, entry);
}

/* Adds the values of @old, an earlier list of values to keep. */
static int keep_all(struct kept_entries *entries, LLVMValueRef old)
{
	LLVMValueRef list = LLVMGetInitializer(old);
	int count = list ? LLVMGetNumOperands(list) : 0, result = 0;

	for (int i = 0; i < count && result >= 0; i++)
		result = keep(entries, LLVMGetOperand(list, (unsigned)i));
	return result;
}

int kept_entries_commit(struct kept_entries *entries)
{
	LLVMContextRef context = LLVMGetModuleContext(entries->module);
	LLVMTypeRef pointer = LLVMPointerType(LLVMInt8TypeInContext(context), 0);
	LLVMValueRef used = LLVMGetNamedGlobal(entries->module, USED_NAME), array;

	if (entries->used_count == 0)
		return 0;
	if (used) {
		int result = keep_all(entries, used);

		if (result < 0)
			return result;
		LLVMDeleteGlobal(used);
	}
	/* A cast is made only if pointers have types (LLVM 14). */
	for (size_t i = 0; i < entries->used_count; i++)
		entries->used[i] = LLVMConstBitCast(entries->used[i], pointer);
	array = LLVMConstArray(pointer, entries->used, (unsigned)entries->used_count);
	used = LLVMAddGlobal(entries->module, LLVMTypeOf(array), USED_NAME);
	LLVMSetInitializer(used, array);
	LLVMSetLinkage(used, LLVMAppendingLinkage);
	LLVMSetSection(used, "llvm.metadata");
	return 0;
}

void kept_entries_close(struct kept_entries *entries)
{
	free(entries->used);
	free(entries->known);
	memset(entries, 0, sizeof *entries);
}
