/* SPDX-License-Identifier: MIT */
/* test_operand_value.c - the value of an operand comes from the registers and the memory of its machine. */
#include "elf/operand_value.h"

#include <elf.h>
#include <string.h>

#include "tests/unit/support/unit.h"

static uint8_t memory[64];

/* The memory begins at address 4096. */
static bool read_memory(const struct sdt_state *state, uint64_t address, void *to, size_t bytes)
{
	(void)state;
	if (address < 4096 || address - 4096 > sizeof(memory) - bytes)
		return false;
	memcpy(to, memory + (address - 4096), bytes);
	return true;
}

static struct sdt_state state;

static void set_up(void)
{
	state.read = read_memory;
	for (unsigned int i = 0; i < SDT_GENERAL_REGISTERS; i++)
		state.general[i] = 0x1122334455667700 + i;
	for (unsigned int i = 0; i < SDT_VECTOR_REGISTERS; i++)
		state.vectors[i] = 0xaabbccdd00000000 + i;
	for (unsigned int i = 0; i < sizeof(memory); i++)
		memory[i] = (uint8_t)(i + 1);
	state.general[3] = 4096;
	state.general[12] = (uint64_t)-2;
	state.general[29] = 4096 + 16;
	state.general[31] = 4096 + 32;
}

static bool value_of(const char *text, uint16_t machine, uint64_t *value)
{
	struct sdt_operand operand;
	const char *rest;

	set_up();
	ck_assert_msg(sdt_operand_parse(&operand, text, machine, &rest), "%s", text);
	if (operand.symbol)
		sdt_operand_place(&operand, 4096 + 8);
	ck_assert_msg(sdt_operand_is_placed(&operand, machine), "%s", text);
	return sdt_value(&operand, machine, &state, value);
}

static void is(const char *text, uint16_t machine, uint64_t wanted)
{
	uint64_t value = 1;

	ck_assert_msg(value_of(text, machine, &value), "%s has no value", text);
	ck_assert_msg(value == wanted, "%s is %#llx", text, (unsigned long long)value);
}

START_TEST(x86_64_has_registers_constants_and_memory)
{
	is("8@%rax", EM_X86_64, 0x1122334455667700);
	is("-4@%edx", EM_X86_64, 0x55667701);
	is("1@%ah", EM_X86_64, 0x77);
	is("2@%r15w", EM_X86_64, 0x770f);
	is("8f@%xmm5", EM_X86_64, 0xaabbccdd00000005);
	is("4f@%xmm15", EM_X86_64, 15);
	is("-4@$-3", EM_X86_64, 0xfffffffd);
	is("8@$-3", EM_X86_64, (uint64_t)-3);
	is("4@(%rbx)", EM_X86_64, 0x04030201);
	is("2@10(%rbx,%r12,2)", EM_X86_64, 0x0807);
	is("1@counter(%rip)", EM_X86_64, 9);
	is("1@4+counter(%rip)", EM_X86_64, 13);
}
END_TEST

START_TEST(aarch64_has_registers_constants_and_memory)
{
	is("8@x30", EM_AARCH64, 0x112233445566771e);
	is("-4@w1", EM_AARCH64, 0x55667701);
	is("8f@d31", EM_AARCH64, 0xaabbccdd0000001f);
	is("4f@s2", EM_AARCH64, 2);
	is("-4@7", EM_AARCH64, 7);
	is("4@[x29]", EM_AARCH64, 0x14131211);
	is("1@[sp, 1]", EM_AARCH64, 34);
	is("2@[x29, w12, sxtw 1]", EM_AARCH64, 0x0e0d);
	is("8@sp", EM_AARCH64, 4096 + 32);
}
END_TEST

START_TEST(an_operand_in_unreadable_memory_has_no_value)
{
	uint64_t value = 1;

	ck_assert(!value_of("8@(%rax)", EM_X86_64, &value));
	ck_assert_uint_eq(value, 0);
	ck_assert(!value_of("8@60(%rbx)", EM_X86_64, &value));
	ck_assert(!value_of("4@[x0, x1, lsl 3]", EM_AARCH64, &value));
}
END_TEST

START_TEST(operands_without_a_known_address_are_not_placed)
{
	static const char *const texts[] = { "8@8(%rip)", "8@counter(%rip)" };
	struct sdt_operand operand;
	const char *rest;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		ck_assert(sdt_operand_parse(&operand, texts[i], EM_X86_64, &rest));
		ck_assert_msg(!sdt_operand_is_placed(&operand, EM_X86_64), "%s", texts[i]);
	}
	ck_assert(sdt_operand_parse(&operand, "8@%rax", EM_X86_64, &rest));
	ck_assert(!sdt_operand_is_placed(&operand, EM_386));
}
END_TEST

UNIT_MAIN("operand_value", x86_64_has_registers_constants_and_memory,
	  aarch64_has_registers_constants_and_memory, an_operand_in_unreadable_memory_has_no_value,
	  operands_without_a_known_address_are_not_placed)
