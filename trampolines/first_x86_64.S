/* SPDX-License-Identifier: MIT */
/*
 * first_x86_64.S - what a function compiled for order mode reaches when it runs for the first
 * time, as the first thing it does.
 *
 * On entry (%rsp) = 16 bytes behind the begin of the function's cmpb $0, byte(%rip) (pass/first_runs.c),
 * r11 = its module's struct spoor_dso. Kept: every register but r11 and the flags. The byte is
 * set last: where a signal handler leaves by siglongjmp, the function calls in once more.
 */
#include "trampolines/frame_x86_64.h"

	.text

	trampoline_begin spoor_first_entry 0
	general_keep
	mov %r11, %rdi
	mov 8*8(%rsp), %rsi
	call spoor_first_run
	mov 8*8(%rsp), %rax
	movslq -14(%rax), %rcx
	movb $1, -9(%rax,%rcx)
	general_restore
	ret
	trampoline_end spoor_first_entry

	.section .note.GNU-stack, "", @progbits
