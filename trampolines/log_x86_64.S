/* SPDX-License-Identifier: MIT */
/*
 * log_x86_64.S - what a patched sled reaches through its thunk: one event is stored.
 *
 * On entry
 *   entry, exit  r11d = event code (trace_format.h), (%rsp) = where to return
 *   tail         8(%rsp) = event code, (%rsp) = where to return; it is dropped
 * Kept: every register but r11 (entry, exit) and the flags. r10 may be a static
 * chain, and at a tail call r10 and r11 may both be live.
 * No vector or x87 register is touched; libc is called only behind
 * spoor_attach_aside, which saves them all.
 *
 * Cost of the straight path: 20 instructions, 9 stores, one of them the event.
 */
#include "event_path.h"

#include "frame_x86_64.h"

	.text

	.macro log name drop
	trampoline_begin \name \drop
	keep %rcx
	keep %rax
	keep %rdx
	keep %rbx
.Lretry_\name:
	mov spoor_thread@gottpoff(%rip), %rcx
	mov %fs:(%rcx), %rbx			/* rbx: struct spoor_thread */
	mov $8, %ecx
	xadd %rcx, SPOOR_THREAD_CURSOR(%rbx)	/* rcx: the slot, ours from here on */
	test $SPOOR_SLICE_BIT, %ecx
	jz .Lslow_\name
	rdtsc
	shld $(32 - SPOOR_QUARTER_SHIFT), %eax, %edx	/* edx: the counter >> 30 */
	cmp %edx, SPOOR_THREAD_QUARTER(%rbx)
	jne .Lslow_\name
	.if \drop
	mov 5*8(%rsp), %edx
	shl $32, %rdx
	or %rdx, %rax
	.else
	shl $32, %r11
	or %r11, %rax
	.endif
	mov %rax, (%rcx)
.Ldone_\name:
	.cfi_remember_state
	restore %rbx
	restore %rdx
	restore %rax
	restore %rcx
	trampoline_return \drop
	.cfi_restore_state
.Lslow_\name:
	.if \drop
	mov 5*8(%rsp), %edx
	.else
	mov %r11d, %edx
	.endif
	call slow
	test %eax, %eax
	jz .Lretry_\name
	jmp .Ldone_\name
	trampoline_end \name
	.endm

	log spoor_log_entry 0
	log spoor_log_exit 0
	log spoor_log_tail 8

/*
 * slow - calls spoor_event_slow(rbx, rcx, edx) with all general registers kept
 * but rax (its result), rcx and rdx.
 */
	.type slow, @function
	.p2align 4
slow:
	.cfi_startproc
	keep %rbp
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	push %rdi
	push %rsi
	push %r8
	push %r9
	push %r10
	push %r11
	and $-16, %rsp
	mov %rbx, %rdi
	mov %rcx, %rsi
	call spoor_event_slow
	lea -6*8(%rbp), %rsp
	pop %r11
	pop %r10
	pop %r9
	pop %r8
	pop %rsi
	pop %rdi
	pop %rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.cfi_endproc
	.size slow, . - slow

/*
 * spoor_attach_aside - spoor_attach() on a stack of its own, with the whole
 * vector and x87 state saved: it calls libc, which may use any of it, and the
 * stack it was reached on may be a handler's or a fibre's few kilobytes.
 */
	.globl spoor_attach_aside
	.hidden spoor_attach_aside
	.type spoor_attach_aside, @function
	.p2align 4
spoor_attach_aside:
	.cfi_startproc
	keep %rbp
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	push %rbx
	.cfi_offset %rbx, -24
	push %r12
	.cfi_offset %r12, -32
	call spoor_aside_map		/* rax: the stack's end, 64-byte aligned, or 0 */
	test %rax, %rax
	jz 1f
	mov %rax, %rbx
	mov %rax, %rsp
	mov spoor_xsave_bytes(%rip), %eax
	test %eax, %eax
	jz 2f
	sub %rax, %rsp			/* fresh pages: the header is zero, as xrstor asks */
	mov $-1, %eax
	mov $-1, %edx
	xsave64 (%rsp)
	call spoor_attach
	mov %eax, %r12d
	mov $-1, %eax
	mov $-1, %edx
	xrstor64 (%rsp)
	jmp 3f
2:	sub $512, %rsp
	fxsave64 (%rsp)
	call spoor_attach
	mov %eax, %r12d
	fxrstor64 (%rsp)
3:	mov %rbx, %rdi
	lea -2*8(%rbp), %rsp
	and $-16, %rsp
	call spoor_aside_unmap
	mov %r12d, %eax
	jmp 4f
1:	mov $1, %eax
4:	lea -2*8(%rbp), %rsp
	pop %r12
	pop %rbx
	pop %rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size spoor_attach_aside, . - spoor_attach_aside

	.section .note.GNU-stack, "", @progbits
