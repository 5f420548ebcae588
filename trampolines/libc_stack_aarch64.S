/* SPDX-License-Identifier: MIT */
/*
 * libc_stack_aarch64.S - calls functions on a stack of spoor's own, with all signals but faults
 * blocked; and makes system calls.
 *
 * Signals are blocked because a handler with an alternate stack would consider that stack free,
 * and a garbage collector would search for the thread's own stack.
 */
#include "trampolines/frame_aarch64.h"
#include "trampolines/vectors_aarch64.h"

	.text
	branch_protection_note

	.macro aside_begin name
	.globl \name
	.hidden \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	function_begin
	.cfi_def_cfa x29, 16
	stp x19, x20, [sp, #-32]!
	.cfi_offset x19, -48
	.cfi_offset x20, -40
	stp x21, x22, [sp, #16]
	.cfi_offset x21, -32
	.cfi_offset x22, -24
	.endm

	.macro aside_return name
	ldp x21, x22, [sp, #16]
	ldp x19, x20, [sp], #32
	.cfi_restore x19
	.cfi_restore x20
	.cfi_restore x21
	.cfi_restore x22
	.cfi_def_cfa sp, 16
	function_return
	.cfi_endproc
	.size \name, . - \name
	.endm

/*
 * spoor_attach_on_libc_stack - calls spoor_attach() on another stack, with the whole vector state saved:
 * spoor_attach() calls libc, which may use all of it, and the current stack may be a signal
 * handler's or a fibre's, of a few kilobytes.
 */
	aside_begin spoor_attach_on_libc_stack
	bl spoor_libc_stack_take			/* x0: the stack's end, or 0 */
	mov x19, x0
	mov w21, #1
	cbz x0, 4f
	bl spoor_signals_block
	mov x20, x0				/* x20: the thread's mask */
	mov sp, x19
	adrp x0, spoor_has_sve
	ldr w0, [x0, :lo12:spoor_has_sve]
	cbz w0, 2f
	sve_save 31
	ffr_save
	msr fpcr, xzr				/* the program's rounding and traps may be others */
	bl spoor_attach
	mov w21, w0
	ffr_load
	sve_load 31
	b 3f
2:	vectors_save 31
	msr fpcr, xzr
	bl spoor_attach
	mov w21, w0
	vectors_load 31
3:	sub sp, x29, #32
	mov x0, x19
	bl spoor_libc_stack_give
	mov x0, x20
	bl spoor_signals_restore
4:	mov w0, w21
	aside_return spoor_attach_on_libc_stack

/* spoor_libc_stack_call - calls the function x0 with the argument x1 on another stack. C calls it. */
	aside_begin spoor_libc_stack_call
	mov x21, x0
	mov x22, x1
	bl spoor_libc_stack_take
	mov x19, x0
	cbz x0, 1f				/* no memory: stays on the caller's stack */
	bl spoor_signals_block
	mov x20, x0
	mov sp, x19
1:	mov x0, x22
	blr x21
	sub sp, x29, #32
	cbz x19, 2f
	mov x0, x19
	bl spoor_libc_stack_give
	mov x0, x20
	bl spoor_signals_restore
2:	aside_return spoor_libc_stack_call

/*
 * spoor_system - makes a system call: x0 = its number, x1 to x6 = its arguments. Preserves the
 * scalable vectors: Linux keeps only the low 128 bits of vector registers across a system call and
 * clears the rest (Documentation/arch/arm64/sve.rst, "System call behaviour"), and the program does
 * not know of the call. qemu clears nothing.
 */
	.globl spoor_system
	.hidden spoor_system
	.type spoor_system, @function
	.p2align 4
spoor_system:
	.cfi_startproc
	function_begin
	.cfi_def_cfa x29, 16
	mov x8, x0
	mov x0, x1
	mov x1, x2
	mov x2, x3
	mov x3, x4
	mov x4, x5
	mov x5, x6
	adrp x16, spoor_has_sve
	ldr w16, [x16, :lo12:spoor_has_sve]
	cbz w16, 2f
	rdvl x16, #1
	cmp x16, #16
	b.eq 1f
	sve_save 31
	ffr_save
	svc #0
	ffr_load
	sve_load 31
	b 3f
1:	predicates_save			/* vectors of 128 bits */
	ffr_save
	svc #0
	ffr_load
	predicates_load
	b 3f
2:	svc #0
3:	.cfi_def_cfa sp, 16
	function_return
	.cfi_endproc
	.size spoor_system, . - spoor_system

	.section .note.GNU-stack, "", @progbits
