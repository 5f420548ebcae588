/* SPDX-License-Identifier: MIT */
/*
 * function_table.c - a unit's part of its module's function table.
 *
 * Each entry is a constant of its own, in the function's COMDAT and linked to
 * its section, so that the linker keeps or drops the two together. Its address
 * field is the distance from itself to the function, which has 32 bits because
 * LLVM 14 and 19 cannot emit the 64-bit one in an executable that is optimised
 * at link time.
 *
 * To a function that another module may replace the distance would need a
 * dynamic relocation, so it is one to a private alias of it. Alias and function
 * must then be kept as well: LLVM would replace the alias by the function, or,
 * once linking has made the function local, the function's name by the alias's.
 * A function that is local from the start has no alias and is not kept, because
 * what is local and kept cannot be imported into other units.
 */
#include "function_table.h"

#include "registration.h"

#include <llvm-c/Comdat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECTION "spoor_functions"
#define ALIAS_NAME ".spoor.function"
#define ENTRY_NAME ".spoor.entry"
#define USED_NAME "llvm.compiler.used"

static int compare_values(const void *a, const void *b)
{
	const LLVMValueRef *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static bool is_entry(LLVMValueRef global)
{
	const char *section = LLVMGetSection(global);

	return section && strcmp(section, SECTION) == 0 && LLVMGetInitializer(global);
}

/* The function that an entry is for: its address field begins with it, under casts. */
static LLVMValueRef entry_function(LLVMValueRef entry)
{
	LLVMValueRef value = LLVMGetOperand(LLVMGetInitializer(entry), 0);

	for (;;) {
		if (LLVMIsAConstantExpr(value))
			value = LLVMGetOperand(value, 0);
		else if (LLVMIsAGlobalAlias(value))
			value = LLVMAliasGetAliasee(value);
		else
			return value;
	}
}

int function_table_open(struct function_table *table, LLVMModuleRef module, uint32_t unit)
{
	LLVMValueRef global;
	size_t count = 0;

	memset(table, 0, sizeof *table);
	table->module = module;
	table->unit = unit;
	for (global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
		count += is_entry(global);
	if (count == 0)
		return 0;
	table->known = malloc(count * sizeof *table->known);
	if (!table->known)
		return -ENOMEM;
	for (global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
		if (is_entry(global))
			table->known[table->known_count++] = entry_function(global);
	qsort(table->known, table->known_count, sizeof *table->known, compare_values);
	return 0;
}

bool function_table_has(const struct function_table *table, LLVMValueRef function)
{
	return table->known_count && bsearch(&function, table->known, table->known_count,
					     sizeof *table->known, compare_values);
}

static int keep(struct function_table *table, LLVMValueRef value)
{
	if (table->used_count == table->used_room) {
		size_t room = table->used_room ? 2 * table->used_room : 256;
		LLVMValueRef *grown = realloc(table->used, room * sizeof *grown);

		if (!grown)
			return -ENOMEM;
		table->used = grown;
		table->used_room = room;
	}
	table->used[table->used_count++] = value;
	return 0;
}

/* Links the section of @entry to that of @function. */
static void associate(LLVMContextRef context, LLVMValueRef entry, LLVMValueRef function)
{
	LLVMMetadataRef target = LLVMValueAsMetadata(function);
	unsigned kind = LLVMGetMDKindIDInContext(context, "associated", strlen("associated"));

	LLVMGlobalSetMetadata(entry, kind, LLVMMDNodeInContext2(context, &target, 1));
}

/* What stands for @function in the table, and is not replaced by another module's. */
static int name_locally(struct function_table *table, LLVMValueRef function, LLVMValueRef *local)
{
	LLVMLinkage linkage = LLVMGetLinkage(function);
	int result;

	*local = function;
	if (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage)
		return 0;
	*local = LLVMAddAlias2(table->module, LLVMGlobalGetValueType(function), 0, function,
			       ALIAS_NAME);
	LLVMSetLinkage(*local, LLVMPrivateLinkage);
	result = keep(table, *local);
	return result < 0 ? result : keep(table, function);
}

int function_table_add(struct function_table *table, LLVMValueRef function, uint32_t position,
		       uint32_t flags)
{
	LLVMContextRef context = LLVMGetModuleContext(table->module);
	LLVMTypeRef word = LLVMInt32TypeInContext(context);
	LLVMTypeRef address = LLVMInt64TypeInContext(context);
	LLVMTypeRef fields[] = {word, word, word, word};
	LLVMValueRef entry, local, distance, values[4];
	int result;

	_Static_assert(sizeof(struct spoor_function) == sizeof(uint32_t) * 4 &&
		       offsetof(struct spoor_function, address) == 0 &&
		       offsetof(struct spoor_function, unit) == 4 &&
		       offsetof(struct spoor_function, position) == 8 &&
		       offsetof(struct spoor_function, flags) == 12, "an entry is four words");

	result = name_locally(table, function, &local);
	if (result < 0)
		return result;
	entry = LLVMAddGlobal(table->module, LLVMStructTypeInContext(context, fields, 4, 0),
			      ENTRY_NAME);
	distance = LLVMConstSub(LLVMConstPtrToInt(local, address),
				LLVMConstPtrToInt(entry, address));
	values[0] = LLVMConstTrunc(distance, word);
	values[1] = LLVMConstInt(word, table->unit, 0);
	values[2] = LLVMConstInt(word, position, 0);
	values[3] = LLVMConstInt(word, flags, 0);
	LLVMSetInitializer(entry, LLVMConstStructInContext(context, values, 4, 0));
	LLVMSetLinkage(entry, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(entry, 1);
	LLVMSetSection(entry, SECTION);
	LLVMSetAlignment(entry, sizeof(uint32_t));
	if (LLVMGetComdat(function))
		LLVMSetComdat(entry, LLVMGetComdat(function));
	associate(context, entry, function);
	return keep(table, entry);
}

/* Adds what @old, an earlier list of what to keep, has in it. */
static int keep_all(struct function_table *table, LLVMValueRef old)
{
	LLVMValueRef list = LLVMGetInitializer(old);
	int count = list ? LLVMGetNumOperands(list) : 0, result = 0;

	for (int i = 0; i < count && result >= 0; i++)
		result = keep(table, LLVMGetOperand(list, (unsigned)i));
	return result;
}

int function_table_commit(struct function_table *table)
{
	LLVMContextRef context = LLVMGetModuleContext(table->module);
	LLVMTypeRef pointer = LLVMPointerType(LLVMInt8TypeInContext(context), 0);
	LLVMValueRef used = LLVMGetNamedGlobal(table->module, USED_NAME), array;

	if (table->used_count == 0)
		return 0;
	if (used) {
		int result = keep_all(table, used);

		if (result < 0)
			return result;
		LLVMDeleteGlobal(used);
	}
	/* A cast only where pointers have types (14). */
	for (size_t i = 0; i < table->used_count; i++)
		table->used[i] = LLVMConstBitCast(table->used[i], pointer);
	array = LLVMConstArray(pointer, table->used, (unsigned)table->used_count);
	used = LLVMAddGlobal(table->module, LLVMTypeOf(array), USED_NAME);
	LLVMSetInitializer(used, array);
	LLVMSetLinkage(used, LLVMAppendingLinkage);
	LLVMSetSection(used, "llvm.metadata");
	return 0;
}

void function_table_close(struct function_table *table)
{
	free(table->used);
	free(table->known);
	memset(table, 0, sizeof *table);
}
