/* SPDX-License-Identifier: MIT */
/* pass.c - decides how each function of a unit is instrumented, and calls the files that do it. */
#include "pass/pass.h"

#include "pass/choice/always.h"
#include "pass/attributes.h"
#include "pass/calls/calls.h"
#include "pass/sleds/data_section.h"
#include "pass/choice/eligibility.h"
#include "text/filters.h"
#include "pass/sleds/first_runs.h"
#include "pass/sleds/function_table.h"
#include "pass/choice/keep_apart.h"
#include "pass/llvm_more.h"
#include "pass/calls/call_wrapper.h"
#include "pass/choice/loops.h"
#include "pass/choice/marks.h"
#include "format/registration.h"
#include "pass/calls/redirect.h"
#include "pass/description/signatures.h"
#include "pass/sleds/sleds.h"
#include "pass/sleds/start_asleep.h"
#include "pass/choice/subject.h"
#include "pass/description/symbols.h"
#include "pass/description/unit_id.h"
#include "text/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From llvm/Support/CodeGen.h. */
#define CODE_MODEL_LARGE 4

/* Tells if sleds reach their thunks: a sled reaches two gigabytes. */
static bool code_is_in_reach(LLVMModuleRef module)
{
	static const char flag[] = "Code Model";
	LLVMMetadataRef model = LLVMGetModuleFlag(module, flag, strlen(flag));
	LLVMContextRef context = LLVMGetModuleContext(module);

	return !model || LLVMConstIntGetZExtValue(LLVMGetOperand(
				 LLVMMetadataAsValue(context, model), 0)) != CODE_MODEL_LARGE;
}

/* Tells if LLVM emits sleds that our runtime can patch; if not, sets @why to the unsupported target. */
static bool target_is_supported(LLVMModuleRef module, const char **why)
{
	const char *triple = LLVMGetTarget(module);
	bool architecture = strncmp(triple, "x86_64-", 7) == 0 ||
			    strncmp(triple, "aarch64-", 8) == 0;

	*why = triple;
	if (!architecture || !strstr(triple, "-linux") || strstr(triple, "x32") ||
	    strstr(triple, "_ilp32"))
		return false;
	*why = "the large code model (-mcmodel=large)";
	return code_is_in_reach(module);
}

/* Set on a function that an earlier run did not instrument, and described. */
#define LEFT_OUT_ATTRIBUTE "spoor-left-out"

struct pass {
	LLVMModuleRef module;
	const struct spoor_options *options;
	enum spoor_means means;
	const char *unsupported;	/* the target that cannot have sleds, or null */
	uint32_t unit;
	struct function_table table;
	struct resolvers resolvers;
	struct direct_calls direct;	/* calls of chosen library functions that stay direct */
	const char *name;		/* of the unit */
	struct filters filters;
	struct symbols symbols;
	struct signatures signatures;
};

/* Tells if the filters let the function be instrumented. */
static bool passes_filters(const struct pass *pass, struct symbol *symbol)
{
	const struct filter_rule *rule;
	struct subject subject;
	bool blocks;

	subject_make(&subject, &symbol->description, pass->name);
	blocks = filters_block(&pass->filters, &subject.filter, &rule);
	subject_free(&subject);
	symbol->reason = rule ? rule->name : NULL;
	return !blocks;
}

/* Tells if a function is to be instrumented; sets its reason. */
static bool is_wanted(const struct pass *pass, LLVMValueRef function, struct symbol *symbol)
{
	static enum eligibility (*const eligibility_for[])(LLVMValueRef, const struct resolvers *) = {
		[SPOOR_MEANS_SLED] = eligibility_for_sleds,
		[SPOOR_MEANS_CALL] = eligibility_for_calls,
		[SPOOR_MEANS_ORDER] = eligibility_for_first_runs,
	};
	enum eligibility eligibility = eligibility_for[pass->means](function, &pass->resolvers);
	bool always = attribute_is_set(function, ALWAYS_ATTRIBUTE);

	symbol->ruled = eligibility == ELIGIBLE && !always;
	if (attribute_is_set(function, CALL_WRAPPER_ATTRIBUTE))
		symbol->reason = "the calls of a library function";
	if (!pass->options->inject_instrumentation)
		symbol->reason = "inject_instrumentation is false";
	else if (pass->unsupported && pass->means != SPOOR_MEANS_CALL)
		symbol->reason = "spoor does not support the target";
	else if (eligibility != ELIGIBLE)
		symbol->reason = eligibility_reason(eligibility);
	else if (attribute_is_set(function, LEFT_OUT_ATTRIBUTE))
		symbol->reason = "an earlier run of the pass skipped the function";
	else
		return always || !pass->filters.count || passes_filters(pass, symbol);
	return false;
}

/* Tells if the symbols go into the object file, too: only if tools can find the functions in a trace. */
static bool embeds_symbols(const struct pass *pass)
{
	return pass->options->inject_instrumentation && !pass->unsupported;
}

/* @is_new: no earlier run has described the function */
static int describe(struct pass *pass, struct symbol *symbol, bool is_new)
{
	LLVMValueRef function = symbol->description.function;

	symbol->has_loop = loops_are_in(function);
	symbol->in_section = is_new && embeds_symbols(pass) && LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage;
	if (symbol->in_section && !symbol->instrumented)
		attribute_set(function, LEFT_OUT_ATTRIBUTE, "described");
	return symbols_add(&pass->symbols, symbol);
}

static int visit(struct pass *pass, LLVMValueRef function, uint32_t position)
{
	struct symbol symbol = {.id = (uint64_t)pass->unit << 32 | position};
	bool has = function_table_find(&pass->table, function, &symbol.id) || calls_have(function) ||
		   first_run_has(function), wanted;
	bool is_new = !has && !attribute_is_set(function, LEFT_OUT_ATTRIBUTE);
	bool describes = *pass->options->output_symbols_file || (embeds_symbols(pass) && is_new);
	int result = 0;

	if (describes || pass->filters.count)
		result = description_make(&symbol.description, function);
	wanted = has || (result >= 0 && is_wanted(pass, function, &symbol));
	symbol.instrumented = wanted;
	if (result >= 0 && describes)
		result = describe(pass, &symbol, is_new);
	description_free(&symbol.description);
	if (result < 0 || has || !pass->options->inject_instrumentation)
		return result;
	if (wanted && pass->means == SPOOR_MEANS_SLED) {
		result = sleds_add(&pass->table, function, position);
		return result < 0 ? result : signatures_add(&pass->signatures, function, symbol.id);
	}
	if (!pass->unsupported)
		sleds_leave_out(function);
	if (wanted && pass->means == SPOOR_MEANS_CALL)
		return calls_add(pass->unsupported ? NULL : &pass->table, function, pass->unit, position);
	if (wanted)
		first_run_add(function);
	return 0;
}

/* Describes library functions with calls that stay direct, after the unit's own functions. */
static int describe_direct_calls(struct pass *pass, uint32_t position)
{
	int result = 0;

	for (size_t i = 0; i < pass->direct.count && result >= 0; i++) {
		LLVMValueRef callee = pass->direct.list[i].callee;
		struct symbol symbol = {.id = (uint64_t)pass->unit << 32 | (position + i), .reason = pass->direct.list[i].reason};

		if (attribute_is_set(callee, LEFT_OUT_ATTRIBUTE))
			continue;
		attribute_set(callee, LEFT_OUT_ATTRIBUTE, "described");
		result = description_make(&symbol.description, callee);
		symbol.in_section = embeds_symbols(pass);
		if (result >= 0)
			result = symbols_add(&pass->symbols, &symbol);
		description_free(&symbol.description);
	}
	return result;
}

static int visit_all(struct pass *pass)
{
	LLVMValueRef function;
	uint32_t position = 0;
	int result = 0;

	for (function = LLVMGetFirstFunction(pass->module); function && result >= 0;
	     function = LLVMGetNextFunction(function))
		if (!LLVMIsDeclaration(function))
			result = visit(pass, function, position++);
	if (result >= 0)
		result = describe_direct_calls(pass, position);
	return result < 0 ? result : function_table_commit(&pass->table);
}

static int fail(LLVMModuleRef module, int error)
{
	spoor_report_error(module, error == -ERANGE
			   ? "spoor: too many functions in one unit: split the unit, or compile it with -fno-spoor"
			   : "spoor: out of memory");
	return error;
}

static int begin_filters(struct pass *pass)
{
	const char *path = pass->options->filters_file;
	struct spoor_fault fault;
	char message[sizeof fault.text + 700];
	int error = *path ? filters_read(&pass->filters, path, &fault) : 0;

	if (error == 0)
		return 0;
	/* An error in the file itself already names its place. */
	snprintf(message, sizeof message, "spoor: %.600s%s%s", error == -EINVAL ? "" : pass->options->filters_file_source,
		 error == -EINVAL ? "" : ": ", fault.text);
	spoor_report_error(pass->module, message);
	return error;
}

static int begin_symbols(struct pass *pass)
{
	size_t length;

	if (symbols_begin(&pass->symbols, pass->name, LLVMGetSourceFileName(pass->module, &length)) == 0)
		return 0;
	spoor_report_error(pass->module, "spoor: SOURCE_DATE_EPOCH is invalid: use a number of seconds since 1970");
	return -EINVAL;
}

static int write_symbols(struct pass *pass)
{
	const char *path = pass->options->output_symbols_file;
	char message[1024];
	int error = *path ? symbols_write(&pass->symbols, path) : 0;

	if (error == 0)
		return 0;
	snprintf(message, sizeof message, "spoor: cannot write the symbols file %.600s: %s", path,
		 strerror(-error));
	spoor_report_error(pass->module, message);
	return error;
}

static uint32_t asleep(const struct spoor_options *options)
{
	return (options->initialize_runtime ? 0 : SPOOR_ASLEEP_NOT_INITIALIZED) |
	       (options->enable_runtime ? 0 : SPOOR_ASLEEP_NOT_ENABLED);
}

/* Adds the functions with in_section to the unit's object file. */
static int embed_symbols(struct pass *pass)
{
	uint8_t *bytes;
	size_t size;
	int error;

	if (!spoor_module_assembles(pass->module))
		return 0;
	error = symbols_pack(&pass->symbols, true, &bytes, &size);
	if (error == 0 && size)
		error = data_section_add(pass->module, ".spoor_symbols", bytes, size);
	free(bytes);
	return error;
}

/* Returns 0, or a negative errno that was not reported yet. */
static int instrument(struct pass *pass)
{
	int result = resolvers_find(&pass->resolvers, pass->module);

	if (result >= 0 && *pass->options->library_calls && pass->options->inject_instrumentation && !pass->unsupported &&
	    pass->means == SPOOR_MEANS_SLED)
		result = redirect_calls(pass->module, pass->options->library_calls, &pass->resolvers, &pass->direct);
	if (result >= 0)
		result = function_table_open(&pass->table, pass->module, pass->unit);
	if (result >= 0)
		result = visit_all(pass);
	if (result >= 0 && pass->options->inject_instrumentation && pass->means == SPOOR_MEANS_CALL)
		calls_frame_main(pass->module, pass->options);
	if (result >= 0 && pass->options->inject_instrumentation && !pass->unsupported)
		result = start_asleep_note(pass->module, asleep(pass->options));
	if (result >= 0)
		result = embed_symbols(pass);
	if (result >= 0)
		result = signatures_embed(&pass->signatures);
	function_table_close(&pass->table);
	direct_calls_free(&pass->direct);
	resolvers_free(&pass->resolvers);
	return result;
}

void spoor_pass_start(LLVMModuleRef module, enum spoor_marks marks)
{
	const char *why;
	bool supported = target_is_supported(module, &why);

	marks_read(module, marks, supported);
	if (supported)
		unit_id_note(module);
}

static int check_patterns(LLVMModuleRef module, const char *patterns, const char *of)
{
	char message[160];

	if (!*patterns || spoor_patterns_check(patterns) == 0)
		return 0;
	snprintf(message, sizeof message, "spoor: the patterns of %s are invalid: use globs such as 'handle_*,-handle_int'", of);
	spoor_report_error(module, message);
	return -EINVAL;
}

/* Whether the function is to be kept. A copy of a function of another unit is kept too: calls of it stay calls. */
static int is_kept(struct pass *pass, LLVMValueRef function, bool *kept)
{
	struct symbol symbol = {.id = 0};
	int result = description_make(&symbol.description, function);

	*kept = result >= 0 && (keep_apart_chooses(pass->options->keep, &symbol.description) ||
				(pass->options->before_inlining && is_wanted(pass, function, &symbol)) ||
				(pass->options->before_inlining && LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage));
	description_free(&symbol.description);
	return result;
}

int spoor_pass_keep(LLVMModuleRef module, const struct spoor_options *options)
{
	struct pass pass = {.module = module, .options = options, .means = options->mode};
	int result = 0;
	bool kept;

	if (!options->inject_instrumentation || (!options->before_inlining && !*options->keep))
		return 0;
	if (!target_is_supported(module, &pass.unsupported))
		return 0;
	pass.unsupported = NULL;
	if (check_patterns(module, options->keep, "functions to keep") < 0)
		return -EINVAL;
	result = resolvers_find(&pass.resolvers, module);
	if (result < 0)
		return fail(module, result);
	result = begin_filters(&pass);
	for (LLVMValueRef function = LLVMGetFirstFunction(module); function && result >= 0;
	     function = LLVMGetNextFunction(function)) {
		kept = false;
		if (!LLVMIsDeclaration(function))
			result = is_kept(&pass, function, &kept);
		if (kept)
			keep_apart_function(function);
	}
	filters_free(&pass.filters);
	resolvers_free(&pass.resolvers);
	if (result >= 0 && options->before_inlining && pass.means == SPOOR_MEANS_CALL)
		result = spoor_pass_run(module, options);
	return result;
}

int spoor_pass_run(LLVMModuleRef module, const struct spoor_options *options)
{
	struct pass pass = {.module = module, .options = options, .means = options->mode};
	const char *why;
	size_t length;
	int result;

	if (check_patterns(module, options->library_calls, "library calls") < 0)
		return -EINVAL;
	if (!target_is_supported(module, &why)) {
		pass.unsupported = why;
		/* Not reported through clang, where -Werror would make it an error. */
		if (pass.means != SPOOR_MEANS_CALL && options->inject_instrumentation)
			fprintf(stderr, "spoor: warning: spoor does not support %s: this unit is compiled without "
				"sleds\n", why);
	}
	pass.unit = unit_id_take(module, options->module_id, pass.means == SPOOR_MEANS_CALL);
	pass.name = *options->module_id ? options->module_id : LLVMGetSourceFileName(module, &length);
	signatures_begin(&pass.signatures, module);
	result = begin_filters(&pass);
	if (result >= 0)
		result = begin_symbols(&pass);
	if (result >= 0) {
		always_read(module);
		result = instrument(&pass);
		if (result < 0)
			fail(module, result);
		else
			result = write_symbols(&pass);
	}
	signatures_end(&pass.signatures);
	symbols_end(&pass.symbols);
	filters_free(&pass.filters);
	return result;
}
