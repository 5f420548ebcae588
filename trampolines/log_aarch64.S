/* SPDX-License-Identifier: MIT */
/*
 * log_aarch64.S - stores one event. A patched sled reaches this code through its module's thunk.
 *
 * On entry
 *   entry, exit  w16 = event code (trace_format.h), x17 = the function's x30, x0 and x1 at sp
 *   tail         x1 = the function's x30, x0 and x1 at sp, and x30 = the return address in the
 *                sled; one instruction follows there, then two with the halves of the event code
 * Preserved: the flags and every register, except d31 at a tail call, and at entry and exit x16
 * and x17, which calls may change between two functions. x18 is preserved too.
 * The code touches no other vector register. Only spoor_attach_on_libc_stack calls libc, and it saves all
 * of them.
 *
 * Counter, reservation and quarter follow in the order of log_x86_64.S, for the same reasons. Only
 * this thread and its signal handlers use them, and they see this order whatever other processors
 * do. README.md lists the other readers of the memory that this code writes.
 *
 * One instruction advances the cursor if the processor has LSE. Otherwise a pair of exclusives
 * does, and no signal handler can run between them unnoticed: its return clears the monitor.
 *
 * Cost of the straight path: 24 instructions, 2 stores, one of them the event, and the addition;
 * with exclusives 28 and 4. A tail call takes 10 instructions and 1 store more.
 */
#include "event/event_path.h"
#include "trampolines/frame_aarch64.h"

	.arch_extension lse
	.text
	branch_protection_note

	/* x3: the slot; x0: the thread */
	.macro reserve lse
	.if \lse
	mov x3, #8
	ldadd x3, x3, [x0]
	.else
	keep x4, x5
.Lagain\@:
	ldxr x3, [x0]
	add x4, x3, #8
	stxr w5, x4, [x0]
	cbnz w5, .Lagain\@
	restore x4, x5
	.endif
	.endm

	/* Stores the event with the code w16. The code for the rare cases follows the return. Changes x0 to x3
	 * and x16. */
	.macro store name lse
.Lretry_\name:
	thread_variable x0, x1, spoor_thread
	ldr x0, [x0, x1]			/* x0: struct spoor_thread */
	mrs x1, cntvct_el0
	lsr x2, x1, #SPOOR_QUARTER_SHIFT	/* w2: the quarter of now */
	bfi x1, x16, #32, #32			/* x1: the event's word */
	ldr w3, [x0, #SPOOR_THREAD_QUARTER]
	sub w3, w3, w2
	cbnz w3, .Lstale_\name
	reserve \lse				/* x3: the address of our word */
	tbz x3, #SPOOR_SLICE_SHIFT, .Lslow_\name
	ldr w16, [x0, #SPOOR_THREAD_QUARTER]
	sub w16, w16, w2
	cbnz w16, .Lslow_\name
	str x1, [x3]
.Ldone_\name:
	.endm

	.macro store_slow name how
.Lstale_\name:
	mov x3, #0
.Lslow_\name:
	lsr x16, x1, #32
	keep_return \how
	bl slow
	restore_return \how
	cbz w0, .Lretry_\name
	b .Ldone_\name
	.endm

	.macro log name how lse
	trampoline_begin \name \how
	keep x2, x3
	store \name \lse
	.cfi_remember_state
	restore x2, x3
	trampoline_return \how
	.cfi_restore_state
	store_slow \name \how
	trampoline_end \name
	.endm

	/* Logs two events for a function in which exceptions or longjmp may arrive: its entry, and the
	 * start of its frame, which the mark names as well. */
	.macro framed name lse
	trampoline_begin \name HOW_ENTRY
	keep x2, x3
	store \name \lse
	add x16, sp, #32			/* sp in the sled */
	ubfx x16, x16, #4, #29
	orr w16, w16, #(SPOOR_KIND_FRAME << 29)
	store \name\()_frame \lse
	.cfi_remember_state
	restore x2, x3
	trampoline_return HOW_ENTRY
	.cfi_restore_state
	store_slow \name HOW_ENTRY
	store_slow \name\()_frame HOW_ENTRY
	trampoline_end \name
	.endm

	/* Logs that an exception or longjmp arrived. x0 = the start of the caller's frame; bits 63 and 62
	 * are described in registration.h. Preserves all registers except x16 and x17. */
	.macro unwind name lse
	trampoline_begin \name HOW_CALL
	keep x2, x3
	ldr x0, [sp, #16]
	ubfx x2, x0, #4, #29
	mov w1, #(SPOOR_KIND_UNWIND << 29)
	tbz x0, #63, 1f
	ubfx x2, x0, #4, #28
	mov w1, #(SPOOR_KIND_SWITCH << 29)
	tbz x0, #62, 1f
	orr w1, w1, #(1 << 28)
1:	orr w16, w1, w2
	store \name \lse
	.cfi_remember_state
	restore x2, x3
	trampoline_return HOW_CALL
	.cfi_restore_state
	store_slow \name HOW_CALL
	trampoline_end \name
	.endm

	.macro log_set prefix lse
	log \prefix\()_entry HOW_ENTRY \lse
	log \prefix\()_exit HOW_EXIT \lse
	log \prefix\()_tail HOW_TAIL \lse
	framed \prefix\()_framed \lse
	unwind \prefix\()_unwind \lse
	.endm

	log_set spoor_log 0
	log_set spoor_log_lse 1

	trampoline_begin spoor_no_unwind HOW_CALL
	trampoline_return HOW_CALL
	trampoline_end spoor_no_unwind

/*
 * slow - calls spoor_event_slow(x0, x3, w16) and returns its result in w0. Preserves all other general
 * registers.
 */
	.type slow, @function
	.p2align 4
slow:
	.cfi_startproc
	function_begin
	general_keep x30
	mov x1, x3
	mov w2, w16
	bl spoor_event_slow
	general_restore
	function_return
	.cfi_endproc
	.size slow, . - slow

	.section .note.GNU-stack, "", @progbits
