/* SPDX-License-Identifier: MIT */
/*
 * gcc_tables.cc - writes the sled map, the function table, the marks, the descriptions of arguments and the
 * symbols into the assembly, in the formats of registration.h.
 *
 * Entries are linked to the section of the function's text (SHF_LINK_ORDER, "o") and belong to its COMDAT group
 * ("?"), so that linkers keep or drop them together. All functions of a section refer to its first one: otherwise
 * each would have sections of its own.
 */
#include "pass/gcc/gcc_tables.h"

#include "pass/gcc/gcc_function.h"
#include "pass/gcc/gcc_marks.h"
#include "pass/gcc/gcc_signatures.h"
#include "pass/gcc/gcc_target.h"
#include "pass/gcc/gcc_unit.h"

static std::map<section *, unsigned> first_in_section;
static bool has_main;

static void begin_section(const char *name, unsigned first)
{
	fprintf(asm_out_file, "\t.pushsection %s,\"ao?\",%%progbits,.Lspoor_%u_0\n", name, first);
}

static void end_section(void)
{
	fputs("\t.popsection\n", asm_out_file);
}

/* struct spoor_sled; _b is the function's begin. */
static void print_sled(unsigned sled, spoor_sled_kind kind)
{
	fprintf(asm_out_file, "\t.quad .Lspoor_%u_%u - .\n\t.quad .Lspoor_%u_b - .\n\t.byte %d,0,2\n\t.zero 13\n", gcc_now.number,
		sled, gcc_now.number, kind);
}

static void print_map(unsigned first)
{
	if (!gcc_now.entry_in_map && gcc_now.sleds.empty())
		return;
	begin_section("xray_instr_map", first);
	if (gcc_now.entry_in_map)
		print_sled(0, SPOOR_SLED_ENTRY);
	for (size_t i = 0; i < gcc_now.sleds.size(); i++)
		print_sled(i + 1, gcc_now.sleds[i]);
	end_section();
}

static unsigned function_flags(void)
{
	unsigned flags = gcc_now.has_marks ? SPOOR_FUNCTION_LANDING_PADS : 0;

	if (!gcc_now.entry_in_map)
		flags |= SPOOR_FUNCTION_NOP_ENTRY | (gcc_now.begins_with_pad ? SPOOR_FUNCTION_ENTRY_BEHIND_PAD : 0);
	return flags;
}

/* struct spoor_function; _e is the function's end. */
static void print_function(unsigned first, uint32_t position)
{
	begin_section("spoor_functions", first);
	fprintf(asm_out_file, "\t.long .Lspoor_%u_b - .\n\t.long .Lspoor_%u_e - .Lspoor_%u_b\n\t.long .Lspoor_unit\n\t.long %u\n",
		gcc_now.number, gcc_now.number, gcc_now.number, position | function_flags());
	end_section();
	if (!gcc_now.has_marks)
		return;
	begin_section("spoor_marks", first);
	fprintf(asm_out_file, "\t.long .Lspoor_%u_b - .\n", gcc_now.number);
	end_section();
}

/* Order mode: 1 after the function's first execution. */
static void print_byte(unsigned first)
{
	fprintf(asm_out_file, "\t.pushsection spoor_seen,\"awo?\",%%progbits,.Lspoor_%u_0\n.Lspoor_%u_s:\n\t.byte 0\n", first,
		gcc_now.number);
	end_section();
}

static void print_tables(tree decl)
{
	section *text = function_section(decl);
	unsigned first = first_in_section.emplace(text, gcc_now.number).first->second;

	switch_to_section(text);
	/* The runtime finds functions of order mode in the unwind table. */
	if (gcc_unit_is_for_order()) {
		print_byte(first);
		return;
	}
	fprintf(asm_out_file, ".Lspoor_%u_e:\n", gcc_now.number);
	if (!gcc_now.begin_is_set)
		fprintf(asm_out_file, "\t.set .Lspoor_%u_b, .Lspoor_%u_0%s\n", gcc_now.number, gcc_now.number,
			gcc_now.begins_with_pad ? " - 4" : "");
	print_map(first);
	print_function(first, gcc_unit_count());
	gcc_signatures_print(decl, gcc_unit_count());
}

static const pass_data tables_data = {RTL_PASS, "spoor_tables", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

struct tables_pass : rtl_opt_pass {
	tables_pass() : rtl_opt_pass(tables_data, g) {}
	unsigned int execute(function *fun) final override
	{
		has_main |= MAIN_NAME_P(DECL_NAME(fun->decl)) && TREE_PUBLIC(fun->decl);
		if (gcc_now.has_sleds && gcc_now.decl == fun->decl) {
			print_tables(fun->decl);
			gcc_function_describe(NULL);
		}
		gcc_now = gcc_function_state();
		return 0;
	}
};

opt_pass *gcc_tables_pass(void)
{
	return new tables_pass;
}

/* R (SHF_GNU_RETAIN) prevents GNU ld from dropping the section as garbage. */
static void print_symbols(const uint8_t *bytes, size_t size)
{
	if (!size)
		return;
	fputs("\t.pushsection .spoor_symbols,\"R\",%progbits\n", asm_out_file);
	default_elf_asm_output_ascii(asm_out_file, (const char *)bytes, size);
	end_section();
}

/* The note SPOOR_NOTE_ASLEEP. */
static void print_asleep(uint32_t what)
{
	if (!what || !has_main)
		return;
	fprintf(asm_out_file, "\t.pushsection .note.spoor.asleep,\"aR\",%%note\n\t.p2align 2\n"
		"\t.long %u, 4, %d\n\t.asciz \"%s\"\n\t.p2align 2\n\t.long %u\n",
		(unsigned)sizeof SPOOR_NOTE_OWNER, SPOOR_NOTE_ASLEEP, SPOOR_NOTE_OWNER, what);
	end_section();
}

void gcc_tables_finish(void)
{
	struct spoor_fault fault;
	uint8_t *bytes = NULL;
	uint32_t unit;
	size_t size;

	if (!gcc_unit_count() || !asm_out_file || flag_syntax_only || seen_error())
		return;
	if (gcc_unit_finish(&unit, &bytes, &size, &fault) < 0) {
		error("spoor: %s", fault.text);
		return;
	}
	fprintf(asm_out_file, "\t.set .Lspoor_unit, %u\n", unit);
	if (gcc_marks_are_used())
		gcc_target_print_helpers(asm_out_file);
	if (gcc_unit_is_instrumented()) {
		print_asleep(gcc_unit_asleep());
		print_symbols(bytes, size);
	}
	free(bytes);
}
