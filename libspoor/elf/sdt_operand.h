/* SPDX-License-Identifier: MIT */
/*
 * sdt_operand.h - parses where an argument of a static tracepoint is, from the text of its note:
 * SystemTap's wiki, "UserSpaceProbeImplementation", and the assembler's operands.
 *
 *   -4@%eax   8@-16(%rbp,%rcx,8)   8@counter+8(%rip)   2@$42        x86-64
 *   -4@w0     8@[x29, 16]          8@[x0, w1, sxtw 3]  2@42         AArch64
 *
 * The number before @ is the size in bytes. A minus means a signed number, and an f after the size a
 * floating-point number. Without a size the operand is a word of the machine.
 */
#ifndef SPOOR_SDT_OPERAND_H
#define SPOOR_SDT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SDT_NO_REGISTER 255u

/* Registers by their DWARF numbers. */
struct sdt_operand {
	const char *text;		/* in the note, after @ */
	size_t length;
	uint8_t size;			/* 1, 2, 4 or 8 */
	bool has_sign, is_real;
	enum sdt_operand_kind {
		SDT_CONSTANT,		/* the value is @number */
		SDT_REGISTER,		/* the value is register @base, from its bit @shift on */
		SDT_MEMORY,		/* at address base + (index << shift) + number + the symbol's address */
	} kind;
	uint8_t base, index, shift;
	bool index_is_word, index_has_sign;	/* only 32 bits of the index register are used */
	int64_t number;
	const char *symbol;		/* null: none */
	size_t symbol_length;
};

/*
 * sdt_operand_parse - parses the first operand of @text.
 * @machine: of the ELF header, EM_X86_64 or EM_AARCH64
 * @rest:    out: the text after the operand and blanks
 *
 * Return: whether the operand is known. Its text and length are set in both cases.
 */
bool sdt_operand_parse(struct sdt_operand *operand, const char *text, uint16_t machine, const char **rest);

#endif
