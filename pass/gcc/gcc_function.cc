/* SPDX-License-Identifier: MIT */
/* gcc_function.cc - decides whether a function is instrumented, and describes it. */
#include "pass/gcc/gcc_function.h"

#include "pass/gcc/gcc_target.h"
#include "pass/gcc/gcc_unit.h"

gcc_function_state gcc_now;

bool gcc_begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool gcc_function_has(tree decl, const char *attribute)
{
	return lookup_attribute(attribute, DECL_ATTRIBUTES(decl)) ||
	       lookup_attribute(attribute, TYPE_ATTRIBUTES(TREE_TYPE(decl)));
}

/* The dispatcher of target_clones is a resolver, too. */
static bool resolves_ifunc(tree decl)
{
	cgraph_node *node = cgraph_node::get(decl);
	ipa_ref *ref;

	if (!node)
		return false;
	FOR_EACH_ALIAS(node, ref) {
		cgraph_node *alias = dyn_cast<cgraph_node *>(ref->referring);

		if (alias && (alias->ifunc_resolver || gcc_function_has(alias->decl, "ifunc")))
			return true;
	}
	return node->dispatcher_function || node->ifunc_resolver;
}

static void add_callees(cgraph_node *node, std::set<tree> *found)
{
	for (cgraph_edge *edge = node->callees; edge; edge = edge->next_callee)
		if (found->insert(edge->callee->ultimate_alias_target()->decl).second)
			add_callees(edge->callee->ultimate_alias_target(), found);
}

/* Tells if a resolver of this unit calls the function, directly or not: it may run before the module's pointers are
 * relocated. Asks the call graph once, while it has all functions. */
static bool is_called_by_resolver(tree decl)
{
	static std::set<tree> called;
	static bool is_known;
	cgraph_node *node;

	if (!is_known)
		FOR_EACH_FUNCTION(node)
			if (resolves_ifunc(node->decl))
				add_callees(node, &called);
	is_known = true;
	return called.count(decl);
}

static const char *name_of(tree decl)
{
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));

	return *name == '*' ? name + 1 : name;
}

/* Why a function cannot have sleds, or null. */
static const char *reason_against(tree decl)
{
	const char *why;

	if (!gcc_unit_is_instrumented())
		return "instrumentation is switched off";
	if (!gcc_target_is_supported(&why))
		return "there is no tracing of the target";
	if (gcc_function_has(decl, "no_instrument_function") || gcc_function_has(decl, "xray_never_instrument"))
		return "an attribute excludes it";
	if (gcc_begins_with(name_of(decl), "spoor_dso_") || gcc_begins_with(name_of(decl), "_spoor_runtime_"))
		return "it is spoor's own";
	if (gcc_function_has(decl, "naked"))
		return "it is naked";
	if (resolves_ifunc(decl))
		return "it resolves an ifunc";
	if (gcc_unit_is_for_order() && is_called_by_resolver(decl))
		return "a function that resolves an ifunc calls it";
	if (flag_split_stack && !gcc_function_has(decl, "no_split_stack"))
		return "linkers look for the prologue of a split stack at its beginning";
	if (gcc_function_has(decl, "patchable_function_entry") || flag_patchable_function_entry)
		return "it has a patchable entry of another kind";
	if (cfun->is_thunk)
		return "it is a thunk";
	return gcc_target_reason_against(decl);
}

static bool attribute_matches(void *context, const char *name, const char *value)
{
	tree found = lookup_attribute(name, DECL_ATTRIBUTES((tree)context)), argument;

	if (!found)
		found = lookup_attribute(name, TYPE_ATTRIBUTES(TREE_TYPE((tree)context)));
	if (!found || !value)
		return found;
	argument = TREE_VALUE(found);
	argument = argument ? TREE_VALUE(argument) : NULL_TREE;
	return argument && TREE_CODE(argument) == STRING_CST && strcmp(TREE_STRING_POINTER(argument), value) == 0;
}

static gcc_function make_description(void)
{
	location_t place = DECL_SOURCE_LOCATION(gcc_now.decl);
	gcc_function made = gcc_function();

	made.linkage_name = name_of(gcc_now.decl);
	if (place != UNKNOWN_LOCATION && LOCATION_FILE(place)) {
		made.file = remap_debug_filename(LOCATION_FILE(place));
		made.folder = *made.file == '/' ? "" : remap_debug_filename(get_src_pwd());
		made.line = LOCATION_LINE(place);
	}
	made.statements = gcc_now.statements;
	made.has_loop = gcc_now.has_loop;
	made.ruled = gcc_now.ruled;
	made.has_attribute = attribute_matches;
	made.context = gcc_now.decl;
	return made;
}

static void choose(void)
{
	const char *reason = reason_against(gcc_now.decl);

	gcc_now.always = gcc_function_has(gcc_now.decl, "spoor_always");
	gcc_now.ruled = !reason && !gcc_now.always;
	gcc_now.is_wanted = !reason;
	gcc_now.reason = reason;
	if (gcc_now.ruled) {
		gcc_function made = make_description();

		gcc_now.is_wanted = gcc_unit_allows(&made, &gcc_now.reason);
	}
}

static void hash_number(uint64_t number)
{
	gcc_unit_hash(&number, sizeof number);
}

/* Folders in strings do not count: the build folder appears in strings (assert, __FILE__). */
static void hash_string(const char *text, size_t size)
{
	const char *slash = (const char *)memrchr(text, '/', size);

	if (slash) {
		size -= slash + 1 - text;
		text = slash + 1;
	}
	gcc_unit_hash(text, size);
}

static void hash_operand(tree operand)
{
	hash_number(TREE_CODE(operand));
	switch (TREE_CODE(operand)) {
	case INTEGER_CST:
		hash_number(TREE_INT_CST_LOW(operand));
		break;
	case STRING_CST:
		hash_string(TREE_STRING_POINTER(operand), TREE_STRING_LENGTH(operand));
		break;
	case FUNCTION_DECL:
		hash_string(name_of(operand), strlen(name_of(operand)));
		break;
	case VAR_DECL:
		if (TREE_STATIC(operand) || DECL_EXTERNAL(operand))
			hash_string(name_of(operand), strlen(name_of(operand)));
		break;
	case ADDR_EXPR:
	case ARRAY_REF:
	case COMPONENT_REF:
	case MEM_REF:
		hash_operand(TREE_OPERAND(operand, 0));
		break;
	default:
		break;
	}
}

/* Adds the operations, constants and names in the body, but not how values flow, to the unit's hash. */
static void survey(function *fun)
{
	basic_block block;

	FOR_EACH_BB_FN(block, fun)
		for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
			gimple *statement = gsi_stmt(at);

			if (is_gimple_debug(statement))
				continue;
			gcc_now.statements++;
			hash_number(gimple_code(statement));
			for (unsigned i = 0; i < gimple_num_ops(statement); i++)
				if (gimple_op(statement, i))
					hash_operand(gimple_op(statement, i));
		}
	gcc_now.has_loop = mark_dfs_back_edges();
}

/* The source file of a function: with LTO, GCC's input is a temporary file. */
static const char *unit_of(tree decl)
{
	tree scope = decl;

	while (scope && TREE_CODE(scope) != TRANSLATION_UNIT_DECL)
		scope = get_containing_scope(scope);
	if (scope && DECL_NAME(scope))
		return IDENTIFIER_POINTER(DECL_NAME(scope));
	return main_input_filename ? main_input_filename : "";
}

static void begin(function *fun)
{
	gcc_now = gcc_function_state();
	gcc_now.decl = fun->decl;
	gcc_unit_name(in_lto_p ? unit_of(fun->decl) : main_input_filename ? main_input_filename : "");
}

void gcc_function_begin(function *fun)
{
	begin(fun);
	survey(fun);
	choose();
}

void gcc_function_continue(function *fun)
{
	if (gcc_now.decl == fun->decl)
		return;
	begin(fun);
	choose();
}

void gcc_function_describe(const char *reason)
{
	gcc_function made = make_description();

	made.instrumented = gcc_now.is_wanted && !reason;
	made.reason = reason ? reason : gcc_now.reason;
	made.ruled = gcc_now.ruled && !reason;
	hash_number(gcc_now.statements);
	if (gcc_unit_add(&made) < 0)
		fatal_error(UNKNOWN_LOCATION, "spoor: out of memory");
}
