/* SPDX-License-Identifier: MIT */
/*
 * unit_id.c - computes an ID of a translation unit from its contents.
 *
 * The hash covers the functions (name, instructions, constants, callees) and the
 * initial values of the globals. It does not cover how values flow between
 * instructions: two units that differ only in that have different names in them.
 * The build folder appears in strings (assert, __FILE__), so folders in strings do
 * not count.
 *
 * Printing the module or writing its bitcode instead would cost more than the rest
 * of the pass, and would include paths and debug information.
 */
#define _GNU_SOURCE
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "pass/description/unit_id.h"

#include "pass/sleds/function_table.h"
#include "pass/llvm_more.h"

#include <llvm/Config/llvm-config.h>

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if LLVM_VERSION_MAJOR < 15
#define LLVMGetAggregateElement LLVMGetElementAsConstant
#endif

/* The limit for arrays of numbers: LLVM allocates an object for every element that is read. */
#define ELEMENTS_LOOKED_AT 32

/* The name of the ID's metadata, which no pass of LLVM touches. */
#define NOTE "spoor.unit"

/* Intrinsics that depend on -g and -O. */
static const char *const skipped_intrinsics[] = {
	"llvm.dbg.declare", "llvm.dbg.value", "llvm.dbg.label", "llvm.dbg.assign",
	"llvm.lifetime.start", "llvm.lifetime.end",
};
#define SKIPPED_COUNT (sizeof skipped_intrinsics / sizeof *skipped_intrinsics)

struct hasher {
	XXH3_state_t state;
	size_t fill;
	unsigned char buffer[4096];
	unsigned skipped[SKIPPED_COUNT];
};

static void add_bytes(struct hasher *hasher, const void *bytes, size_t size)
{
	if (size > sizeof hasher->buffer - hasher->fill) {
		XXH3_64bits_update(&hasher->state, hasher->buffer, hasher->fill);
		hasher->fill = 0;
	}
	if (size > sizeof hasher->buffer) {
		XXH3_64bits_update(&hasher->state, bytes, size);
	} else {
		memcpy(hasher->buffer + hasher->fill, bytes, size);
		hasher->fill += size;
	}
}

static void add_number(struct hasher *hasher, uint64_t number)
{
	add_bytes(hasher, &number, sizeof number);
}

static void add_string(struct hasher *hasher, const char *string, size_t length)
{
	add_number(hasher, length);
	add_bytes(hasher, string, length);
}

static void add_name(struct hasher *hasher, LLVMValueRef value)
{
	size_t length;
	const char *name = LLVMGetValueName2(value, &length);

	add_string(hasher, name, length);
}

/* Adds a string without folders: of each word, only the part after its last slash. */
static void add_text(struct hasher *hasher, const char *text, size_t length)
{
	static const char ends_word[] = " \t\n\"'=:;,()<>[]";
	size_t word = 0, i;

	for (i = 0; i < length; i++) {
		if (text[i] == '/') {
			word = i + 1;
		} else if (memchr(ends_word, text[i], sizeof ends_word)) {
			add_bytes(hasher, text + word, i + 1 - word);
			word = i + 1;
		}
	}
	add_string(hasher, text + word, length - word);
}

static void add_array(struct hasher *hasher, LLVMValueRef array)
{
	size_t length;
	unsigned count;

	if (LLVMIsConstantString(array)) {
		const char *text = LLVMGetAsString(array, &length);

		add_text(hasher, text, length);
		return;
	}
	count = LLVMGetTypeKind(LLVMTypeOf(array)) == LLVMArrayTypeKind
			? LLVMGetArrayLength(LLVMTypeOf(array))
			: LLVMGetVectorSize(LLVMTypeOf(array));
	add_number(hasher, count);
	for (unsigned i = 0; i < count && i < ELEMENTS_LOOKED_AT; i++) {
		LLVMValueRef element = LLVMGetAggregateElement(array, i);

		if (LLVMIsAConstantInt(element))
			add_number(hasher, LLVMConstIntGetZExtValue(element));
	}
}

/* Of instructions, arguments and blocks, only the kind is added. */
static void add_value(struct hasher *hasher, LLVMValueRef value)
{
	LLVMValueKind kind = LLVMGetValueKind(value);
	int operands;

	add_number(hasher, kind);
	switch (kind) {
	case LLVMFunctionValueKind:
	case LLVMGlobalVariableValueKind:
	case LLVMGlobalAliasValueKind:
	case LLVMGlobalIFuncValueKind:
		add_name(hasher, value);
		break;
	case LLVMConstantIntValueKind:
		if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
			add_number(hasher, LLVMConstIntGetZExtValue(value));
		break;
	case LLVMConstantDataArrayValueKind:
	case LLVMConstantDataVectorValueKind:
		add_array(hasher, value);
		break;
	case LLVMConstantExprValueKind:
		add_number(hasher, LLVMGetConstOpcode(value));
		/* fall through */
	case LLVMConstantArrayValueKind:
	case LLVMConstantStructValueKind:
	case LLVMConstantVectorValueKind:
		operands = LLVMGetNumOperands(value);
		for (int i = 0; i < operands; i++)
			add_value(hasher, LLVMGetOperand(value, (unsigned)i));
		break;
	default:
		break;
	}
}

static bool is_skipped(const struct hasher *hasher, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	unsigned id = LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;

	for (size_t i = 0; id && i < SKIPPED_COUNT; i++)
		if (hasher->skipped[i] == id)
			return true;
	return false;
}

static void add_instruction(struct hasher *hasher, LLVMValueRef instruction)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
	int operands = LLVMGetNumOperands(instruction);

	if (opcode == LLVMCall && is_skipped(hasher, instruction))
		return;
	add_number(hasher, (uint64_t)opcode << 32 | (unsigned)operands);
	if (opcode == LLVMICmp)
		add_number(hasher, LLVMGetICmpPredicate(instruction));
	for (int i = 0; i < operands; i++)
		add_value(hasher, LLVMGetOperand(instruction, (unsigned)i));
}

static void add_function(struct hasher *hasher, LLVMValueRef function)
{
	LLVMBasicBlockRef block;
	LLVMValueRef instruction;

	add_name(hasher, function);
	for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (instruction = LLVMGetFirstInstruction(block); instruction;
		     instruction = LLVMGetNextInstruction(instruction))
			add_instruction(hasher, instruction);
}

/* Returns whether the compiler made the global: llvm.used and its like, or annotations, which have the file's name.
 * */
static bool is_compilers_own(LLVMValueRef global)
{
	const char *section = LLVMGetSection(global);

	return section && strcmp(section, "llvm.metadata") == 0;
}

static uint32_t finish(struct hasher *hasher)
{
	uint64_t hash;

	XXH3_64bits_update(&hasher->state, hasher->buffer, hasher->fill);
	hash = XXH3_64bits_digest(&hasher->state);
	return (uint32_t)hash ? (uint32_t)hash : 1;
}

static uint32_t compute(LLVMModuleRef module)
{
	struct hasher hasher = {.fill = 0};
	LLVMValueRef value;
	const char *assembler;
	size_t length;

	XXH3_64bits_reset(&hasher.state);
	for (size_t i = 0; i < SKIPPED_COUNT; i++)
		hasher.skipped[i] = LLVMLookupIntrinsicID(skipped_intrinsics[i],
							  strlen(skipped_intrinsics[i]));

	assembler = LLVMGetModuleInlineAsm(module, &length);
	add_string(&hasher, assembler, length);
	for (value = LLVMGetFirstFunction(module); value; value = LLVMGetNextFunction(value))
		if (!LLVMIsDeclaration(value) &&
		    LLVMGetLinkage(value) != LLVMAvailableExternallyLinkage)
			add_function(&hasher, value);
	for (value = LLVMGetFirstGlobal(module); value; value = LLVMGetNextGlobal(value)) {
		LLVMValueRef initial = LLVMGetInitializer(value);

		if (!initial || is_compilers_own(value))
			continue;
		add_name(&hasher, value);
		add_value(&hasher, initial);
	}

	return finish(&hasher);
}

/* An instrumented unit keeps its ID, because its contents have changed. */
static uint32_t find_unit(LLVMModuleRef module)
{
	uint32_t unit = function_table_unit(module);

	return unit ? unit : compute(module);
}

void unit_id_note(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef word = LLVMInt32TypeInContext(context);
	LLVMMetadataRef id, node;

	if (LLVMGetNamedMetadataNumOperands(module, NOTE) != 0)
		return;
	id = LLVMValueAsMetadata(LLVMConstInt(word, find_unit(module), 0));
	node = LLVMMDNodeInContext2(context, &id, 1);
	LLVMAddNamedMetadataOperand(module, NOTE, LLVMMetadataAsValue(context, node));
}

/* The note of the only unit that the module was made of; 0 if there is none. */
static uint32_t read_note(LLVMModuleRef module)
{
	LLVMValueRef node, id;

	/* More than one: units were linked before their notes were removed. */
	if (LLVMGetNamedMetadataNumOperands(module, NOTE) != 1)
		return 0;
	LLVMGetNamedMetadataOperands(module, NOTE, &node);
	LLVMGetMDNodeOperands(node, &id);
	return (uint32_t)LLVMConstIntGetZExtValue(id);
}

/*
 * All units of a library may have the same @name, so the ID also covers the source file and the
 * names of the functions, but not the functions' contents.
 */
static uint32_t compute_named(LLVMModuleRef module, const char *name)
{
	struct hasher hasher = {.fill = 0};
	const char *source, *base;
	LLVMValueRef function;
	size_t length;

	XXH3_64bits_reset(&hasher.state);
	add_string(&hasher, name, strlen(name));
	source = LLVMGetSourceFileName(module, &length);
	base = memrchr(source, '/', length);
	base = base ? base + 1 : source;
	add_string(&hasher, base, length - (size_t)(base - source));
	for (function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
		if (!LLVMIsDeclaration(function) && LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage)
			add_name(&hasher, function);
	return finish(&hasher);
}

/* Adds the folder of the source without its parents, which differ between machines. */
static void add_folder(struct hasher *hasher, LLVMModuleRef module)
{
	char path[2 * PATH_MAX];
	size_t length;
	const char *source = LLVMGetSourceFileName(module, &length);
	char *slash;

	if (*source == '/')
		snprintf(path, sizeof path, "%s", source);
	else if (getcwd(path, PATH_MAX))
		snprintf(path + strlen(path), sizeof path - strlen(path), "/%s", source);
	else
		return;
	slash = strrchr(path, '/');
	if (!slash)
		return;
	*slash = '\0';
	slash = strrchr(path, '/');
	if (slash)
		add_string(hasher, slash + 1, strlen(slash + 1));
}

static uint32_t with_folder(LLVMModuleRef module, uint32_t unit)
{
	struct hasher hasher = {.fill = 0};

	XXH3_64bits_reset(&hasher.state);
	add_number(&hasher, unit);
	add_folder(&hasher, module);
	return finish(&hasher);
}

uint32_t unit_id_take(LLVMModuleRef module, const char *name, bool by_folder)
{
	uint32_t before = function_table_unit(module);
	uint32_t result = *name ? compute_named(module, name) : read_note(module);

	spoor_metadata_remove(module, NOTE);
	if (!result)
		result = find_unit(module);
	/* An instrumented unit keeps its ID. */
	return by_folder && !before ? with_folder(module, result) : result;
}
