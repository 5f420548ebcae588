/* SPDX-License-Identifier: MIT */
/*
 * count_aarch64.S - increments the function's counter in the thread's lane. A patched sled reaches
 * this code in mode "count".
 *
 * The contract is that of log_aarch64.S.
 *
 * No other thread uses the lane (counts.h). A signal handler of this thread sees the counter
 * before or after the increment: its return makes the exclusive store fail. The lane's base
 * address is so far below its first counter that the event code of an entry, including its
 * kind, is the index of the function's counter.
 *
 * Cost of the straight path: 14 instructions, the addition among them; 16 with exclusives.
 */
#include "event/event_path.h"
#include "trampolines/frame_aarch64.h"

	.arch_extension lse
	.text
	branch_protection_note

	.macro count name lse
	trampoline_begin \name HOW_ENTRY
	thread_variable x0, x1, spoor_thread
	ldr x0, [x0, x1]			/* x0: struct spoor_thread, */
	ldr x0, [x0, #SPOOR_THREAD_COUNTS]	/* then its lane */
	cbz x0, .Lslow_\name
	add x0, x0, x16, lsl #3
	.if \lse
	mov x1, #1
	stadd x1, [x0]
	.else
1:	ldxr x1, [x0]
	add x1, x1, #1
	stxr w16, x1, [x0]
	cbnz w16, 1b
	.endif
	.cfi_remember_state
	trampoline_return HOW_ENTRY
	.cfi_restore_state
.Lslow_\name:
	keep_return HOW_ENTRY
	bl slow
	restore_return HOW_ENTRY
	trampoline_return HOW_ENTRY
	trampoline_end \name
	.endm

	count spoor_count_entry 0
	count spoor_count_lse_entry 1

/* slow - calls spoor_count_slow(the thread, w16). May change x0 and x1. */
	.type slow, @function
	.p2align 4
slow:
	.cfi_startproc
	function_begin
	general_keep x30
	mov w1, w16
	thread_variable x0, x17, spoor_thread
	ldr x0, [x0, x17]
	bl spoor_count_slow
	general_restore
	function_return
	.cfi_endproc
	.size slow, . - slow

	trampoline_begin spoor_count_exit HOW_EXIT
	trampoline_return HOW_EXIT
	trampoline_end spoor_count_exit

	trampoline_begin spoor_count_tail HOW_TAIL
	trampoline_return HOW_TAIL
	trampoline_end spoor_count_tail

	.section .note.GNU-stack, "", @progbits
