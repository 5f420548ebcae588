/* SPDX-License-Identifier: MIT */
/*
 * aarch64.S - thunks: near enough for a sled's call, they jump on to where
 * the runtime points their slots. They change no register but x16, no flag.
 *
 *   entry, exit  called by the sled  x0 and x30 at sp, w0 = event code
 *   tail         the same; it saves x16 and x17 below them, one of which may hold the target
 *   framed       as entry, of a function in which exceptions or longjmp may arrive
 *
 * spoor_dso_unwound is called where they have arrived, as any function of C is.
 *
 * Until a runtime fills in the slots they lead straight back.
 */
	.text
	.macro thunk name slot cfa
	.hidden \name
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	.if \cfa
	.cfi_def_cfa_offset \cfa
	.cfi_offset x30, -8
	.endif
	hint #34				/* bti c */
	.if \slot == 2
	stp x16, x17, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.endif
	adrp x16, spoor_dso_slots+8*\slot
	ldr x16, [x16, :lo12:spoor_dso_slots+8*\slot]
	br x16
	.cfi_endproc
	.size \name, . - \name
	.endm

	/* Unwinders that find a thread here leave out the function with the sled. */
	thunk spoor_dso_thunk_entry 0 16
	thunk spoor_dso_thunk_exit 1 16
	thunk spoor_dso_thunk_tail 2 16
	thunk spoor_dso_thunk_framed 3 16
	thunk spoor_dso_unwound 4 0

	.p2align 4
return_tail:
	.cfi_startproc
	.cfi_def_cfa_offset 32
	.cfi_offset x30, -8
	hint #34
	ldp x16, x17, [sp], #16
	.cfi_def_cfa_offset 16
	ret
	.cfi_endproc
return:
	.cfi_startproc
	hint #34				/* at the end of a sled, and of spoor_dso_unwound */
	ret
	.cfi_endproc

	.section .data.rel.local, "aw", @progbits
	.hidden spoor_dso_slots
	.globl spoor_dso_slots
	.type spoor_dso_slots, @object
	.p2align 3
spoor_dso_slots:
	.quad return, return, return_tail, return, return
	.size spoor_dso_slots, . - spoor_dso_slots

	/* How a runtime that arrives later finds the module; registration.h. */
	.section .note.spoor, "a", @note
	.p2align 2
	.long 6, 8, 1
	.asciz "spoor"
	.p2align 2
	.hidden spoor_dso_self
1:	.quad spoor_dso_self - 1b

	/* All of it may be guarded by landing pads and signed return addresses (AAELF64). */
	.section .note.gnu.property, "a", @note
	.p2align 3
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000000, 4, 3, 0

	.section .note.GNU-stack, "", @progbits
