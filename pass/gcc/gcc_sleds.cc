/* SPDX-License-Identifier: MIT */
/*
 * gcc_sleds.cc - gives a function its sleds, or in order mode the test at its beginning.
 *
 * A sled is an asm. The entry's sled is the first instruction of the function, before the prologue wherever GCC put
 * that, and before the label of a loop that begins with the function. A return gets a sled in its place or before
 * it, and a tail call gets one before it.
 */
#include "pass/gcc/gcc_sleds.h"

#include "pass/gcc/gcc_function.h"
#include "pass/gcc/gcc_target.h"
#include "pass/gcc/gcc_unit.h"

static unsigned functions_with_sleds;

/* Calls only functions that GCC 11 and 12 both have under the same name: otherwise a compiler of another version
 * could not load the plugin, which tells it what to do. */
static rtx_insn *make_asm(const char *text, const std::vector<rtx> &clobbers)
{
	std::vector<rtx> parts;
	rtx sled_asm;

	sled_asm = gen_rtx_ASM_INPUT_loc(VOIDmode, ggc_strdup(text), BUILTINS_LOCATION);
	MEM_VOLATILE_P(sled_asm) = 1;
	/* GCC does not recognise a list of one. */
	if (clobbers.empty())
		return make_insn_raw(sled_asm);
	parts.push_back(sled_asm);
	for (rtx clobbered : clobbers)
		parts.push_back(gen_rtx_CLOBBER(VOIDmode, clobbered));
	return make_insn_raw(gen_rtx_PARALLEL(VOIDmode, gen_rtvec_v(parts.size(), parts.data())));
}

static rtx_insn *make_sled(spoor_sled_kind kind, unsigned sled, const char *before)
{
	char text[256];

	snprintf(text, sizeof text, "%s.Lspoor_%u_%u:\n%s", before, gcc_now.number, sled,
		 gcc_target_sled(kind, kind != SPOOR_SLED_ENTRY || gcc_now.entry_in_map));
	return make_asm(text, gcc_target_clobbers(kind));
}

static rtx_insn *make_first_run(const char *before)
{
	char code[384], text[512];

	gcc_target_write_first_run(code, sizeof code, gcc_now.number, gcc_now.decl);
	snprintf(text, sizeof text, "%s.Lspoor_%u_0:\n%s", before, gcc_now.number, code);
	return make_asm(text, gcc_target_first_run_clobbers());
}

/* Tells if a return is "ret", perhaps after a prefix for old processors ("rep ret", an unspec). */
static bool is_plain_return(rtx_insn *insn)
{
	rtx body = PATTERN(insn);

	return ANY_RETURN_P(body) || (GET_CODE(body) == PARALLEL && ANY_RETURN_P(XVECEXP(body, 0, 0)) &&
				      GET_CODE(XVECEXP(body, 0, 1)) == UNSPEC);
}

/* Finds the returns and tail calls. Returns why the function can have no sleds, or null. */
static const char *find_exits(std::vector<rtx_insn *> *exits)
{
	for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		if (JUMP_P(insn) && returnjump_p(insn)) {
			if (!is_plain_return(insn))
				return "it returns in a way of its own";
			exits->push_back(insn);
		} else if (CALL_P(insn) && SIBLING_CALL_P(insn)) {
			exits->push_back(insn);
		}
	}
	if (crtl->calls_eh_return)
		return "it returns to the handler of an exception (eh_return)";
	return gcc_target_reason_against_code(*exits);
}

/* Returns why the function can have no sleds, or null. */
static const char *find_places(std::vector<rtx_insn *> *exits)
{
	if (gcc_unit_count() > SPOOR_FUNCTION_POSITION_MASK)
		return "its unit has too many functions";
	return gcc_unit_is_for_order() ? NULL : find_exits(exits);
}

static void add_exit(rtx_insn *exit)
{
	spoor_sled_kind kind = gcc_target_exit_kind(exit);
	rtx_insn *sled;

	gcc_now.sleds.push_back(kind);
	sled = make_sled(kind, gcc_now.sleds.size(), gcc_target_alignment());
	INSN_LOCATION(sled) = INSN_LOCATION(exit);
	add_insn_before(sled, exit, NULL);
	if (kind == SPOOR_SLED_EXIT && gcc_target_sled_returns())
		delete_insn(exit);
}

/* Returns the last note of where the parameters are when the function begins; null if there is none. A sled after it
 * leaves debug information right for the function's first byte. */
static rtx_insn *last_place_of_parameter(void)
{
	rtx_insn *last = NULL;

	for (rtx_insn *insn = get_insns(); insn && NOTE_P(insn); insn = NEXT_INSN(insn)) {
		if (NOTE_KIND(insn) == NOTE_INSN_VAR_LOCATION)
			last = insn;
		else if (NOTE_KIND(insn) != NOTE_INSN_DELETED)
			break;
	}
	return last;
}

static void add_entry(void)
{
	rtx_insn *pad = gcc_target_landing_pad(get_insns()), *before_sled = pad ? pad : last_place_of_parameter(), *sled;
	const char *own_pad = gcc_target_own_pad(pad), *begin = gcc_target_begin();
	char before[96] = "";

	gcc_now.begins_with_pad = pad || own_pad;
	/* XRay's interface numbers functions by the map, so a function without exits is listed by its entry. If
	 * something else comes before the sled (-mfentry), only the map says where the sled is. */
	gcc_now.entry_in_map = !gcc_unit_is_for_order() &&
			       (gcc_now.sleds.empty() || crtl->profile || gcc_target_maps_entries());
	gcc_now.begin_is_set = begin;
	if (begin)
		snprintf(before, sizeof before, "\t.set .Lspoor_%u_b, %s\n", gcc_now.number, begin);
	if (gcc_unit_is_for_order())
		sled = make_first_run(own_pad ? own_pad : before);
	else
		sled = make_sled(SPOOR_SLED_ENTRY, 0, own_pad ? own_pad : before);
	INSN_LOCATION(sled) = prologue_location;
	if (before_sled)
		add_insn_after(sled, before_sled, NULL);
	else
		add_insn_before(sled, get_insns(), NULL);
}

static const pass_data sleds_data = {RTL_PASS, "spoor_sleds", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

struct sleds_pass : rtl_opt_pass {
	sleds_pass() : rtl_opt_pass(sleds_data, g) {}
	unsigned int execute(function *fun) final override
	{
		std::vector<rtx_insn *> exits;
		const char *reason;

		gcc_function_continue(fun);
		reason = gcc_now.is_wanted ? find_places(&exits) : NULL;
		if (!gcc_now.is_wanted || reason) {
			gcc_function_describe(reason);
			return 0;
		}
		gcc_now.number = functions_with_sleds++;
		gcc_now.has_sleds = true;
		for (rtx_insn *exit : exits)
			add_exit(exit);
		gcc_target_align(fun->decl);
		add_entry();
		return 0;
	}
};

opt_pass *gcc_sleds_pass(void)
{
	return new sleds_pass;
}
