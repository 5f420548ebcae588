/* SPDX-License-Identifier: MIT */
/*
 * mixed_aarch64.S - for a module of which some functions are captured: stores their entries and exits with arguments
 * and results, and logs the other events.
 *
 * The contract on entry and the preserved registers are those of log_aarch64.S. The code reads vector registers of
 * captured functions, and changes none of them.
 *
 * A function without an action takes 10 instructions more than in log_aarch64.S.
 */
#include "event/capture_path.h"
#include "event/library_path.h"
#include "trampolines/frame_aarch64.h"

	.text
	branch_protection_note

/* Offset from sp of the x0 and x1 that the thunk has pushed, after capture_begin */
#define PUSHED (SPOOR_SAVED_BYTES + GENERAL_BYTES + 32)

#define IN_FUNCTION 0
#define IN_STUB 1

	/* Begins a trampoline. If the action has the bit number \wanted, goes on with the action in w1, else at
	 * \logs. */
	.macro mixed_begin name how wanted logs
	trampoline_begin \name \how
	dmb ishld				/* README.md, 7: the actions are as new as the slot */
	adrp x0, spoor_actions
	add x0, x0, :lo12:spoor_actions
	ubfx w1, w16, #SPOOR_ACTION_CHUNK_SHIFT, #(29 - SPOOR_ACTION_CHUNK_SHIFT)
	ldr x0, [x0, x1, lsl #3]
	and w1, w16, #((1 << SPOOR_ACTION_CHUNK_SHIFT) - 1)
	ldrh w1, [x0, x1, lsl #1]
	tbnz w1, #\wanted, 1f
	b \logs
1:
	.endm

	/* Calls spoor_capture_or_note with the registers as they are. \stack: IN_FUNCTION; IN_STUB if the stub of a library
	 * call is the caller, whose frame is at x29 (library_aarch64.S). Afterwards w0 is the result, and all registers but
	 * x1 are as before. */
	.macro capture how stack
	keep_return \how
	general_keep x9
	sub sp, sp, #SPOOR_SAVED_BYTES
	.cfi_adjust_cfa_offset SPOOR_SAVED_BYTES
	ldp x9, x10, [sp, #PUSHED]
	stp x9, x10, [sp]
	stp x2, x3, [sp, #16]
	stp x4, x5, [sp, #32]
	stp x6, x7, [sp, #48]
	str x8, [sp, #SPOOR_SAVED_X87]
	and w9, w1, #SPOOR_ACTION_NUMBER
	adrp x10, spoor_captures
	add x10, x10, :lo12:spoor_captures
	add x10, x10, x9, lsl #SPOOR_CAPTURE_SHIFT
	ldrb w10, [x10, #SPOOR_CAPTURE_FLAGS]
	tbz w10, #0, 2f				/* SPOOR_CAPTURE_READS_VECTORS */
	stp q0, q1, [sp, #SPOOR_SAVED_VECTORS]
	stp q2, q3, [sp, #(SPOOR_SAVED_VECTORS + 32)]
	stp q4, q5, [sp, #(SPOOR_SAVED_VECTORS + 64)]
	stp q6, q7, [sp, #(SPOOR_SAVED_VECTORS + 96)]
2:	mov w3, w1
	mov w0, w16
	mov x1, sp
	.if \stack == IN_FUNCTION
	add x2, sp, #(PUSHED + 16)		/* sp in the sled */
	.else
	add x2, x29, #SPOOR_LIBRARY_FRAME_STACK
	.endif
	bl spoor_capture_or_note
	add sp, sp, #SPOOR_SAVED_BYTES
	.cfi_adjust_cfa_offset -SPOOR_SAVED_BYTES
	general_restore
	restore_return \how
	.endm

	/* Stores the entry by a plain trampoline if spoor_capture_or_note has not stored it. */
	.macro store_plain entry
	cbnz w0, 2f
	b \entry
2:
	.endm

	.macro mixed_set prefix logs
	mixed_begin \prefix\()_entry HOW_ENTRY 14 \logs\()_entry
	capture HOW_ENTRY IN_FUNCTION
	store_plain \logs\()_entry
	trampoline_return HOW_ENTRY
	trampoline_end \prefix\()_entry

	mixed_begin \prefix\()_library_entry HOW_ENTRY 14 \logs\()_entry
	capture HOW_ENTRY IN_STUB
	store_plain \logs\()_entry
	trampoline_return HOW_ENTRY
	trampoline_end \prefix\()_library_entry

	/* The frame's event follows the entry, as in spoor_log_framed. */
	mixed_begin \prefix\()_framed HOW_ENTRY 14 \logs\()_framed
	capture HOW_ENTRY IN_FUNCTION
	store_plain \logs\()_framed
	add x16, sp, #16			/* sp in the sled */
	ubfx x16, x16, #4, #29
	orr w16, w16, #(SPOOR_KIND_FRAME << 29)
	b \logs\()_entry
	trampoline_end \prefix\()_framed

	mixed_begin \prefix\()_exit HOW_EXIT 15 \logs\()_exit
	capture HOW_EXIT IN_FUNCTION
	trampoline_return HOW_EXIT
	trampoline_end \prefix\()_exit
	.endm

	mixed_set spoor_mixed spoor_log
	mixed_set spoor_mixed_lse spoor_log_lse

	.section .note.GNU-stack, "", @progbits
