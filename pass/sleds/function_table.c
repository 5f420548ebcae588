/* SPDX-License-Identifier: MIT */
/*
 * function_table.c - adds a unit's functions to the function table of its module.
 *
 * From LLVM 16 on, the code generator writes an entry when it emits the function's
 * code, from metadata of the function: !pcsections. No reference to the function is
 * needed, so it is inlined, copied, specialised and dropped at link time as without
 * an entry, and its copies have entries too. If LLVM has no such metadata, or its
 * entries have another form, the entries are globals: kept_entries.c.
 */
#include "pass/sleds/function_table.h"

#include "format/registration.h"

#include <llvm/Config/llvm-config.h>

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SECTION "spoor_functions"

_Static_assert(sizeof(struct spoor_function) == 16 &&
	       offsetof(struct spoor_function, address) == 0 &&
	       offsetof(struct spoor_function, size) == 4 &&
	       offsetof(struct spoor_function, unit) == 8 &&
	       offsetof(struct spoor_function, position) == 12,
	       "the code generator writes the first two, the pass the others");

/* Tells if metadata makes entries of our form: an address in !pcsections has 32 bits unless code may be far away. */
static bool metadata_fits(LLVMModuleRef module)
{
	static const char flag[] = "Code Model";
	LLVMMetadataRef model = LLVMGetModuleFlag(module, flag, strlen(flag));

	return LLVM_VERSION_MAJOR >= 16 && !model;
}

int function_table_open(struct function_table *table, LLVMModuleRef module, uint32_t unit)
{
	table->module = module;
	table->unit = unit;
	table->by_metadata = metadata_fits(module);
	return kept_entries_open(&table->entries, module, SECTION);
}

static unsigned metadata_kind(const struct function_table *table)
{
	return LLVMGetMDKindIDInContext(LLVMGetModuleContext(table->module), "pcsections",
					strlen("pcsections"));
}

/* The metadata of @function for all such sections, or null. */
static LLVMMetadataRef find_metadata(const struct function_table *table, LLVMValueRef function)
{
	unsigned kind = metadata_kind(table);
	LLVMMetadataRef found = NULL;
	size_t count;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &count);

	for (unsigned i = 0; i < count; i++)
		if (LLVMValueMetadataEntriesGetKind(entries, i) == kind)
			found = LLVMValueMetadataEntriesGetMetadata(entries, i);
	LLVMDisposeValueMetadataEntries(entries);
	return found;
}

static LLVMValueRef *copy_operands(LLVMValueRef node, unsigned extra, unsigned *count)
{
	LLVMValueRef *operands;

	*count = node ? LLVMGetMDNodeNumOperands(node) : 0;
	operands = malloc((*count + extra) * sizeof *operands);
	if (operands && node)
		LLVMGetMDNodeOperands(node, operands);
	return operands;
}

static bool is_section(LLVMValueRef operand)
{
	unsigned length;
	const char *string = LLVMGetMDString(operand, &length);

	return string && length == strlen(SECTION) && memcmp(string, SECTION, length) == 0;
}

static uint64_t make_id(uint64_t unit, uint64_t position)
{
	return unit << 32 | (position & SPOOR_FUNCTION_POSITION_MASK);
}

static bool find_in_metadata(const struct function_table *table, LLVMValueRef function, uint64_t *id)
{
	LLVMContextRef context = LLVMGetModuleContext(table->module);
	LLVMMetadataRef metadata = find_metadata(table, function);
	LLVMValueRef *operands, constants[2];
	unsigned count;
	bool found = false;

	if (!metadata)
		return false;
	operands = copy_operands(LLVMMetadataAsValue(context, metadata), 0, &count);
	for (unsigned i = 0; operands && !found && i + 1 < count; i++) {
		found = is_section(operands[i]) && LLVMGetMDNodeNumOperands(operands[i + 1]) == 2;
		if (found) {
			LLVMGetMDNodeOperands(operands[i + 1], constants);
			*id = make_id(LLVMConstIntGetZExtValue(constants[0]), LLVMConstIntGetZExtValue(constants[1]));
		}
	}
	free(operands);
	return found;
}

bool function_table_find(const struct function_table *table, LLVMValueRef function, uint64_t *id)
{
	const struct kept_entry *entry;

	if (find_in_metadata(table, function, id))
		return true;
	entry = kept_entries_find(&table->entries, function);
	if (entry)
		*id = make_id(entry->unit, entry->position);
	return entry;
}

uint32_t function_table_unit(LLVMModuleRef module)
{
	struct function_table table;
	LLVMValueRef function;
	uint32_t unit = 0;
	uint64_t id;
	int result = function_table_open(&table, module, 0);

	for (function = LLVMGetFirstFunction(module); function && result >= 0; function = LLVMGetNextFunction(function)) {
		if (LLVMIsDeclaration(function) || !function_table_find(&table, function, &id))
			continue;
		if (unit && unit != id >> 32)
			result = -EXDEV;
		unit = (uint32_t)(id >> 32);
	}
	function_table_close(&table);
	return result < 0 ? 0 : unit;
}

/* The metadata is a list of section names, each with a list of constants. Ours is added at the end. */
static int add_metadata(struct function_table *table, LLVMValueRef function, uint32_t position)
{
	LLVMContextRef context = LLVMGetModuleContext(table->module);
	LLVMTypeRef word = LLVMInt32TypeInContext(context);
	LLVMMetadataRef metadata = find_metadata(table, function), constants[2], *all;
	LLVMValueRef *operands;
	unsigned count;

	operands = copy_operands(metadata ? LLVMMetadataAsValue(context, metadata) : NULL, 1, &count);
	all = malloc((count + 2) * sizeof *all);
	if (operands && all) {
		for (unsigned i = 0; i < count; i++)
			all[i] = LLVMValueAsMetadata(operands[i]);
		constants[0] = LLVMValueAsMetadata(LLVMConstInt(word, table->unit, 0));
		constants[1] = LLVMValueAsMetadata(LLVMConstInt(word, position, 0));
		all[count] = LLVMMDStringInContext2(context, SECTION, strlen(SECTION));
		all[count + 1] = LLVMMDNodeInContext2(context, constants, 2);
		LLVMGlobalSetMetadata(function, metadata_kind(table),
				      LLVMMDNodeInContext2(context, all, count + 2));
	}
	free(operands);
	free(all);
	return operands && all ? 0 : -ENOMEM;
}

int function_table_add(struct function_table *table, LLVMValueRef function, uint32_t position,
		       uint32_t flags)
{
	if (position > SPOOR_FUNCTION_POSITION_MASK)
		return -ERANGE;
	if (table->by_metadata)
		return add_metadata(table, function, position | flags);
	return kept_entries_add(&table->entries, function, table->unit, position | flags);
}

int function_table_add_kept(struct function_table *table, LLVMValueRef function, uint32_t position)
{
	if (position > SPOOR_FUNCTION_POSITION_MASK)
		return -ERANGE;
	return kept_entries_add(&table->entries, function, table->unit, position);
}

int function_table_commit(struct function_table *table)
{
	return kept_entries_commit(&table->entries);
}

void function_table_close(struct function_table *table)
{
	kept_entries_close(&table->entries);
}
