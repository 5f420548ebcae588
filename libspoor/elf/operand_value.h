/* SPDX-License-Identifier: MIT */
/* operand_value.h - computes the value of a static tracepoint's operand when a thread reaches it. */
#ifndef SPOOR_OPERAND_VALUE_H
#define SPOOR_OPERAND_VALUE_H

#include "elf/sdt_operand.h"

#define SDT_GENERAL_REGISTERS 32u
#define SDT_VECTOR_REGISTERS 32u

/* The thread's registers, in the order of their DWARF numbers. */
struct sdt_state {
	uint64_t general[SDT_GENERAL_REGISTERS];	/* AArch64: the last one is sp */
	uint64_t vectors[SDT_VECTOR_REGISTERS];		/* the lower 64 bits of each */
	/* Copies [@address, @address + @bytes) to @to. Returns whether there is such memory. */
	bool (*read)(const struct sdt_state *state, uint64_t address, void *to, size_t bytes);
};

/*
 * sdt_operand_place - replaces the operand's symbol by its address.
 * @address: of the loaded symbol; 0 if the operand has no symbol
 */
void sdt_operand_place(struct sdt_operand *operand, uint64_t address);

/* Tells if the operand can be computed: it has no unknown register, and no symbol. */
bool sdt_operand_is_placed(const struct sdt_operand *operand, uint16_t machine);

/*
 * sdt_value - computes an operand that is placed.
 * @value: out: the operand in the lowest `size` bytes; the other bytes are 0
 *
 * Return: false if the operand is in memory that does not exist. Context: any.
 */
bool sdt_value(const struct sdt_operand *operand, uint16_t machine, const struct sdt_state *state, uint64_t *value);

#endif
