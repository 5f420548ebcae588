/* SPDX-License-Identifier: MIT */
/* frame_x86_64.h - macros for all trampolines: begin, end, pushes and pops with their CFI. */
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

	/* The general registers that a C function may change, except r11. */
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
	 * Clears the flags for alignment checks and for the direction of string instructions, with which C code
	 * may not run, and pushes their values. No other flag is pushed: a debugger may have set the trap flag,
	 * and flags_restore would set it again.
	 */
#define FLAGS_FOREIGN_TO_C 0x40400
	.macro flags_clear
	pushfq
	andq $FLAGS_FOREIGN_TO_C, (%rsp)
	jz 9f
	pushfq
	andq $~FLAGS_FOREIGN_TO_C, (%rsp)
	popfq
9:
	.endm

	/* Pops into \register. */
	.macro flags_restore register
	pop %\register
	test %\register, %\register
	jz 9f
	pushfq
	or %\register, (%rsp)
	popfq
9:
	.endm

	/*
	 * \tail: 1 at a tail call. The function has left its frame by then, so the CFI names
	 * its caller's return address. The function's unwind table may still say that rbp is
	 * saved where the sled's call stored its return address. So this macro moves the
	 * return address down and stores rbp there again.
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

	/* Loads the event code at a tail call: it is an operand of the instruction to which the
	 * sled's call returns, after 1 byte of opcode. */
	.macro tail_code return_address register dword
	mov \return_address, %\register
	mov 1(%\register), %\dword
	.endm

	.macro trampoline_end name
	.cfi_endproc
	.size \name, . - \name
	.endm
