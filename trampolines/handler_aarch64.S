/* SPDX-License-Identifier: MIT */
/*
 * handler_aarch64.S - calls the handler with the function's ID and the kind of event. A patched
 * sled reaches this code while a handler is set.
 *
 * The contract is that of log_aarch64.S, except that only some vector registers are preserved:
 * the registers that can hold an argument or a result, or that a calling convention preserves at full
 * width (0-23, and all predicates). The bare_* variants save no vector registers, for handlers
 * that use none. The saving_* variants are the same, because no compiler for this machine lets a
 * function save all registers.
 */
#include "event/event_path.h"
#include "trampolines/frame_aarch64.h"
#include "trampolines/vectors_aarch64.h"

	.text
	branch_protection_note

	/* Loads the handler's arguments from the event code in w16: x0 = the function ID, made of its
	 * chunk's module ID and origin and its index; w1 = the kind. */
	.macro arguments kind
	mov w1, #(\kind << 29)
	sub w0, w16, w1
	lsr w2, w0, #SPOOR_ID_CHUNK_SHIFT
	adrp x3, spoor_function_ids
	add x3, x3, :lo12:spoor_function_ids
	ldr x3, [x3, w2, uxtw #3]
	add x0, x0, x3
	mov w1, #\kind
	.endm

	.macro handler_call handler
	adrp x16, \handler
	ldr x16, [x16, :lo12:\handler]
	blr x16
	.endm

	/* Used while sp moves in ways that the unwind table does not describe. */
	.macro frame_pointer_tells
	.cfi_def_cfa_register x29
	.cfi_adjust_cfa_offset -GENERAL_BYTES
	.endm

	/* \vectors: prefix of the macros that save the vector registers; empty for a bare handler,
	 * which needs no guard against recursion: the functions that it calls are not traced
	 * (spoor.h). */
	.macro handled name how kind handler vectors
	trampoline_begin \name \how
	keep_return \how
	mov x29, sp
	general_keep x0
	frame_pointer_tells
	.ifnb \vectors
	thread_variable x0, x1, spoor_in_handler
	add x0, x0, x1
	ldrb w1, [x0]
	cbnz w1, 1f
	mov w1, #1
	strb w1, [x0]
	.endif
	arguments \kind
	.ifnb \vectors
	\vectors\()_save 23
	.endif
	dmb ishld				/* README, 7: loads the handler after the slot */
	handler_call \handler
	.ifnb \vectors
	\vectors\()_load 23
	thread_variable x16, x17, spoor_in_handler
	strb wzr, [x16, x17]
	.endif
2:	.cfi_remember_state
	.cfi_def_cfa_register sp
	.cfi_adjust_cfa_offset GENERAL_BYTES
	general_restore
	restore_return \how
	trampoline_return \how
	.ifnb \vectors
	.cfi_restore_state
	/* The thread is inside the handler already: counts the event as unreported. */
1:	adrp x16, spoor_handler_unreported
	add x16, x16, :lo12:spoor_handler_unreported
3:	ldxr x17, [x16]
	add x17, x17, #1
	stxr w1, x17, [x16]
	cbnz w1, 3b
	b 2b
	.endif
	trampoline_end \name
	.endm

	.macro handler_set prefix handler vectors
	handled spoor_\prefix\()_entry HOW_ENTRY SPOOR_KIND_ENTRY \handler \vectors
	handled spoor_\prefix\()_exit HOW_EXIT SPOOR_KIND_EXIT \handler \vectors
	handled spoor_\prefix\()_tail HOW_TAIL SPOOR_KIND_TAIL_EXIT \handler \vectors
	.endm

	handler_set any_simd spoor_any_handler vectors
	handler_set any_sve spoor_any_handler sve
	handler_set bare spoor_bare_handler
	handler_set saving spoor_saving_handler

	trampoline_begin spoor_no_event HOW_CALL
	trampoline_return HOW_CALL
	trampoline_end spoor_no_event

	.section .note.GNU-stack, "", @progbits
