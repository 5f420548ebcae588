/* SPDX-License-Identifier: MIT */
/*
 * gcc_target_aarch64.cc - sleds of GCC on AArch64. libspoor/format/sled_aarch64.h explains the bytes.
 *
 * Each sled is a branch over seven nops, one instruction a line, since GCC counts lines to know how far branches
 * reach. The sled of a return precedes the return.
 */
#include "pass/gcc/gcc_target.h"

#include "pass/gcc/gcc_function.h"

static const char sled_text[] = "\t.inst 0x14000008\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop";

bool gcc_target_is_supported(const char **why)
{
	*why = TARGET_ILP32 ? "ILP32" : "big-endian code";
	if (TARGET_ILP32 || TARGET_BIG_END)
		return false;
	*why = "code of this size (-mcmodel=large)";
	return aarch64_cmodel != AARCH64_CMODEL_LARGE;
}

/* Functions with other vector conventions expect their caller's vector registers to survive calls. */
const char *gcc_target_reason_against(tree decl)
{
	if (fndecl_abi(decl).id() != ARM_PCS_AAPCS64)
		return "its calling convention leaves no room for a sled";
	return NULL;
}

const char *gcc_target_reason_against_code(const std::vector<rtx_insn *> &)
{
	return NULL;
}

spoor_sled_kind gcc_target_exit_kind(rtx_insn *exit)
{
	return CALL_P(exit) ? SPOOR_SLED_TAIL : SPOOR_SLED_EXIT;
}

const char *gcc_target_sled(spoor_sled_kind, bool)
{
	return sled_text;
}

bool gcc_target_sled_returns(void)
{
	return false;
}

const char *gcc_target_alignment(void)
{
	return "";
}

/* A handler may change vector registers, except those that pass arguments or results. */
std::vector<rtx> gcc_target_clobbers(spoor_sled_kind kind)
{
	std::vector<rtx> registers;

	if (kind == SPOOR_SLED_TAIL)
		return registers;
	registers.push_back(gen_rtx_REG(DImode, R16_REGNUM));
	registers.push_back(gen_rtx_REG(DImode, R17_REGNUM));
	if (kind == SPOOR_SLED_ENTRY && TARGET_FLOAT)
		for (int number = V16_REGNUM; number <= V31_REGNUM; number++)
			registers.push_back(gen_rtx_REG(V4SImode, number));
	return registers;
}

rtx_insn *gcc_target_landing_pad(rtx_insn *first)
{
	while (first && !active_insn_p(first) && !LABEL_P(first))
		first = NEXT_INSN(first);
	return first && NONJUMP_INSN_P(first) && GET_CODE(PATTERN(first)) == UNSPEC_VOLATILE &&
	       XINT(PATTERN(first), 1) == UNSPECV_BTI_C ? first : NULL;
}

/* If the function signs its return address first, that instruction is the pad, and the sled precedes it. */
const char *gcc_target_own_pad(bool has_pad)
{
	return aarch64_bti_enabled() && !has_pad ? "\thint 34\n" : NULL;
}

const char *gcc_target_begin(void)
{
	return NULL;
}

bool gcc_target_maps_entries(void)
{
	return true;
}

void gcc_target_align(tree)
{
}

/*
 * ldr w16, 1f; adr x17, 1f; ldrb w16, [x17, w16, sxtw]; cbnz w16, body
 * ldrsw x16, 2f; add x16, x16, x17; br x16; 1: .word byte - 1b; 2: .word thunk - 1b; body:
 */
void gcc_target_write_first_run(char *text, size_t room, unsigned number, tree)
{
	snprintf(text, room, "\t.inst 0x180000f0\n\t.inst 0x100000d1\n\t.inst 0x3870ca30\n\t.inst 0x350000d0\n"
		 "\t.inst 0x98000090\n\t.inst 0x8b110210\n\t.inst 0xd61f0200\n"
		 "\t.word .Lspoor_%u_s - .\n\t.hidden spoor_dso_thunk_first\n\t.word spoor_dso_thunk_first - . + 4", number);
}

std::vector<rtx> gcc_target_first_run_clobbers(void)
{
	return {gen_rtx_REG(DImode, R16_REGNUM), gen_rtx_REG(DImode, R17_REGNUM)};
}

bool gcc_target_is_vector_register(unsigned number)
{
	return FP_REGNUM_P(number);
}

bool gcc_target_is_brain_float(machine_mode mode)
{
	return mode == BFmode;
}

/* The alignment by which GCC places an argument, in bits: of its fields, not of the whole. */
static unsigned alignment_of(tree type)
{
	unsigned most = 8;

	if (TREE_CODE(type) == ARRAY_TYPE)
		return TYPE_ALIGN(TREE_TYPE(type));
	if (!RECORD_OR_UNION_TYPE_P(type))
		return TYPE_ALIGN(TYPE_MAIN_VARIANT(type));
	for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
		if (TREE_CODE(field) == FIELD_DECL)
			most = MAX(most, DECL_ALIGN(field));
	return most;
}

/* Alignment to 16 bytes is alignment to an even register. */
void gcc_target_put_pair(signature_record *record, tree type)
{
	if (alignment_of(type) >= 128) {
		signature_put_two(record, SPOOR_SIGNATURE_INTEGER, 128);
		return;
	}
	signature_put_two(record, SPOOR_SIGNATURE_ARRAY, 2);
	signature_put_two(record, SPOOR_SIGNATURE_INTEGER, 64);
	signature_put_two(record, SPOOR_SIGNATURE_INTEGER, 64);
}

static bool has_vectors(tree type)
{
	if (TREE_CODE(type) == ARRAY_TYPE)
		return has_vectors(TREE_TYPE(type));
	if (!RECORD_OR_UNION_TYPE_P(type))
		return VECTOR_TYPE_P(type);
	for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
		if (TREE_CODE(field) == FIELD_DECL && has_vectors(TREE_TYPE(field)))
			return true;
	return false;
}

/* Counts the real numbers of a type. Returns -1 if it has something else, or numbers of different modes. */
static HOST_WIDE_INT count_reals(tree type, machine_mode *mode)
{
	HOST_WIDE_INT count = 0;

	if (SCALAR_FLOAT_TYPE_P(type) || TREE_CODE(type) == COMPLEX_TYPE) {
		machine_mode own = TYPE_MODE(TREE_CODE(type) == COMPLEX_TYPE ? TREE_TYPE(type) : type);

		if (!SCALAR_FLOAT_MODE_P(own) || DECIMAL_FLOAT_MODE_P(own) || (*mode != VOIDmode && *mode != own))
			return -1;
		*mode = own;
		return TREE_CODE(type) == COMPLEX_TYPE ? 2 : 1;
	}
	if (TREE_CODE(type) == ARRAY_TYPE) {
		HOST_WIDE_INT bytes = int_size_in_bytes(TREE_TYPE(type));

		/* An array without elements, or of unknown size, is in no such structure. */
		count = count_reals(TREE_TYPE(type), mode);
		return count < 0 || bytes <= 0 || int_size_in_bytes(type) <= 0 ? -1 : count * (int_size_in_bytes(type) / bytes);
	}
	if (!RECORD_OR_UNION_TYPE_P(type))
		return -1;
	for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field)) {
		HOST_WIDE_INT more;

		if (TREE_CODE(field) != FIELD_DECL || (DECL_SIZE(field) && integer_zerop(DECL_SIZE(field)) &&
						       (DECL_BIT_FIELD(field) || RECORD_OR_UNION_TYPE_P(TREE_TYPE(field)))))
			continue;
		more = count_reals(TREE_TYPE(field), mode);
		if (more < 0)
			return -1;
		count = TREE_CODE(type) == RECORD_TYPE ? count + more : MAX(count, more);
	}
	return count;
}

/* Puts an array of at most four real numbers of one mode, without padding. Returns false if the type is none. */
static bool put_reals(signature_record *record, tree type)
{
	machine_mode mode = VOIDmode;
	HOST_WIDE_INT count = count_reals(type, &mode);

	if (count < 1 || count > 4 || int_size_in_bytes(type) != count * (HOST_WIDE_INT)GET_MODE_SIZE(as_a<scalar_mode>(mode)))
		return false;
	/* An array has the alignment of its numbers, or of a word. */
	if (alignment_of(type) > MAX(64, GET_MODE_BITSIZE(as_a<scalar_mode>(mode)))) {
		signature_put(record, SPOOR_SIGNATURE_OTHER);
		return true;
	}
	signature_put_two(record, SPOOR_SIGNATURE_ARRAY, (unsigned)count);
	for (HOST_WIDE_INT i = 0; i < count; i++) {
		if (gcc_target_is_brain_float(mode))
			signature_put(record, SPOOR_SIGNATURE_BFLOAT);
		else
			signature_put_two(record, SPOOR_SIGNATURE_REAL, GET_MODE_PRECISION(as_a<scalar_float_mode>(mode)));
	}
	return true;
}

/* An argument on the stack leaves no register of its kind for later arguments. An array says so. */
void gcc_target_put_memory(signature_record *record, tree type)
{
	HOST_WIDE_INT size = int_size_in_bytes(type);

	if (put_reals(record, type))
		return;
	if ((INTEGRAL_TYPE_P(type) && size <= 16) ||
	    (size == 16 && alignment_of(type) >= 128 && AGGREGATE_TYPE_P(type) && !has_vectors(type))) {
		signature_put_two(record, SPOOR_SIGNATURE_INTEGER, 128);
	} else if (AGGREGATE_TYPE_P(type) && size <= 16 && !has_vectors(type)) {
		signature_put_two(record, SPOOR_SIGNATURE_ARRAY, (unsigned)((size + 7) / 8));
		for (HOST_WIDE_INT at = 0; at < size; at += 8)
			signature_put_two(record, SPOOR_SIGNATURE_INTEGER, 64);
	} else {
		signature_put(record, SPOOR_SIGNATURE_OTHER);
	}
}

static const char helpers[] =
	"\t.pushsection .text.spoor_gcc_unwound,\"axG\",%progbits,spoor_gcc_unwound,comdat\n"
	"\t.p2align 2\n"
	"\t.weak spoor_gcc_unwound, spoor_gcc_set_jump, spoor_dso_unwound\n"
	"\t.hidden spoor_gcc_unwound, spoor_gcc_set_jump\n"
	"\t.type spoor_gcc_set_jump, %function\n"
	"\t.type spoor_gcc_unwound, %function\n"
	"spoor_gcc_set_jump:\n"
	"\t.cfi_startproc\n"
	"\tcbz w1, 1f\n"
	"\tmov x1, 0\n"
	"spoor_gcc_unwound:\n"
	"\tadrp x16, :got:spoor_dso_unwound\n"
	"\tldr x16, [x16, :got_lo12:spoor_dso_unwound]\n"
	"\torr x0, x0, x1\n"
	"\tcbz x16, 1f\n"
	"\tbr x16\n"
	"1:\tret\n"
	"\t.cfi_endproc\n"
	"\t.size spoor_gcc_unwound, . - spoor_gcc_unwound\n"
	"\t.size spoor_gcc_set_jump, . - spoor_gcc_set_jump\n"
	"\t.popsection\n";

void gcc_target_print_helpers(FILE *file)
{
	fputs(helpers, file);
}
