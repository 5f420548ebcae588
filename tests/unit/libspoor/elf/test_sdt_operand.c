/* SPDX-License-Identifier: MIT */
/* test_sdt_operand.c - parses operands as gcc, clang and SystemTap's header write them, rejects other texts. */
#include "elf/sdt_operand.h"

#include <elf.h>
#include <string.h>

#include "tests/unit/support/unit.h"

static struct sdt_operand operand;

static void read_as(const char *text, uint16_t machine, int size, enum sdt_operand_kind kind)
{
	const char *rest;

	ck_assert_msg(sdt_operand_parse(&operand, text, machine, &rest), "%s cannot be read", text);
	ck_assert_msg(*rest == '\0', "%s: '%s' is left", text, rest);
	ck_assert_int_eq(operand.has_sign ? -operand.size : operand.size, size);
	ck_assert_int_eq(operand.kind, kind);
}

static void in_register(const char *text, uint16_t machine, int size, int number, int shift)
{
	read_as(text, machine, size, SDT_REGISTER);
	ck_assert_int_eq(operand.base, number);
	ck_assert_int_eq(operand.shift, shift);
}

static void is_constant(const char *text, uint16_t machine, int size, int64_t number)
{
	read_as(text, machine, size, SDT_CONSTANT);
	ck_assert_int_eq(operand.number, number);
}

static void in_memory(const char *text, uint16_t machine, int size, int base, int index, int shift, int64_t number)
{
	read_as(text, machine, size, SDT_MEMORY);
	ck_assert_int_eq(operand.base, base);
	ck_assert_int_eq(operand.index, index);
	ck_assert_int_eq(operand.shift, shift);
	ck_assert_int_eq(operand.number, number);
}

static void symbol_is(const char *symbol)
{
	ck_assert_ptr_nonnull(operand.symbol);
	ck_assert_uint_eq(operand.symbol_length, strlen(symbol));
	ck_assert_int_eq(memcmp(operand.symbol, symbol, operand.symbol_length), 0);
}

#define NONE SDT_NO_REGISTER

START_TEST(operands_of_x86_64)
{
	in_register("-4@%eax", EM_X86_64, -4, 0, 0);
	in_register("8@%rdi", EM_X86_64, 8, 5, 0);
	in_register("1@%ah", EM_X86_64, 1, 0, 8);
	in_register("1@%sil", EM_X86_64, 1, 4, 0);
	in_register("4@%r10d", EM_X86_64, 4, 10, 0);
	in_register("-2@%r15w", EM_X86_64, -2, 15, 0);
	in_register("8f@%xmm3", EM_X86_64, 8, 20, 0);
	ck_assert(operand.is_real);
	in_register("%r12", EM_X86_64, 8, 12, 0);
	is_constant("-4@$-1", EM_X86_64, -4, -1);
	is_constant("8@$0xffffffffffffffff", EM_X86_64, 8, -1);
	is_constant("1@$7", EM_X86_64, 1, 7);
	in_memory("8@-16(%rbp)", EM_X86_64, 8, 6, NONE, 0, -16);
	in_memory("8@(%rax)", EM_X86_64, 8, 0, NONE, 0, 0);
	in_memory("8@8(%rax,%rcx,4)", EM_X86_64, 8, 0, 2, 2, 8);
	in_memory("8@(%rax,%r9)", EM_X86_64, 8, 0, 9, 0, 0);
	in_memory("8@(,%rcx,8)", EM_X86_64, 8, NONE, 2, 3, 0);
	in_memory("-4@counter+8(%rip)", EM_X86_64, -4, 16, NONE, 0, 8);
	symbol_is("counter");
	in_memory("-4@8+counter(%rip)", EM_X86_64, -4, 16, NONE, 0, 8);
	symbol_is("counter");
	in_memory("-4@_ZL1x.0-4+2(%rip)", EM_X86_64, -4, 16, NONE, 0, -2);
	symbol_is("_ZL1x.0");
	in_memory("4@table", EM_X86_64, 4, NONE, NONE, 0, 0);
	symbol_is("table");
	in_memory("4@4096", EM_X86_64, 4, NONE, NONE, 0, 4096);
}
END_TEST

START_TEST(operands_of_aarch64)
{
	in_register("-4@w0", EM_AARCH64, -4, 0, 0);
	in_register("8@x30", EM_AARCH64, 8, 30, 0);
	in_register("8@sp", EM_AARCH64, 8, 31, 0);
	in_register("8f@d9", EM_AARCH64, 8, 73, 0);
	is_constant("-4@-7", EM_AARCH64, -4, -7);
	is_constant("2@#42", EM_AARCH64, 2, 42);
	in_memory("8@[sp]", EM_AARCH64, 8, 31, NONE, 0, 0);
	in_memory("8@[x29, 16]", EM_AARCH64, 8, 29, NONE, 0, 16);
	in_memory("8@[x29,#-16]", EM_AARCH64, 8, 29, NONE, 0, -16);
	in_memory("8@[x0, x1]", EM_AARCH64, 8, 0, 1, 0, 0);
	in_memory("8@[x0, x1, lsl 3]", EM_AARCH64, 8, 0, 1, 3, 0);
	ck_assert(!operand.index_is_word);
	in_memory("4@[x0, w1, sxtw 2]", EM_AARCH64, 4, 0, 1, 2, 0);
	ck_assert(operand.index_is_word && operand.index_has_sign);
	in_memory("4@[x0, w1, uxtw]", EM_AARCH64, 4, 0, 1, 0, 0);
	ck_assert(operand.index_is_word && !operand.index_has_sign);
}
END_TEST

START_TEST(several_operands_are_read_in_their_order)
{
	const char *rest = "8@[x0, 8]  -4@w1 2@3 ";
	int sizes[] = { 8, -4, 2 };

	for (int i = 0; i < 3; i++) {
		ck_assert(sdt_operand_parse(&operand, rest, EM_AARCH64, &rest));
		ck_assert_int_eq(operand.has_sign ? -operand.size : operand.size, sizes[i]);
	}
	ck_assert_int_eq(*rest, '\0');
}
END_TEST

START_TEST(other_operands_are_rejected)
{
	static const char *const wrong[] = {
		"", "@", "8@", "3@%eax", "16@%rax", "-@%eax", "8@%", "8@%rex", "8@%r7", "8@%r16", "8@%r12x", "8@%eaxx", "8@%fs:0",
		"8@%rip", "8@$", "8@$1x", "8@-16(%rbp", "8@(%rbp)x", "8@(%ebp)", "8@(%rax,%rcx,3)", "8@(%rax,)", "8@()(%rax)",
		"2f@%xmm0", "8@%xmm16", "8@a+b(%rip)", "f@%rax", "8@8@%rax", "8@[x0]",
	};
	static const char *const wrong_on_arm[] = {
		"8@%rax", "8@[x31]", "8@[x0", "8@[w0]", "8@[x0, ]", "8@[x0, x1, lsl]x", "8@[x0, x1, ror 3]",
		"8@[x0, w1, sxtw 9]", "8@[d0]", "8@[sp, sp]",
	};
	const char *rest;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(!sdt_operand_parse(&operand, wrong[i], EM_X86_64, &rest), "%s is read", wrong[i]);
	for (size_t i = 0; i < sizeof(wrong_on_arm) / sizeof(*wrong_on_arm); i++)
		ck_assert_msg(!sdt_operand_parse(&operand, wrong_on_arm[i], EM_AARCH64, &rest), "%s is read", wrong_on_arm[i]);
	ck_assert(!sdt_operand_parse(&operand, "8@%rax", EM_386, &rest));
}
END_TEST

UNIT_MAIN("sdt_operand", operands_of_x86_64, operands_of_aarch64, several_operands_are_read_in_their_order,
	  other_operands_are_rejected)
