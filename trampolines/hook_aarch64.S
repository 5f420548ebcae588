/* SPDX-License-Identifier: MIT */
/* hook_aarch64.S - a hook becomes an event. */
#include "frame_aarch64.h"

	.text
	branch_protection_note

/* void spoor_hook_follow(uint32_t code, void *slot): as a sled's thunk would. To unwinders
 * this is the function with the sled, and like one it says nothing of what the sled saves. */
	.globl spoor_hook_follow
	.hidden spoor_hook_follow
	.type spoor_hook_follow, @function
	.p2align 4
spoor_hook_follow:
	.cfi_startproc
	hint #34				/* bti c */
	stp x0, x30, [sp, #-16]!
	mov x16, x1
	mov w0, w0
	blr x16
	ldp x0, x30, [sp], #16
	ret
	.cfi_endproc
	.size spoor_hook_follow, . - spoor_hook_follow

	.section .note.GNU-stack, "", @progbits
