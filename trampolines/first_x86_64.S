/* SPDX-License-Identifier: MIT */
/*
 * first_x86_64.S - notes the first run of a function that was compiled for order mode. The function
 * calls this code before anything else.
 *
 * On entry (%rsp) = the address 16 bytes after the start of the function's cmpb $0, byte(%rip)
 * (pass/sleds/first_runs.c), r11 = its module's struct spoor_dso. Preserved: every register except
 * r11 and the flags. The code sets the byte last: if a signal handler leaves by siglongjmp, the
 * function calls again.
 */
#include "trampolines/frame_x86_64.h"

	.text

	trampoline_begin spoor_first_entry 0
	general_keep
	mov %r11, %rdi
	mov 8*8(%rsp), %rsi
	sub $8, %rsp				/* rsp is aligned after one more word */
	.cfi_adjust_cfa_offset 8
	flags_clear
	.cfi_adjust_cfa_offset 8
	call spoor_first_run
	flags_restore r10
	.cfi_adjust_cfa_offset -8
	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	mov 8*8(%rsp), %rax
	movslq -14(%rax), %rcx
	movb $1, -9(%rax,%rcx)
	general_restore
	ret
	trampoline_end spoor_first_entry

	.section .note.GNU-stack, "", @progbits
