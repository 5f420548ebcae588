/* SPDX-License-Identifier: MIT */
/*
 * first_aarch64.S - what a function compiled for order mode reaches when it runs for the first
 * time, as the first thing it does.
 *
 * On entry x17 = its module's struct spoor_dso; pushed are the function's x30, and where its two
 * words are (libspoor_dso/aarch64.S). Kept: the flags, and every register but x16 and x17. The byte
 * is set last: where a signal handler leaves by siglongjmp, the function calls in once more.
 */
#include "trampolines/frame_aarch64.h"
#include "trampolines/first_aarch64.h"

	.text
	branch_protection_note

	.globl spoor_first_entry
	.hidden spoor_first_entry
	.type spoor_first_entry, @function
	.p2align 6
spoor_first_entry:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -16
	hint #38				/* bti jc */
	keep x29, x0
	.cfi_rel_offset x29, 0
	mov x29, sp
	general_keep x0
	mov x0, x17
	ldr x1, [x29, #16 + 8]
	bl spoor_first_run
	general_restore
	restore x29, x0
	.cfi_restore x29
	first_return
	.cfi_endproc
	.size spoor_first_entry, . - spoor_first_entry

	.section .note.GNU-stack, "", @progbits
