/* SPDX-License-Identifier: MIT */
/* hook_aarch64.S - a hook becomes an event. */
#include "trampolines/frame_aarch64.h"

	.text
	branch_protection_note

/* void spoor_hook_follow(uint32_t code, void *slot): as a sled and its thunk would. To unwinders
 * this is the function with the sled, and like one it says nothing of what the thunk pushes. */
	.globl spoor_hook_follow
	.hidden spoor_hook_follow
	.type spoor_hook_follow, @function
	.p2align 4
spoor_hook_follow:
	.cfi_startproc
	hint #34				/* bti c */
	mov x17, x30
	mov w16, w0
	stp x0, x1, [sp, #-16]!
	blr x1
	ret
	.cfi_endproc
	.size spoor_hook_follow, . - spoor_hook_follow

	.section .note.GNU-stack, "", @progbits
