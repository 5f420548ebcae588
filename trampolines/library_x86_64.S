/* SPDX-License-Identifier: MIT */
/*
 * library_x86_64.S - the stubs that jump slots of chosen library functions lead to.
 *
 * On entry (%rsp) = the caller's return address, and all argument registers, rax (al of variadic functions) and r10
 * are live; r11 is free, as in an entry of the procedure linkage table. The function is called with the same
 * registers, and on a copy of the stack arguments that it is known to take.
 * Preserved on return: all registers that the function preserves, and those of results: rax, rdx, xmm0, xmm1, x87.
 *
 * Frame: rbp = frame; 8(%rbp) = number of the stub; 16(%rbp) = return address; SPOOR_LIBRARY_FRAME_STACK(%rbp) = first
 * stack argument; -24(%rbp) = number of stack words. rbx = struct spoor_library_call, r12 = the slots of the library.
 *
 * Cost without stack arguments: 53 instructions besides both events. The exit event follows the call, so exceptions
 * and the end of a thread reach the personality instead, and longjmp is noticed by the next stub.
 */
#include "event/library_path.h"
#include "trampolines/frame_x86_64.h"

	.text

	/* Registers of arguments; the unwinder needs none of them. */
	.macro arguments_keep
	.irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r10
	push %\register
	.endr
	.endm

	.macro arguments_restore
	.irp register, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	pop %\register
	.endr
	.endm

	/* Before and after a call of C code. \register: a scratch register */
	.macro c_begin
	flags_clear
	sub $8, %rsp				/* rsp is aligned */
	.endm

	.macro c_end register
	lea 8(%rsp), %rsp
	flags_restore \register
	.endm

	/* The address of the thread's list of open calls. */
	.macro call_stack register
	mov spoor_call_stack@gottpoff(%rip), %\register
	mov %fs:(%\register), %\register
	.endm

	.macro event code slot
	mov \code(%rbx), %r11d
	mov SPOOR_LIBRARY_CALL_SLOTS(%rbx), %r12
	call *8*\slot(%r12)
	.endm

/* The CFA is one word higher after the push, which ends at byte 9 of each stub. */
	.globl spoor_library_stubs
	.hidden spoor_library_stubs
	.type spoor_library_stubs, @object
	.p2align 4
spoor_library_stubs:
	.cfi_startproc
	/* DW_CFA_def_cfa_expression: rsp + 8 + ((rip & 15) >= 9) << 3 */
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x39, 0x2a, 0x33, 0x24, 0x22
	.set index, 0
	.rept SPOOR_LIBRARY_STUBS
	.byte 0xf3, 0x0f, 0x1e, 0xfa		/* endbr64 */
	.byte 0x68				/* push $index */
	.long index
	.byte 0xe9				/* jmp library_call */
	.long library_call - . - 4
	.p2align 4, 0xcc
	.set index, index + 1
	.endr
	.cfi_endproc
	.size spoor_library_stubs, . - spoor_library_stubs

	.type library_call, @function
	.p2align 6
library_call:
	.cfi_startproc
	.cfi_personality 0x1b, spoor_library_personality	/* pcrel, sdata4 */
	.cfi_def_cfa_offset 16
	push %rbp
	.cfi_def_cfa_offset 24
	.cfi_offset %rbp, -24
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	push %rbx
	.cfi_offset %rbx, -32
	push %r12
	.cfi_offset %r12, -40
	sub $24, %rsp				/* rsp is aligned */
	mov 8(%rbp), %r11d
	shl $SPOOR_LIBRARY_CALL_SHIFT, %r11
	lea spoor_library_calls(%rip), %rbx
	add %r11, %rbx
	cmpb $0, SPOOR_LIBRARY_CALL_AWAKE(%rbx)
	je .Lpass
	mov SPOOR_LIBRARY_CALL_WORDS(%rbx), %r11d
	mov %r11, -24(%rbp)
	cmpb $0, SPOOR_LIBRARY_CALL_KIND(%rbx)
	jne .Lspecial
.Lenter:
	call_stack r12
	mov SPOOR_CALL_STACK_TOP(%r12), %r11
	cmp SPOOR_CALL_STACK_END(%r12), %r11
	jae .Lenter_slow
	addq $SPOOR_OPEN_BYTES, SPOOR_CALL_STACK_TOP(%r12)
	mov %rbx, SPOOR_OPEN_CALL(%r11)
	mov %rbp, SPOOR_OPEN_FRAME(%r11)
.Lentered:
	event SPOOR_LIBRARY_CALL_ENTRY 0
	mov -24(%rbp), %r11
	test %r11, %r11
	jnz .Lcopy
.Lcall:
	call *SPOOR_LIBRARY_CALL_REAL(%rbx)
	lea -40(%rbp), %rsp
	cmpb $SPOOR_LIBRARY_FOLLOWED, SPOOR_LIBRARY_CALL_KIND(%rbx)
	jae .Lafter
.Lleave:
	call_stack rcx
	mov SPOOR_CALL_STACK_TOP(%rcx), %r11
	cmp %rbp, SPOOR_OPEN_FRAME-SPOOR_OPEN_BYTES(%r11)
	jne .Lleave_slow
	movq $0, SPOOR_OPEN_FRAME-SPOOR_OPEN_BYTES(%r11)
	subq $SPOOR_OPEN_BYTES, SPOOR_CALL_STACK_TOP(%rcx)
.Lleft:
	cmpb $0, SPOOR_LIBRARY_CALL_AWAKE(%rbx)
	je .Lreturn
	event SPOOR_LIBRARY_CALL_EXIT 1
.Lreturn:
	mov -8(%rbp), %rbx
	mov -16(%rbp), %r12
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 16
	.cfi_restore %rbp
	.cfi_restore %rbx
	.cfi_restore %r12
	lea 8(%rsp), %rsp			/* keeps the flags */
	.cfi_def_cfa_offset 8
	ret
	.cfi_restore_state

	/* Pushes r11 words from the last one on, and keeps the alignment. */
.Lcopy:
	test $1, %r11b
	jz 1f
	sub $8, %rsp
1:	push 16(%rbp,%r11,8)
	dec %r11
	jnz 1b
	jmp .Lcall

.Lenter_slow:
	arguments_keep
	mov %rbx, %rdi
	mov %rbp, %rsi
	c_begin
	call spoor_library_enter
	c_end r10
	arguments_restore
	jmp .Lentered

.Lleave_slow:
	push %rax
	push %rdx
	mov %rbp, %rdi
	c_begin
	call spoor_library_leave
	mov %eax, %r11d
	c_end rcx
	pop %rdx
	pop %rax
	test %r11d, %r11d
	jz .Lreturn
	jmp .Lleft

.Lafter:
	push %rax
	push %rdx
	mov %rbx, %rdi
	mov %rax, %rsi
	mov %rbp, %rdx
	c_begin
	call spoor_library_after
	mov %eax, %r11d
	c_end rcx
	pop %rdx
	pop %rax
	test %r11d, %r11d
	jz .Lleave
	jmp .Lreturn

.Lspecial:
	arguments_keep
	mov %rbx, %rdi
	mov %rsp, %rsi
	lea SPOOR_LIBRARY_FRAME_STACK(%rbp), %rdx
	c_begin
	call spoor_library_prepare
	mov %rax, %r11
	mov %rax, -24(%rbp)
	c_end r10
	arguments_restore
	test %r11, %r11
	jns .Lenter
	event SPOOR_LIBRARY_CALL_ENTRY 0
	event SPOOR_LIBRARY_CALL_EXIT SPOOR_LIBRARY_SLOT_NO_RESULT
.Lpass:
	mov SPOOR_LIBRARY_CALL_REAL(%rbx), %r11
	mov -8(%rbp), %rbx
	mov -16(%rbp), %r12
	leave
	.cfi_def_cfa %rsp, 16
	.cfi_restore %rbp
	.cfi_restore %rbx
	.cfi_restore %r12
	lea 8(%rsp), %rsp
	.cfi_def_cfa_offset 8
	jmp *%r11
	.cfi_endproc
	.size library_call, . - library_call

	.section .note.GNU-stack, "", @progbits
