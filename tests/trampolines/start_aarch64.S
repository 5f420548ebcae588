/* SPDX-License-Identifier: MIT */
/* start_aarch64.S - where a program begins whose every branch is guarded: Debian's own start
 * files have no landing pads. */
	.text
	.globl _start
	.type _start, @function
_start:
	.cfi_startproc
	.cfi_undefined x30
	hint #34				/* bti c */
	mov x29, #0
	mov x30, #0
	mov x5, x0				/* what ld.so wants to be called at the end */
	ldr x1, [sp]
	add x2, sp, #8
	mov x6, sp
	adrp x0, main
	add x0, x0, :lo12:main
	mov x3, #0
	mov x4, #0
	bl __libc_start_main
	brk #0
	.cfi_endproc
	.size _start, . - _start

	.data
	.hidden __dso_handle
	.globl __dso_handle
__dso_handle:
	.quad __dso_handle

	.section .note.gnu.property, "a", @note
	.p2align 3
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000000, 4, 3, 0

	.section .note.GNU-stack, "", @progbits
