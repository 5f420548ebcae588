/* SPDX-License-Identifier: MIT */
/*
 * mixed_x86_64.S - for a module of which some functions are captured: stores their entries and exits with arguments
 * and results, and logs the other events.
 *
 * The contract on entry and the preserved registers are those of log_x86_64.S. The code reads vector and x87
 * registers of captured functions, and changes none of them: the top of the x87 stack is stored and loaded again.
 *
 * A function without an action takes 15 instructions more than in log_x86_64.S. Numbers in general registers are
 * stored by numbers_x86_64.h; everything else goes through C.
 */
#include "event/capture_path.h"
#include "event/library_path.h"

#include "trampolines/frame_x86_64.h"
#include "trampolines/numbers_x86_64.h"

	.text

	/* eax: the action for the event r11d of \kind. Changes rcx. */
	.macro action kind
	mov %r11d, %eax
	shr $SPOOR_ACTION_CHUNK_SHIFT, %eax
	lea spoor_actions - ((\kind << 29) >> SPOOR_ACTION_CHUNK_SHIFT) * 8(%rip), %rcx
	mov (%rcx,%rax,8), %rcx
	movzwl %r11w, %eax
	movzwl (%rcx,%rax,2), %eax
	.endm

	/* Begins a trampoline. If the action has the bit \wanted, goes on with rcx and rax pushed, else at \logs. */
	.macro mixed_begin name kind wanted logs
	trampoline_begin \name 0
	keep %rcx
	keep %rax
	action \kind
	test $\wanted, %eax
	jnz 1f
	.cfi_remember_state
	restore %rax
	restore %rcx
	jmp \logs
	.cfi_restore_state
1:
	.endm

	/* Saves registers, and makes a struct spoor_saved_registers with its vectors and x87. Afterwards rbp
	 * points at the pushed rbp, rax and rcx, and rcx at the capture. */
	.macro capture_begin
	keep %rbp
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	push %rdx
	push %rsi
	push %rdi
	push %r8
	push %r9
	push %r10
	push %r11
	flags_clear
	sub $SPOOR_SAVED_BYTES, %rsp
	and $-16, %rsp
	mov %eax, %ecx
	and $SPOOR_ACTION_NUMBER, %ecx
	shl $SPOOR_CAPTURE_SHIFT, %ecx
	lea spoor_captures(%rip), %r10
	add %r10, %rcx
	.endm

	/* r11 is as it was on entry. */
	.macro capture_end
	lea -8*8(%rbp), %rsp
	flags_restore r11
	pop %r11
	pop %r10
	pop %r9
	pop %r8
	pop %rdi
	pop %rsi
	pop %rdx
	pop %rbp
	.cfi_def_cfa %rsp, 24
	.cfi_restore %rbp
	restore %rax
	restore %rcx
	.endm

	.macro save_vectors count
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7
	.if \n < \count
	movups %xmm\n, (SPOOR_SAVED_VECTORS + 16 * \n)(%rsp)
	.endif
	.endr
	.endm

	/*
	 * Stores the entry. Afterwards all registers are as on entry. Goes on at \done, or returns, if no C was called.
	 * \in_stub: 1 if the stub of a library call is the caller, whose frame is at rbp (library_x86_64.S)
	 */
	.macro capture_entry in_stub done
	arguments \done
	capture_begin
	testb $SPOOR_CAPTURE_READS_VECTORS, SPOOR_CAPTURE_FLAGS(%rcx)
	jz 2f
	save_vectors 8
2:	mov 16(%rbp), %r10			/* rcx on entry */
	mov %rdi, (%rsp)
	mov %rsi, 8(%rsp)
	mov %rdx, 16(%rsp)
	mov %r10, 24(%rsp)
	mov %r8, 32(%rsp)
	mov %r9, 40(%rsp)
	mov %eax, %ecx
	mov %r11d, %edi
	mov %rsp, %rsi
	.if \in_stub
	mov (%rbp), %rdx
	add $SPOOR_LIBRARY_FRAME_STACK, %rdx
	.else
	lea 40(%rbp), %rdx			/* after rbp, rax, rcx, and the two return addresses */
	.endif
	call spoor_capture_store
	capture_end
	.endm

	mixed_begin spoor_mixed_entry SPOOR_KIND_ENTRY SPOOR_ACTION_ARGUMENTS spoor_log_entry
	capture_entry 0
	ret
	trampoline_end spoor_mixed_entry

	mixed_begin spoor_mixed_library_entry SPOOR_KIND_ENTRY SPOOR_ACTION_ARGUMENTS spoor_log_entry
	capture_entry 1
	ret
	trampoline_end spoor_mixed_library_entry

	/* The frame's event follows the entry, as in spoor_log_framed. */
	mixed_begin spoor_mixed_framed SPOOR_KIND_ENTRY SPOOR_ACTION_ARGUMENTS spoor_log_framed
	capture_entry 0 .Lentered
.Lentered:
	lea 8(%rsp), %r11
	shr $4, %r11
	and $((1 << 29) - 1), %r11d
	or $(SPOOR_KIND_FRAME << 29), %r11d
	jmp spoor_log_exit
	trampoline_end spoor_mixed_framed

	mixed_begin spoor_mixed_exit SPOOR_KIND_EXIT SPOOR_ACTION_RESULT spoor_log_exit
	result
	capture_begin
	testb $SPOOR_CAPTURE_READS_VECTORS, SPOOR_CAPTURE_FLAGS(%rcx)
	jz 2f
	save_vectors 4
2:	testb $SPOOR_CAPTURE_READS_X87, SPOOR_CAPTURE_FLAGS(%rcx)
	jz 2f
	fstpt SPOOR_SAVED_X87(%rsp)
	fldt SPOOR_SAVED_X87(%rsp)
2:	mov 8(%rbp), %rsi			/* rax on entry */
	mov 16(%rbp), %rdi			/* rcx on entry */
	mov %rsi, (%rsp)
	mov %rdx, 8(%rsp)
	mov %rdi, 16(%rsp)
	mov %eax, %ecx
	mov %r11d, %edi
	mov %rsp, %rsi
	xor %edx, %edx
	call spoor_capture_store
	capture_end
	ret
	trampoline_end spoor_mixed_exit

	.section .note.GNU-stack, "", @progbits
