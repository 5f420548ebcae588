/* SPDX-License-Identifier: MIT */
/*
 * log_aarch64.S - what a patched sled reaches through its thunk: one event is stored.
 *
 * On entry
 *   entry, exit  w0 = event code (trace_format.h), x0 and x30 at sp
 *   tail         the same, below them x16 and x17
 * Kept: every register but x0 and x30, which the sled puts back, at entry and exit x16
 * and x17, which belong to whoever is between two functions; x18, and the flags.
 * No vector register is touched; libc is called only behind spoor_attach_aside, which
 * saves them all.
 *
 * The order of counter, reservation and quarter is that of log_x86_64.S, and for its reasons.
 * They are one thread's, and its signal handlers', which see them in this order whatever other
 * processors do: README says who else looks at what is written here, and when.
 *
 * The cursor goes on by one instruction where the processor has such (LSE), else by a pair
 * of exclusives, between which no handler can have been: its return clears the monitor.
 *
 * Cost of the straight path: 23 instructions, 2 stores, one of them the event, and the
 * addition; 27 and 4 with exclusives; at a tail call one load more.
 */
#include "event_path.h"
#include "frame_aarch64.h"

	.arch_extension lse
	.text
	branch_protection_note

	/* x2: the slot; x16: the thread */
	.macro reserve lse
	.if \lse
	mov x2, #8
	ldadd x2, x2, [x16]
	.else
	keep x3, x4
.Lagain\@:
	ldxr x2, [x16]
	add x3, x2, #8
	stxr w4, x3, [x16]
	cbnz w4, .Lagain\@
	restore x3, x4
	.endif
	.endm

	/* Stores the event of code w0, here; what is rare, behind the return. Changes x0, x1, x2,
	 * x16 and x17. */
	.macro store name lse
.Lretry_\name:
	thread_variable x16, x17, spoor_thread
	ldr x16, [x16, x17]			/* x16: struct spoor_thread */
	mrs x17, cntvct_el0
	lsr x1, x17, #SPOOR_QUARTER_SHIFT	/* w1: the counter >> 30 */
	bfi x17, x0, #32, #32			/* x17: the event's word */
	ldr w2, [x16, #SPOOR_THREAD_QUARTER]
	sub w2, w2, w1
	cbnz w2, .Lstale_\name
	reserve \lse				/* x2: ours from here on */
	tbz x2, #SPOOR_SLICE_SHIFT, .Lslow_\name
	ldr w0, [x16, #SPOOR_THREAD_QUARTER]
	sub w0, w0, w1
	cbnz w0, .Lslow_\name
	str x17, [x2]
.Ldone_\name:
	.endm

	.macro store_slow name how
.Lstale_\name:
	mov x2, #0
.Lslow_\name:
	lsr x0, x17, #32
	keep_return \how
	bl slow
	restore_return \how
	cbz w1, .Lretry_\name
	b .Ldone_\name
	.endm

	.macro log name how lse
	trampoline_begin \name \how
	keep x1, x2
	store \name \lse
	.cfi_remember_state
	restore x1, x2
	trampoline_return \how
	.cfi_restore_state
	store_slow \name \how
	trampoline_end \name
	.endm

	/* A function in which exceptions or longjmp may arrive: its entry, and where its frame
	 * begins, which is what the mark tells as well. */
	.macro framed name lse
	trampoline_begin \name HOW_ENTRY
	keep x1, x2
	store \name \lse
	add x0, sp, #32				/* sp before the sled */
	ubfx x0, x0, #4, #29
	orr w0, w0, #(SPOOR_KIND_FRAME << 29)
	store \name\()_frame \lse
	.cfi_remember_state
	restore x1, x2
	trampoline_return HOW_ENTRY
	.cfi_restore_state
	store_slow \name HOW_ENTRY
	store_slow \name\()_frame HOW_ENTRY
	trampoline_end \name
	.endm

	/* x0 = where the caller's frame begins; bits 63 and 62: registration.h. Keeps all but
	 * x16 and x17. */
	.macro unwind name lse
	trampoline_begin \name HOW_CALL
	keep x0, x30
	keep x1, x2
	ubfx x2, x0, #4, #29
	mov w1, #(SPOOR_KIND_UNWIND << 29)
	tbz x0, #63, 1f
	ubfx x2, x0, #4, #28
	mov w1, #(SPOOR_KIND_SWITCH << 29)
	tbz x0, #62, 1f
	orr w1, w1, #(1 << 28)
1:	orr w0, w1, w2
	store \name \lse
	.cfi_remember_state
	restore x1, x2
	restore x0, x30
	ret
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
	ret
	trampoline_end spoor_no_unwind

/*
 * slow - calls spoor_event_slow(x16, x2, w0): w1 is its result; all general registers are
 * kept but that one.
 */
	.type slow, @function
	.p2align 4
slow:
	.cfi_startproc
	function_begin
	str x0, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	general_keep x17
	mov w17, w0
	mov x0, x16
	mov x1, x2
	mov w2, w17
	bl spoor_event_slow
	general_restore
	mov w1, w0
	ldr x0, [sp], #16
	.cfi_adjust_cfa_offset -16
	function_return
	.cfi_endproc
	.size slow, . - slow

	.section .note.GNU-stack, "", @progbits
