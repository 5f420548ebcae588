/* SPDX-License-Identifier: MIT */
/* hook_x86_64.h - tells a function from an entry of the procedure linkage table. */
#ifndef SPOOR_HOOK_X86_64_H
#define SPOOR_HOOK_X86_64_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Tells if @code is an entry of the procedure linkage table: a jump through memory, perhaps after endbr64 and with
 * a bnd prefix (psABI, "Procedure Linkage Table"). No function that calls hooks begins with such a jump. */
static inline bool spoor_is_jump_elsewhere(const uint8_t *code)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (memcmp(code, endbr64, sizeof(endbr64)) == 0)
		code += sizeof(endbr64);
	if (*code == 0xf2)
		code++;
	return code[0] == 0xff && code[1] == 0x25;
}

#endif
