/* SPDX-License-Identifier: MIT */
/*
 * gcc_marks.cc - marks the places where exceptions, longjmp and non-local gotos arrive, and where code switches to
 * another stack.
 *
 * A mark calls a helper of the unit with the frame's canonical address, from which the helper knows the address of
 * the return address, as the entry sled does. Marks come after all inlining, so the frame is the function's own.
 */
#include "pass/gcc/gcc_marks.h"

#include "pass/gcc/gcc_function.h"
#include "pass/gcc/gcc_unit.h"

static tree unwound_decl, set_jump_decl;
static bool are_used;

/* void @name(void *cfa, long), a helper that gcc_target_print_helpers prints. */
static tree declare_helper(const char *name)
{
	tree type = build_function_type_list(void_type_node, ptr_type_node, long_integer_type_node, NULL_TREE);
	tree decl = build_fn_decl(name, type);

	TREE_NOTHROW(decl) = 1;
	TREE_USED(decl) = 1;
	DECL_IS_NOVOPS(decl) = 1;
	DECL_ATTRIBUTES(decl) = tree_cons(get_identifier("leaf"), NULL_TREE, NULL_TREE);
	DECL_VISIBILITY(decl) = VISIBILITY_HIDDEN;
	DECL_VISIBILITY_SPECIFIED(decl) = 1;
	cgraph_node::get_create(decl);
	return decl;
}

/* The place of a mark: after the labels of a block, or before or after a statement. */
struct mark_place {
	gimple_stmt_iterator at;
	bool before;
};

static mark_place after_labels(basic_block block)
{
	gimple_stmt_iterator at = gsi_after_labels(block);

	if (gsi_end_p(at))
		return {gsi_last_bb(block), false};
	return {at, true};
}

static void insert_at(mark_place *place, gimple *statement)
{
	if (place->before)
		gsi_insert_before(&place->at, statement, GSI_SAME_STMT);
	else
		gsi_insert_after(&place->at, statement, GSI_NEW_STMT);
}

/* Inserts @mark(the frame, @value), and after it the next mark would be inserted. */
static void insert_mark(mark_place *place, tree mark, tree value)
{
	gcall *frame = gimple_build_call(builtin_decl_explicit(BUILT_IN_DWARF_CFA), 0);
	tree address = make_ssa_name(ptr_type_node, frame);
	gcall *call = gimple_build_call(mark, 2, address, value);

	gimple_call_set_lhs(frame, address);
	insert_at(place, frame);
	insert_at(place, call);
	gcc_now.has_marks = are_used = true;
}

static tree bits(uint64_t value)
{
	return build_int_cst(long_integer_type_node, (HOST_WIDE_INT)value);
}

static void mark_block(basic_block block, uint64_t what)
{
	mark_place place = after_labels(block);

	insert_mark(&place, unwound_decl, bits(what));
}

/* Finds the place after a call, which may end its block. */
static bool find_place_after(gimple *call, mark_place *place)
{
	edge next;

	if (!stmt_ends_bb_p(call)) {
		*place = {gsi_for_stmt(call), false};
		return true;
	}
	next = find_fallthru_edge(gimple_bb(call)->succs);
	if (!next)
		return false;
	*place = after_labels(split_edge(next));
	return true;
}

/* Tells if a call is setjmp or similar: its result says that it returns a second time. */
static bool is_set_jump(gimple *call)
{
	tree type;

	if (gimple_call_internal_p(call) || !(gimple_call_flags(call) & ECF_RETURNS_TWICE))
		return false;
	type = gimple_call_return_type(as_a<gcall *>(call));
	return INTEGRAL_TYPE_P(type) && TYPE_PRECISION(type) == TYPE_PRECISION(integer_type_node);
}

/* Tells if a call switches to another stack, until code there switches back: functions of libc, boost.context,
 * libucontext, libco and libcoro. */
static bool is_switch(gimple *call)
{
	static const char *const names[] = { "swapcontext", "jump_fcontext", "ontop_fcontext", "libucontext_swapcontext",
					     "co_switch", "coro_transfer" };
	tree decl = gimple_call_fndecl(call);

	if (!decl || gimple_call_must_tail_p(as_a<gcall *>(call)))
		return false;
	for (const char *name : names)
		if (id_equal(DECL_NAME(decl), name))
			return true;
	return false;
}

/* Returns the result of a call as a name; if GCC stores it in memory, reads it at @place, right after the call. */
static tree read_result(gimple *call, mark_place *place)
{
	tree left = gimple_call_lhs(call), result;

	if (left && TREE_CODE(left) == SSA_NAME)
		return left;
	result = make_ssa_name(gimple_call_return_type(as_a<gcall *>(call)));
	if (left) {
		insert_at(place, gimple_build_assign(result, unshare_expr(left)));
	} else {
		gimple_call_set_lhs(call, result);
		SSA_NAME_DEF_STMT(result) = call;
		update_stmt(call);
	}
	return result;
}

static void mark_set_jump(gimple *call)
{
	mark_place place;
	tree wide;

	if (!find_place_after(call, &place))
		return;
	wide = make_ssa_name(long_integer_type_node);
	insert_at(&place, gimple_build_assign(wide, NOP_EXPR, read_result(call, &place)));
	insert_mark(&place, set_jump_decl, wide);
}

static void mark_switch(gimple *call)
{
	mark_place before = {gsi_for_stmt(call), true}, after;

	gimple_call_set_tail(as_a<gcall *>(call), false);
	insert_mark(&before, unwound_decl, bits(SPOOR_FRAME_LEAVES_STACK));
	if (find_place_after(call, &after))
		insert_mark(&after, unwound_decl, bits(SPOOR_FRAME_ON_STACK));
}

/* Tells if an exception from a call that switches stacks may arrive in a block. */
static bool is_pad_of_switch(basic_block pad)
{
	edge_iterator iterator;
	edge into;

	FOR_EACH_EDGE(into, iterator, pad->preds)
		if (into->flags & EDGE_EH) {
			gimple *last = last_stmt(into->src);

			if (last && is_gimple_call(last) && is_switch(last))
				return true;
		}
	return false;
}

static void mark_landing_pads(function *fun)
{
	std::set<basic_block> seen;
	eh_landing_pad pad;

	if (!fun->eh || !fun->eh->lp_array)
		return;
	for (unsigned i = 1; vec_safe_iterate(fun->eh->lp_array, i, &pad); i++) {
		basic_block block = pad && pad->post_landing_pad ? label_to_block(fun, pad->post_landing_pad) : NULL;

		if (!block || !seen.insert(block).second)
			continue;
		/* The mark that is inserted last runs first. */
		if (is_pad_of_switch(block))
			mark_block(block, SPOOR_FRAME_ON_STACK);
		mark_block(block, 0);
	}
}

/* Tells if a non-local goto of a nested function arrives in a block. */
static bool is_jumped_to_from_nested(basic_block block)
{
	for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
		glabel *label = dyn_cast<glabel *>(gsi_stmt(at));

		if (!label)
			return false;
		if (DECL_NONLOCAL(gimple_label_label(label)))
			return true;
	}
	return false;
}

/* Marks what arrives by other ways than exceptions. The lists are complete before blocks are split. */
static void mark_jumps(function *fun)
{
	std::vector<gimple *> set_jumps, receivers, switches;
	std::vector<basic_block> targets;
	basic_block block;
	mark_place place;

	FOR_EACH_BB_FN(block, fun) {
		if (is_jumped_to_from_nested(block))
			targets.push_back(block);
		for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
			gimple *statement = gsi_stmt(at);

			if (!is_gimple_call(statement))
				continue;
			if (gimple_call_builtin_p(statement, BUILT_IN_SETJMP_RECEIVER))
				receivers.push_back(statement);	/* of __builtin_longjmp */
			else if (is_set_jump(statement))
				set_jumps.push_back(statement);
			else if (is_switch(statement))
				switches.push_back(statement);
		}
	}
	for (basic_block target : targets)
		mark_block(target, 0);
	for (gimple *call : receivers)
		if (find_place_after(call, &place))
			insert_mark(&place, unwound_decl, bits(0));
	for (gimple *call : set_jumps)
		mark_set_jump(call);
	for (gimple *call : switches)
		mark_switch(call);
}

static const pass_data marks_data = {GIMPLE_PASS, "spoor_marks", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};

struct marks_pass : gimple_opt_pass {
	marks_pass() : gimple_opt_pass(marks_data, g) {}
	unsigned int execute(function *fun) final override
	{
		gcc_function_begin(fun);
		if (!gcc_now.is_wanted || gcc_unit_is_for_order() || !builtin_decl_explicit(BUILT_IN_DWARF_CFA))
			return 0;
		if (!unwound_decl) {
			unwound_decl = declare_helper("spoor_gcc_unwound");
			set_jump_decl = declare_helper("spoor_gcc_set_jump");
		}
		mark_landing_pads(fun);
		mark_jumps(fun);
		return gcc_now.has_marks ? TODO_update_ssa_only_virtuals : 0;
	}
};

opt_pass *gcc_marks_pass(void)
{
	return new marks_pass;
}

bool gcc_marks_are_used(void)
{
	return are_used;
}

void gcc_marks_register(const char *plugin)
{
	static const ggc_root_tab roots[] = {
		{&unwound_decl, 1, sizeof unwound_decl, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
		{&set_jump_decl, 1, sizeof set_jump_decl, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
		LAST_GGC_ROOT_TAB
	};

	register_callback(plugin, PLUGIN_REGISTER_GGC_ROOTS, NULL, const_cast<ggc_root_tab *>(roots));
}
