/* SPDX-License-Identifier: MIT */
/*
 * sdt_operand.h - where an argument of a static tracepoint is, as its note says it: SystemTap's
 * wiki, "UserSpaceProbeImplementation", and the assembler's operands.
 *
 *   -4@%eax   8@-16(%rbp,%rcx,8)   8@counter+8(%rip)   2@$42        x86-64
 *   -4@w0     8@[x29, 16]          8@[x0, w1, sxtw 3]  2@42         AArch64
 *
 * The number in front of @ is the size in bytes, with a minus where it has a sign, with an f
 * behind it for a real number; where there is none, it is a word of the machine.
 */
#ifndef SPOOR_SDT_OPERAND_H
#define SPOOR_SDT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SDT_NO_REGISTER 255u

/* Registers by their DWARF numbers. */
struct sdt_operand {
	const char *text;		/* the note's, behind @ */
	size_t length;
	uint8_t size;			/* 1, 2, 4 or 8 */
	bool has_sign, is_real;
	enum sdt_operand_kind {
		SDT_CONSTANT,		/* `number` */
		SDT_REGISTER,		/* `base`, from its bit `shift` on */
		SDT_MEMORY,		/* at base + (index << shift) + number + the symbol's address */
	} kind;
	uint8_t base, index, shift;
	bool index_is_word, index_has_sign;	/* of the index register 32 bits count */
	int64_t number;
	const char *symbol;		/* null: none */
	size_t symbol_length;
};

/*
 * sdt_operand_parse - the first operand of @text.
 * @machine: of the ELF header, EM_X86_64 or EM_AARCH64
 * @rest:    behind it and the blanks that follow
 *
 * Return: whether it can be read; if not, its text and length are there all the same.
 */
bool sdt_operand_parse(struct sdt_operand *operand, const char *text, uint16_t machine, const char **rest);

#endif
