/* SPDX-License-Identifier: MIT */
/* operand_value.h - what an operand of a static tracepoint is when a thread is there. */
#ifndef SPOOR_OPERAND_VALUE_H
#define SPOOR_OPERAND_VALUE_H

#include "elf/sdt_operand.h"

#define SDT_GENERAL_REGISTERS 32u
#define SDT_VECTOR_REGISTERS 32u

/* The thread's registers, by the order of their DWARF numbers. */
struct sdt_state {
	uint64_t general[SDT_GENERAL_REGISTERS];	/* of AArch64 the last one is sp */
	uint64_t vectors[SDT_VECTOR_REGISTERS];		/* their lower 64 bits */
	/* Return: whether there is memory at [@address, @address + @bytes), which is copied to @to. */
	bool (*read)(const struct sdt_state *state, uint64_t address, void *to, size_t bytes);
};

/*
 * sdt_operand_place - puts the address of the operand's symbol in, where it has one.
 * @address: of the symbol, where it was loaded
 */
void sdt_operand_place(struct sdt_operand *operand, uint64_t address);

/* Whether the operand has a value: no register is unknown, and no symbol is left. */
bool sdt_operand_is_placed(const struct sdt_operand *operand, uint16_t machine);

/*
 * sdt_value - the lowest `size` bytes of @value are what the operand, which is placed, is then;
 * the others are 0.
 *
 * Return: false where it is in memory that there is not. Context: any.
 */
bool sdt_value(const struct sdt_operand *operand, uint16_t machine, const struct sdt_state *state, uint64_t *value);

#endif
