/* SPDX-License-Identifier: MIT */
/* sled_x86_64.c - checks the jump that LLVM writes after a tail call's sled on x86-64. */
#include "format/sled.h"

/* The trampoline must change neither the operand nor the flags of the jump: a jump through memory at the stack
 * pointer, and a conditional jump, cannot be traced. */
enum spoor_sled_verdict spoor_sled_check_jump(const uint8_t *at, uint64_t size)
{
	uint8_t modrm, mod, rm;

	while (size && (*at == 0x3e || *at == 0xf2 || *at == 0x2e || (*at & 0xf0) == 0x40)) {
		at++;	/* prefixes notrack, bnd, cs padding, REX */
		size--;
	}
	if (size < 3)
		return SPOOR_SLED_UNEXPECTED;
	if (at[0] == 0xe9 || at[0] == 0xeb)
		return SPOOR_SLED_GOOD;
	if ((at[0] & 0xf0) == 0x70 || (at[0] == 0x0f && (at[1] & 0xf0) == 0x80))
		return SPOOR_SLED_CONDITIONAL;
	if (at[0] != 0xff)
		return SPOOR_SLED_UNEXPECTED;
	modrm = at[1];
	mod = modrm >> 6;
	rm = modrm & 7;
	if ((modrm >> 3 & 7) != 4)
		return SPOOR_SLED_UNEXPECTED;
	/* With a SIB byte, base 4 is the stack pointer. With REX.B it is r12, which is callee-saved and so is
	 * never an operand here. */
	if (mod != 3 && rm == 4 && (at[2] & 7) == 4)
		return SPOOR_SLED_STACK_OPERAND;
	return SPOOR_SLED_GOOD;
}
