/* SPDX-License-Identifier: MIT */
/*
 * log_x86_64.S - what a patched sled reaches through its thunk: one event is stored.
 *
 * On entry
 *   entry, exit  r11d = event code (trace_format.h), (%rsp) = where to return
 *   tail         (%rsp) = where to return, 1 byte before the event code
 * Kept: every register but r11 (entry, exit) and the flags. r10 may be a static
 * chain, and at a tail call r10 and r11 may both be live.
 * No vector or x87 register is touched; libc is called only behind
 * spoor_attach_aside, which saves them all.
 *
 * The counter is read first: a handler that logs in between then finds its
 * events dated no earlier than one that stands before them. And the quarter is
 * looked at on both sides of the reservation, for only a word that was reserved
 * while its own quarter was current has a full time stamp of it in front of it.
 *
 * Cost of the straight path: 22 instructions, 5 stores, one of them the event;
 * at a tail call 28 instructions, 8 stores, to keep r11, to fetch the code and
 * to put rbp back (frame_x86_64.h).
 */
#include "event/event_path.h"

#include "trampolines/frame_x86_64.h"

	.text

	/* \slot: r11, or at a tail call rbx. */
	.macro log name tail slot dword
	trampoline_begin \name \tail
	keep %rcx
	keep %rax
	keep %rdx
	.if \tail
	keep %rbx
	.endif
.Lretry_\name:
	mov spoor_thread@gottpoff(%rip), %rcx
	mov %fs:(%rcx), %rcx			/* rcx: struct spoor_thread */
	rdtsc
	shld $(32 - SPOOR_QUARTER_SHIFT), %eax, %edx	/* edx: the quarter of now */
	.if \tail
	tail_code 4*8(%rsp), rbx, ebx
	.endif
	shl $32, %\slot
	or %\slot, %rax				/* rax: the event's word */
	cmp %edx, SPOOR_THREAD_QUARTER(%rcx)
	jne .Lstale_\name
	mov $8, %\dword
	xadd %\slot, SPOOR_THREAD_CURSOR(%rcx)	/* slot: ours from here on */
	test $SPOOR_SLICE_BIT, %\dword
	jz .Lslow_\name
	cmp %edx, SPOOR_THREAD_QUARTER(%rcx)
	jne .Lslow_\name
	mov %rax, (%\slot)
.Ldone_\name:
	.cfi_remember_state
	.if \tail
	restore %rbx
	.endif
	restore %rdx
	restore %rax
	restore %rcx
	trampoline_return \tail
	.cfi_restore_state
.Lstale_\name:
	xor %\dword, %\dword
.Lslow_\name:
	mov %\slot, %rdx
	shr $32, %rax
	.if \tail == 0
	mov %eax, %r11d
	.endif
	call slow
	test %eax, %eax
	jz .Lretry_\name
	jmp .Ldone_\name
	trampoline_end \name
	.endm

	/* r11d: the code of the frame at r11 */
	.macro frame_code kind
	shr $4, %r11
	and $((1 << 29) - 1), %r11d
	or $(\kind << 29), %r11d
	.endm

	log spoor_log_entry 0 r11 r11d
	log spoor_log_exit 0 r11 r11d
	log spoor_log_tail 1 rbx ebx

/* A function in which exceptions or longjmp may arrive: its entry, and where it
 * keeps its return address. */
	trampoline_begin spoor_log_framed 0
	call spoor_log_entry
	lea 8(%rsp), %r11
	frame_code SPOOR_KIND_FRAME
	jmp spoor_log_exit
	trampoline_end spoor_log_framed

/* rdi = where the caller keeps its return address; bits 63 and 62: registration.h. Keeps
 * what an exit does, rdi too. */
	trampoline_begin spoor_log_unwind 0
	mov %rdi, %r11
	frame_code SPOOR_KIND_UNWIND
	test %rdi, %rdi
	jns spoor_log_exit
	and $((1 << 28) - 1), %r11d
	or $(SPOOR_KIND_SWITCH << 29), %r11d
	bt $62, %rdi
	jnc spoor_log_exit
	bts $28, %r11d
	jmp spoor_log_exit
	trampoline_end spoor_log_unwind

	trampoline_begin spoor_no_unwind 0
	ret
	trampoline_end spoor_no_unwind

/*
 * slow - calls spoor_event_slow(rcx, rdx, eax) with all general registers kept
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
	mov %rcx, %rdi
	mov %rdx, %rsi
	mov %eax, %edx
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

	.section .note.GNU-stack, "", @progbits
