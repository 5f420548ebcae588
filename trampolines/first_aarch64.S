/* SPDX-License-Identifier: MIT */
/*
 * first_aarch64.S - notes the first run of a function that was compiled for order mode. The function
 * reaches this code before it does anything else.
 *
 * On entry x17 = its module's struct spoor_dso; the stack holds the function's x30 and the address
 * of its two words (libspoor_dso/aarch64.S). Preserved: the flags, and every register except x16
 * and x17. The code sets the byte last: if a signal handler leaves by siglongjmp, the function
 * calls again.
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
