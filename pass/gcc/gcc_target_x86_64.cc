/* SPDX-License-Identifier: MIT */
/*
 * gcc_target_x86_64.cc - sleds of GCC on x86-64. libspoor/format/sled_x86_64.h explains the bytes.
 *
 * The sled of a return is the return. Bytes are used for instructions, since the assembly may be in Intel's syntax.
 */
#include "pass/gcc/gcc_target.h"

#include "pass/gcc/gcc_function.h"

static const char entry_text[] = "\t.byte 0x66,0x66,0x2e,0x0f,0x1f,0x84,0,0,0,0,0";
/* Tools of XRay know the sleds in the map by this form, a jump. */
static const char mapped_entry_text[] = "\t.byte 0xeb,9,0x66,0x0f,0x1f,0x84,0,0,2,0,0";
static const char exit_text[] = "\t.byte 0xc3,0x2e,0x66,0x0f,0x1f,0x84,0,0,2,0,0";
/* -mharden-sls=return: an int3 stops processors that execute the code after the return speculatively. */
static const char hardened_exit_text[] = "\t.byte 0xc3,0x2e,0x66,0x0f,0x1f,0x84,0,0,2,0,0,0xcc";
static const char tail_text[] = "\t.byte 0xeb,9,0x66,0x0f,0x1f,0x84,0,0,2,0,0";

bool gcc_target_is_supported(const char **why)
{
	*why = TARGET_X32 ? "x32" : "i386";
	if (!TARGET_64BIT || TARGET_X32)
		return false;
	*why = "code of this size (-mcmodel=large)";
	return ix86_cmodel != CM_LARGE && ix86_cmodel != CM_LARGE_PIC;
}

const char *gcc_target_reason_against(tree decl)
{
	if (gcc_function_has(decl, "interrupt") || gcc_function_has(decl, "no_caller_saved_registers") ||
	    gcc_function_has(decl, "preserve_none") || cfun->machine->call_abi == MS_ABI)
		return "its calling convention leaves no room for a sled";
	if (gcc_function_has(decl, "ms_hook_prologue"))
		return "it has a patchable entry of another kind";
	return NULL;
}

static bool returns_by_jump(void)
{
	return cfun->machine->function_return_type != indirect_branch_keep;
}

/* Tells if the code of a thunk replaces the jump, so that the runtime cannot check the jump. */
static bool is_inline_thunk(rtx_insn *exit)
{
	rtx call;

	if (JUMP_P(exit))
		return cfun->machine->function_return_type == indirect_branch_thunk_inline;
	if (cfun->machine->indirect_branch_type != indirect_branch_thunk_inline)
		return false;
	call = get_call_rtx_from(exit);
	return !call || GET_CODE(XEXP(XEXP(call, 0), 0)) != SYMBOL_REF;
}

/*
 * Tells if a tail call may jump through a word of the function's own frame. An awake sled writes below the stack
 * pointer, where such a frame (a leaf's red zone) then is.
 */
static bool may_jump_through_frame(rtx_insn *exit)
{
	rtx call;

	if (JUMP_P(exit) || !crtl->is_leaf || known_eq(get_frame_size(), 0))
		return false;
	call = get_call_rtx_from(exit);
	return !call || MEM_P(XEXP(XEXP(call, 0), 0));
}

const char *gcc_target_reason_against_code(const std::vector<rtx_insn *> &exits)
{
	for (rtx_insn *exit : exits) {
		if (is_inline_thunk(exit))
			return "its exits are not jumps (thunk-inline)";
		if (may_jump_through_frame(exit))
			return "a tail call may jump through its own stack frame";
	}
	return NULL;
}

spoor_sled_kind gcc_target_exit_kind(rtx_insn *exit)
{
	return CALL_P(exit) || returns_by_jump() ? SPOOR_SLED_TAIL : SPOOR_SLED_EXIT;
}

const char *gcc_target_sled(spoor_sled_kind kind, bool is_mapped)
{
	switch (kind) {
	case SPOOR_SLED_ENTRY:
		return is_mapped ? mapped_entry_text : entry_text;
	case SPOOR_SLED_EXIT:
		return ix86_harden_sls & harden_sls_return ? hardened_exit_text : exit_text;
	default:
		return tail_text;
	}
}

bool gcc_target_sled_returns(void)
{
	return true;
}

/* The byte before a sled at an odd address is a prefix without effect (cs), not an instruction of its own that each
 * return would execute. */
const char *gcc_target_alignment(void)
{
	return "\t.p2align 1,0x2e\n";
}

/* A handler may change vector registers, except those that pass arguments or results. */
std::vector<rtx> gcc_target_clobbers(spoor_sled_kind kind)
{
	std::vector<rtx> registers = {gen_rtx_REG(CCmode, FLAGS_REG)};

	if (kind != SPOOR_SLED_ENTRY)
		return registers;
	registers.push_back(gen_rtx_REG(DImode, R11_REG));
	if (TARGET_SSE)
		for (int number = FIRST_REX_SSE_REG; number <= LAST_REX_SSE_REG; number++)
			registers.push_back(gen_rtx_REG(V4SFmode, number));
	if (TARGET_AVX512F) {
		for (int number = FIRST_EXT_REX_SSE_REG; number <= LAST_EXT_REX_SSE_REG; number++)
			registers.push_back(gen_rtx_REG(V4SFmode, number));
		for (int number = FIRST_MASK_REG; number <= LAST_MASK_REG; number++)
			registers.push_back(gen_rtx_REG(HImode, number));
	}
	return registers;
}

rtx_insn *gcc_target_landing_pad(rtx_insn *first)
{
	while (first && !active_insn_p(first) && !LABEL_P(first))
		first = NEXT_INSN(first);
	return first && NONJUMP_INSN_P(first) && GET_CODE(PATTERN(first)) == UNSPEC_VOLATILE &&
	       XINT(PATTERN(first), 1) == UNSPECV_NOP_ENDBR ? first : NULL;
}

const char *gcc_target_own_pad(bool)
{
	return NULL;
}

/* -mfentry: GCC prints a landing pad and a call, with the label 1 at the call. */
const char *gcc_target_begin(void)
{
	if (!crtl->profile || !flag_fentry)
		return NULL;
	return cfun->machine->insn_queued_at_entrance == TYPE_ENDBR ? "1b - 4" : "1b";
}

bool gcc_target_maps_entries(void)
{
	return false;
}

/* The runtime switches the head of a sled by one store of two bytes. */
void gcc_target_align(tree decl)
{
	if (DECL_ALIGN(decl) < 2 * BITS_PER_UNIT)
		SET_DECL_ALIGN(decl, 2 * BITS_PER_UNIT);
}

/*
 * cmpb $0, byte(%rip); je call; lea distance(%rax,%rbp,8), %eax. The call is the last five bytes of the lea. With
 * variable arguments, al is in use: cmpb $0, byte(%rip); jne body; xchg %ax, %ax; call thunk; body:
 */
void gcc_target_write_first_run(char *text, size_t room, unsigned number, tree decl)
{
	snprintf(text, room, "\t.byte 0x80,0x3d\n\t.long .Lspoor_%u_s - . - 5\n\t.byte 0,%s,0xe8\n"
		 "\t.hidden spoor_dso_thunk_first\n\t.long spoor_dso_thunk_first - . - 4",
		 number, stdarg_p(TREE_TYPE(decl)) ? "0x75,7,0x66,0x90" : "0x74,2,0x8d,0x84");
}

std::vector<rtx> gcc_target_first_run_clobbers(void)
{
	return {gen_rtx_REG(CCmode, FLAGS_REG), gen_rtx_REG(DImode, AX_REG), gen_rtx_REG(DImode, R11_REG)};
}

bool gcc_target_is_vector_register(unsigned number)
{
	return !GENERAL_REGNO_P(number);	/* the x87 registers, too */
}

bool gcc_target_is_brain_float(machine_mode mode)
{
	return strcmp(GET_MODE_NAME(mode), "BF") == 0;
}

void gcc_target_put_pair(signature_record *record, tree)
{
	signature_put_two(record, SPOOR_SIGNATURE_STRUCT, 2);
	signature_put_two(record, SPOOR_SIGNATURE_INTEGER, 64);
	signature_put_two(record, SPOOR_SIGNATURE_INTEGER, 64);
}

/* Nothing on the stack takes the place of a register that is left. */
void gcc_target_put_memory(signature_record *record, tree type)
{
	signature_put_byval(record, int_size_in_bytes(type), MAX(TYPE_ALIGN_UNIT(type), UNITS_PER_WORD));
}

/* The return address is just below the canonical frame address. The stub's thunk has no landing pad: notrack. */
static const char helpers[] =
	"\t.pushsection .text.spoor_gcc_unwound,\"axG\",@progbits,spoor_gcc_unwound,comdat\n"
	"\t.weak spoor_gcc_unwound, spoor_gcc_set_jump, spoor_dso_unwound\n"
	"\t.hidden spoor_gcc_unwound, spoor_gcc_set_jump\n"
	"\t.type spoor_gcc_set_jump, @function\n"
	"\t.type spoor_gcc_unwound, @function\n"
	"spoor_gcc_set_jump:\n"
	"\t.cfi_startproc\n"
	"\ttestl %esi, %esi\n"
	"\tje 1f\n"
	"\txorl %esi, %esi\n"
	"spoor_gcc_unwound:\n"
	"\tmovq spoor_dso_unwound@GOTPCREL(%rip), %r11\n"
	"\tleaq -8(%rdi), %rdi\n"
	"\torq %rsi, %rdi\n"
	"\ttestq %r11, %r11\n"
	"\tje 1f\n"
	"\tnotrack jmp *%r11\n"
	"1:\tret\n"
	"\t.cfi_endproc\n"
	"\t.size spoor_gcc_unwound, . - spoor_gcc_unwound\n"
	"\t.size spoor_gcc_set_jump, . - spoor_gcc_set_jump\n"
	"\t.popsection\n";

void gcc_target_print_helpers(FILE *file)
{
	bool intel = ix86_asm_dialect == ASM_INTEL;

	fprintf(file, "%s%s%s", intel ? "\t.att_syntax prefix\n" : "", helpers, intel ? "\t.intel_syntax noprefix\n" : "");
}
