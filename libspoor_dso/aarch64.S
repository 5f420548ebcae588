/* SPDX-License-Identifier: MIT */
/*
 * aarch64.S - the thunks of a module: a sled calls one, and it jumps to the trampoline in its slot.
 *
 * Sleds reach thunks, which are in the same module, by a near call. The runtime stores the
 * addresses of trampolines in the slots. Thunks push x0 and x1 first.
 *
 *   entry, exit  called by the sled  w16 = event code, x17 = the function's x30
 *   tail         called by the sled  d31 = the function's x30, which the thunk copies to x1; the
 *                                    event code is in the sled
 *   framed       as entry, for a function in which exceptions or longjmp may arrive
 *
 * Functions call spoor_dso_unwound, by the C calling convention, where an exception or longjmp
 * arrives. It pushes nothing.
 *
 *   first        jumped to at the start of a function while the function's byte is 0: x17 = the
 *                address of two words, before the function's code: the distance of the byte from
 *                the first, and of this thunk from the second. It pushes x30 and x17, and loads
 *                &spoor_dso_self into x17. It may change x16.
 *
 * Until a runtime fills in the slots, thunks return at once, and first sets the byte.
 */
#include "trampolines/first_aarch64.h"

#define COLUMN_D31 95

	.text
	/* \own: the register with the function's x30. With this CFI unwinders skip the function with the sled. */
	.macro thunk name slot own
	.hidden \name
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	.ifnb \own
	.cfi_register x30, \own
	.endif
	hint #34				/* bti c */
	.ifnb \own
	stp x0, x1, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.if \slot == 2
	fmov x1, d31				/* not all unwinders know where d31 is */
	.cfi_register x30, x1
	.endif
	adrp x0, spoor_dso_slots+8*\slot
	ldr x0, [x0, :lo12:spoor_dso_slots+8*\slot]
	br x0
	.else
	adrp x16, spoor_dso_slots+8*\slot
	ldr x16, [x16, :lo12:spoor_dso_slots+8*\slot]
	br x16
	.endif
	.cfi_endproc
	.size \name, . - \name
	.endm

	thunk spoor_dso_thunk_entry 0 x17
	thunk spoor_dso_thunk_exit 1 x17
	thunk spoor_dso_thunk_tail 2 COLUMN_D31
	thunk spoor_dso_thunk_framed 3 x17
	thunk spoor_dso_unwound 4

	/* On entry x17 = the address of the function's two words (pass/sleds/first_runs.c), x30 = the function's
	 * return address, so unwinders skip the function. */
	.hidden spoor_dso_thunk_first, spoor_dso_self
	.globl spoor_dso_thunk_first
	.type spoor_dso_thunk_first, @function
	.p2align 4
spoor_dso_thunk_first:
	.cfi_startproc
	hint #34				/* bti c, which a jump through x16 may reach */
	stp x30, x17, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -16
	dmb ishld				/* loads the slot after the byte */
	adrp x16, spoor_dso_slots+8*5
	ldr x16, [x16, :lo12:spoor_dso_slots+8*5]
	adrp x17, spoor_dso_self
	add x17, x17, :lo12:spoor_dso_self
	br x16
	.cfi_endproc
	.size spoor_dso_thunk_first, . - spoor_dso_thunk_first

	.p2align 4
return_first:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -16
	hint #38				/* bti jc */
	first_return
	.cfi_endproc

	.p2align 4
return:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_register x30, x17
	hint #38				/* bti jc */
	mov x16, x30
	mov x30, x17
	ldp x0, x1, [sp], #16
	ret x16
	.cfi_endproc
return_tail:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_register x30, x1
	hint #38
	fmov d31, x16				/* the sled puts it back */
	mov x16, x30
	mov x30, x1
	ldp x0, x1, [sp], #16
	ret x16
	.cfi_endproc
return_unwound:
	.cfi_startproc
	hint #38
	ret
	.cfi_endproc

	.section .data.rel.local, "aw", @progbits
	.hidden spoor_dso_slots
	.globl spoor_dso_slots
	.type spoor_dso_slots, @object
	.p2align 3
spoor_dso_slots:
	.quad return, return, return_tail, return, return_unwound, return_first
	.size spoor_dso_slots, . - spoor_dso_slots

#include "libspoor_dso/note.h"

	/* This object supports landing pads and signed return addresses (AAELF64). */
	.section .note.gnu.property, "a", @note
	.p2align 3
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000000, 4, 3, 0

	.section .note.GNU-stack, "", @progbits
