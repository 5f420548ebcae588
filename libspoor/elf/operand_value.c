/* SPDX-License-Identifier: MIT */
/* operand_value.c - computes operands of static tracepoints from registers and memory. */
#include "elf/operand_value.h"

#include <elf.h>

/* Register numbers of DWARF: psABI for x86-64, "DWARF Register Number Mapping"; AADWARF64, "DWARF register
 * names". */
enum { X86_64_GENERAL = 16, X86_64_RIP = 16, X86_64_VECTOR = 17, X86_64_VECTORS = 16,
       AARCH64_GENERAL = 32, AARCH64_VECTOR = 64, AARCH64_VECTORS = 32 };

static unsigned int generals(uint16_t machine)
{
	return machine == EM_X86_64 ? X86_64_GENERAL : AARCH64_GENERAL;
}

static unsigned int first_vector(uint16_t machine)
{
	return machine == EM_X86_64 ? X86_64_VECTOR : AARCH64_VECTOR;
}

static bool is_vector(unsigned int number, uint16_t machine)
{
	return number - first_vector(machine) < (unsigned int)(machine == EM_X86_64 ? X86_64_VECTORS : AARCH64_VECTORS);
}

void sdt_operand_place(struct sdt_operand *operand, uint64_t address)
{
	operand->number = (int64_t)((uint64_t)operand->number + address);
	operand->symbol = NULL;
	operand->symbol_length = 0;
	/* "counter(%rip)" is the address of counter itself. */
	if (operand->kind == SDT_MEMORY && operand->base == X86_64_RIP)
		operand->base = SDT_NO_REGISTER;
}

bool sdt_operand_is_placed(const struct sdt_operand *operand, uint16_t machine)
{
	if (operand->symbol || (machine != EM_X86_64 && machine != EM_AARCH64))
		return false;
	if (operand->kind == SDT_REGISTER)
		return operand->base < generals(machine) || (is_vector(operand->base, machine) && operand->size >= 4);
	return operand->kind == SDT_CONSTANT ||
	       ((operand->base == SDT_NO_REGISTER || operand->base < generals(machine)) &&
		(operand->index == SDT_NO_REGISTER || operand->index < generals(machine)));
}

static uint64_t address_of(const struct sdt_operand *operand, const struct sdt_state *state)
{
	uint64_t address = (uint64_t)operand->number;

	if (operand->base != SDT_NO_REGISTER)
		address += state->general[operand->base];
	if (operand->index != SDT_NO_REGISTER) {
		uint64_t index = state->general[operand->index];

		if (operand->index_is_word)
			index = operand->index_has_sign ? (uint64_t)(int64_t)(int32_t)index : (uint32_t)index;
		address += index << operand->shift;
	}
	return address;
}

bool sdt_value(const struct sdt_operand *operand, uint16_t machine, const struct sdt_state *state, uint64_t *value)
{
	*value = 0;
	switch (operand->kind) {
	case SDT_CONSTANT:
		*value = (uint64_t)operand->number;
		break;
	case SDT_REGISTER:
		*value = is_vector(operand->base, machine) ? state->vectors[operand->base - first_vector(machine)]
							   : state->general[operand->base] >> operand->shift;
		break;
	case SDT_MEMORY:
		if (!state->read(state, address_of(operand, state), value, operand->size)) {
			*value = 0;
			return false;
		}
		break;
	}
	if (operand->size < 8)
		*value &= (1ull << 8 * operand->size) - 1;
	return true;
}
