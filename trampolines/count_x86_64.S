/* SPDX-License-Identifier: MIT */
/*
 * count_x86_64.S - increments the function's counter in the thread's lane. A patched sled reaches
 * this code in mode "count".
 *
 * The contract on entry is that of log_x86_64.S. Preserved: every register except r11 (entry)
 * and the flags; a tail call preserves r11 too.
 *
 * One instruction counts, without a lock: a signal handler of the thread cannot interrupt it,
 * and no other thread uses the lane (counts.h). The lane's base address is so far below its
 * first counter that the event code of an entry, including its kind, is the index of the
 * function's counter.
 *
 * Cost of the straight path: 9 instructions, 2 stores, one of them the count.
 */
#include "event/event_path.h"
#include "trampolines/frame_x86_64.h"

	.text

	trampoline_begin spoor_count_entry 0
	keep %rcx
	mov spoor_thread@gottpoff(%rip), %rcx
	mov %fs:(%rcx), %rcx			/* rcx: struct spoor_thread, */
	mov SPOOR_THREAD_COUNTS(%rcx), %rcx	/* then its lane */
	test %rcx, %rcx
	jz .Lslow
	incq (%rcx,%r11,8)
	.cfi_remember_state
	restore %rcx
	ret
	.cfi_restore_state
.Lslow:
	keep %rbp
	mov %rsp, %rbp
	.cfi_remember_state
	.cfi_def_cfa_register %rbp
	push %rax
	push %rdx
	push %rsi
	push %rdi
	push %r8
	push %r9
	push %r10
	flags_clear
	and $-16, %rsp
	mov spoor_thread@gottpoff(%rip), %rcx
	mov %fs:(%rcx), %rdi
	mov %r11d, %esi
	call spoor_count_slow
	lea -8*8(%rbp), %rsp
	flags_restore r10
	pop %r10
	pop %r9
	pop %r8
	pop %rdi
	pop %rsi
	pop %rdx
	pop %rax
	pop %rbp
	.cfi_def_cfa %rsp, 16
	.cfi_restore %rbp
	restore %rcx
	ret
	trampoline_end spoor_count_entry

	trampoline_begin spoor_count_exit 0
	ret
	trampoline_end spoor_count_exit

/* The function has left its frame, so the CFI names its caller's return address. Unlike
 * frame_x86_64.h this code does not restore rbp for unwinders: it makes no call. */
	.globl spoor_count_tail
	.hidden spoor_count_tail
	.type spoor_count_tail, @function
	.p2align 6
spoor_count_tail:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	_CET_ENDBR
	ret
	trampoline_end spoor_count_tail

	.section .note.GNU-stack, "", @progbits
