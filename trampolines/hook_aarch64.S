/* SPDX-License-Identifier: MIT */
/* hook_aarch64.S - passes the event of a compiler's hook on to a trampoline. */
#include "trampolines/frame_aarch64.h"

	.text
	branch_protection_note

/* void spoor_hook_follow(uint32_t code, void *slot): jumps to the trampoline as a sled and its thunk
 * do. Unwinders see it as the function with the sled, so its CFI omits the thunk's pushes. */
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
