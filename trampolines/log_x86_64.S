/* SPDX-License-Identifier: MIT */
/*
 * log_x86_64.S - stores one event. A patched sled reaches this code through its module's thunk.
 *
 * On entry
 *   entry, exit  r11d = event code (trace_format.h), (%rsp) = return address
 *   tail         (%rsp) = return address; the event code is 1 byte after it
 * Preserved: every register except r11 (entry, exit) and the flags. r10 may hold a static
 * chain, and at a tail call r10 and r11 may both be live.
 * The code touches no vector or x87 register. Only spoor_attach_on_libc_stack calls libc, and it saves
 * all of them.
 *
 * The code reads the time stamp counter before it reserves a word, so the events of a signal
 * handler that logs in between are never older than the event before them. It compares the
 * quarter before and after the reservation: a full time stamp precedes a word only if the word
 * was reserved while its own quarter was current.
 *
 * Cost of the straight path: 22 instructions, 5 stores, one of them the event. A tail call
 * takes 28 instructions and 8 stores, to preserve r11, to load the code and to restore rbp
 * (frame_x86_64.h).
 */
#include "event/event_path.h"

#include "trampolines/frame_x86_64.h"

	.text

	/* \slot: the register for the reserved slot: r11, or rbx at a tail call. */
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
	xadd %\slot, SPOOR_THREAD_CURSOR(%rcx)	/* slot: the address of our word */
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

/* Logs two events for a function in which exceptions or longjmp may arrive: its entry, and the
 * address at which it keeps its return address (its frame). */
	trampoline_begin spoor_log_framed 0
	call spoor_log_entry
	lea 8(%rsp), %r11
	frame_code SPOOR_KIND_FRAME
	jmp spoor_log_exit
	trampoline_end spoor_log_framed

/* Logs that an exception or longjmp arrived. rdi = address of the caller's return address; bits 63
 * and 62 are described in registration.h. Preserves the registers that an exit does, and rdi. */
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
 * slow - calls spoor_event_slow(rcx, rdx, eax) and returns its result in rax. Preserves the other
 * general registers except rcx and rdx.
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
	flags_clear
	and $-16, %rsp
	mov %rcx, %rdi
	mov %rdx, %rsi
	mov %eax, %edx
	call spoor_event_slow
	lea -7*8(%rbp), %rsp
	flags_restore r11
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
