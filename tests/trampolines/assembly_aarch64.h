/* SPDX-License-Identifier: MIT */
/* assembly_aarch64.h - macros for hand-written functions with landing pads, in a guarded object. */
	/* \pad: 34 is bti c, for calls; 38 is bti jc, for jumps through any register, too */
	.macro function name pad=34
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	hint #\pad
	.endm
	.macro function_end name
	.cfi_endproc
	.size \name, . - \name
	.endm

	.section .note.gnu.property, "a", @note
	.p2align 3
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000000, 4, 3, 0

	.section .note.GNU-stack, "", @progbits

	.text
