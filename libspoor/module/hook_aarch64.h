/* SPDX-License-Identifier: MIT */
/* hook_aarch64.h - tells a function from an entry of the procedure linkage table. */
#ifndef SPOOR_HOOK_AARCH64_H
#define SPOOR_HOOK_AARCH64_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Tells if @code is an entry of the procedure linkage table: adrp x16, perhaps after bti c (SysV ABI for the Arm
 * 64-bit architecture, "Procedure Linkage Table"). No function that calls hooks begins with adrp x16. */
static inline bool spoor_is_jump_elsewhere(const uint8_t *code)
{
	static const uint32_t bti_c = 0xd503245f;
	uint32_t words[2];

	memcpy(words, code, sizeof(words));
	return (words[words[0] == bti_c] & 0x9f00001f) == 0x90000010;
}

#endif
