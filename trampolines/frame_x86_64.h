/* SPDX-License-Identifier: MIT */
/* frame_x86_64.h - what the trampolines' files share: pushes with their CFI. */
#if defined __CET__ && __has_include(<cet.h>)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

	.macro keep register
	push \register
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \register, 0
	.endm

	.macro restore register
	pop \register
	.cfi_adjust_cfa_offset -8
	.cfi_restore \register
	.endm

	/* What a function of C may change of the general registers, but r11. */
	.macro general_keep
	.irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r10
	keep %\register
	.endr
	.endm

	.macro general_restore
	.irp register, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	restore %\register
	.endr
	.endm

	/*
	 * \tail: 1 at a tail call. The function is left by then, so its frame is
	 * skipped: the return address is its caller's. And its unwind table goes on
	 * to say, where rbp was saved, that it lies where the sled's call wrote its own
	 * return address: that moves down, and rbp is put back.
	 */
	.macro trampoline_begin name tail
	.globl \name
	.hidden \name
	.type \name, @function
	.p2align 6
\name:
	.cfi_startproc
	.if \tail
	.cfi_def_cfa_offset 16
	.endif
	_CET_ENDBR
	.if \tail
	push (%rsp)
	.cfi_adjust_cfa_offset 8
	mov %rbp, 8(%rsp)
	.endif
	.endm

	.macro trampoline_return tail
	.if \tail
	ret $8
	.else
	ret
	.endif
	.endm

	/* At a tail call: the event's code stands in the text, where the sled's call
	 * returns to, behind the opcode of the instruction that carries it. */
	.macro tail_code return_address register dword
	mov \return_address, %\register
	mov 1(%\register), %\dword
	.endm

	.macro trampoline_end name
	.cfi_endproc
	.size \name, . - \name
	.endm
