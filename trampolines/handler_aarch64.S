/* SPDX-License-Identifier: MIT */
/*
 * handler_aarch64.S - what a patched sled reaches while a handler is set: it is
 * called with the function's ID and the kind of event.
 *
 * The contract is that of log_aarch64.S, but of the vector registers only those are kept that
 * can hold an argument or a result, or that some calling convention has functions keep whole
 * (0-23, all predicates). bare_* leave them to a handler that has none; saving_* are the
 * same, for no compiler lets a function save all registers here.
 */
#include "event/event_path.h"
#include "trampolines/frame_aarch64.h"
#include "trampolines/vectors_aarch64.h"

	.text
	branch_protection_note

	/* The handler's, from the code in w16: x0 the function's ID, from its chunk's module ID
	 * and origin and its index; w1 the kind. */
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

	/* While sp goes where no table follows it. */
	.macro frame_pointer_tells
	.cfi_def_cfa_register x29
	.cfi_adjust_cfa_offset -GENERAL_BYTES
	.endm

	/* \vectors: the prefix of what saves them; none for a bare handler, before which
	 * nothing guards against recursion: what it calls is not traced (spoor.h). */
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
	dmb ishld				/* README, 7: no handler older than the slot */
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
	/* Within the handler already: of this event nobody is told. */
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
