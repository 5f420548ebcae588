/* SPDX-License-Identifier: MIT */
/* sled_x86_64.c - the jumps that LLVM puts behind a sled on x86-64. */
#include "format/sled.h"

/* The jump that follows a tail sled: a push must not move what it goes through,
 * nor may our code change the flags that it looks at. */
enum spoor_sled_verdict spoor_sled_check_jump(const uint8_t *at, uint64_t size)
{
	uint8_t modrm, mod, rm;

	while (size && (*at == 0x3e || *at == 0xf2 || *at == 0x2e || (*at & 0xf0) == 0x40)) {
		at++;	/* notrack, bnd, padding, REX */
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
	/* With a SIB byte, base 4 is the stack pointer (12, r12, looks the same
	 * but for REX.B, and is callee-saved: never an operand here). */
	if (mod != 3 && rm == 4 && (at[2] & 7) == 4)
		return SPOOR_SLED_STACK_OPERAND;
	return SPOOR_SLED_GOOD;
}
