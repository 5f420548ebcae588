/* SPDX-License-Identifier: MIT */
/*
 * libc_stack_x86_64.S - calls functions on a stack of spoor's own, with all signals but faults
 * blocked.
 *
 * Signals are blocked because a handler with an alternate stack would consider that stack free,
 * and a garbage collector would search for the thread's own stack.
 */
#include "trampolines/frame_x86_64.h"

#define XSAVE_HEADER 512

	.text

	.macro aside_begin
	.cfi_startproc
	keep %rbp
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	push %rbx
	.cfi_offset %rbx, -24
	push %r12
	.cfi_offset %r12, -32
	push %r13
	.cfi_offset %r13, -40
	push %r14
	.cfi_offset %r14, -48
	.endm

	.macro aside_return
	pop %r14
	pop %r13
	pop %r12
	pop %rbx
	pop %rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.endm

	/* Rounds to nearest and masks all exceptions: the program's modes may be others. */
	.macro floats_begin
	fninit
	ldmxcsr usual_mxcsr(%rip)
	.endm

	.section .rodata
	.p2align 2
usual_mxcsr:
	.long 0x1f80
	.text

/*
 * spoor_attach_on_libc_stack - calls spoor_attach() on another stack, with the whole vector and x87 state
 * saved: spoor_attach() calls libc, which may use all of it, and the current stack may be a
 * signal handler's or a fibre's, of a few kilobytes.
 */
	.globl spoor_attach_on_libc_stack
	.hidden spoor_attach_on_libc_stack
	.type spoor_attach_on_libc_stack, @function
	.p2align 4
spoor_attach_on_libc_stack:
	aside_begin
	flags_clear
	sub $8, %rsp				/* rsp is aligned */
	call spoor_libc_stack_take		/* rax: the stack's end, 64-byte aligned, or 0 */
	mov %rax, %rbx
	mov $1, %r12d
	test %rax, %rax
	jz 4f
	call spoor_signals_block
	mov %rax, %r13			/* r13: the thread's mask */
	mov %rbx, %rsp
	mov spoor_xsave_bytes(%rip), %eax
	test %eax, %eax
	jz 2f
	sub %rax, %rsp
	/* xrstor requires a header of zeroes; xsave writes only its first eight bytes. */
	.irp word, 0, 1, 2, 3, 4, 5, 6, 7
	movq $0, XSAVE_HEADER + 8 * \word(%rsp)
	.endr
	mov $-1, %eax
	mov $-1, %edx
	xsave64 (%rsp)
	floats_begin
	call spoor_attach
	mov %eax, %r12d
	mov $-1, %eax
	mov $-1, %edx
	xrstor64 (%rsp)
	jmp 3f
2:	sub $512, %rsp
	fxsave64 (%rsp)
	floats_begin
	call spoor_attach
	mov %eax, %r12d
	fxrstor64 (%rsp)
3:	lea -6*8(%rbp), %rsp
	mov %rbx, %rdi
	call spoor_libc_stack_give
	mov %r13, %rdi
	call spoor_signals_restore
4:	mov %r12d, %eax
	lea 8(%rsp), %rsp
	flags_restore r14
	aside_return
	.size spoor_attach_on_libc_stack, . - spoor_attach_on_libc_stack

/* spoor_libc_stack_call - calls the function rdi with the argument rsi on another stack. C calls it. */
	.globl spoor_libc_stack_call
	.hidden spoor_libc_stack_call
	.type spoor_libc_stack_call, @function
	.p2align 4
spoor_libc_stack_call:
	aside_begin
	mov %rdi, %r12
	mov %rsi, %r14
	call spoor_libc_stack_take
	mov %rax, %rbx
	test %rax, %rax
	jz 1f				/* no memory: stays on the caller's stack */
	call spoor_signals_block
	mov %rax, %r13
	mov %rbx, %rsp
1:	mov %r14, %rdi
	call *%r12
	lea -4*8(%rbp), %rsp
	test %rbx, %rbx
	jz 2f
	mov %rbx, %rdi
	call spoor_libc_stack_give
	mov %r13, %rdi
	call spoor_signals_restore
2:	aside_return
	.size spoor_libc_stack_call, . - spoor_libc_stack_call

	.section .note.GNU-stack, "", @progbits
