/* SPDX-License-Identifier: MIT */
/*
 * frame_aarch64.h - macros for all trampolines: pushes with their CFI, and the unwind rules around
 * a sled's call.
 *
 * A sled saves x30 in x17, or in d31 at a tail call, and calls its thunk, which pushes x0 and x1.
 * At an entry the function is the trampoline's caller, and the function's own x30 is the value
 * that the sled saved. So the trampoline's return address gets another column in the unwind
 * table: the column that GCC's runtime uses for signal frames, where x30 is not the return
 * address either. Other unwinders accept any column (libgcc, config/aarch64/linux-unwind.h).
 * At an exit the function has left its frame, and unwinders continue in its caller.
 */
#ifndef SPOOR_FRAME_AARCH64_H
#define SPOOR_FRAME_AARCH64_H

#define HOW_ENTRY 0
#define HOW_EXIT 1
#define HOW_TAIL 2
#define HOW_CALL 3	/* a plain call: x30 is the return address, and the call pushes no word */

#define COLUMN_PC 96

	/* Tells linkers that this object supports landing pads and signed return addresses (AAELF64). */
	.macro branch_protection_note
	.pushsection .note.gnu.property, "a", @note
	.p2align 3
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000000, 4, 3, 0
	.popsection
	.endm

	.macro keep first second
	stp \first, \second, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.endm

	.macro restore first second
	ldp \first, \second, [sp], #16
	.cfi_adjust_cfa_offset -16
	.endm

	/* Saves x29, x30 and x17 before a call. */
	.macro keep_return how
	stp x29, x30, [sp, #-32]!
	.cfi_adjust_cfa_offset 32
	.cfi_rel_offset x29, 0
	str x17, [sp, #16]
	.if \how == HOW_ENTRY
	.cfi_rel_offset COLUMN_PC, 8
	.endif
	.if \how == HOW_CALL
	.cfi_rel_offset x30, 8
	.else
	.cfi_rel_offset x30, 16
	.endif
	.endm

	.macro restore_return how
	ldr x17, [sp, #16]
	ldp x29, x30, [sp], #32
	.cfi_adjust_cfa_offset -32
	.cfi_restore x29
	.if \how == HOW_ENTRY
	.cfi_register COLUMN_PC, x30
	.endif
	.if \how == HOW_CALL
	.cfi_restore x30
	.else
	.cfi_register x30, x17
	.endif
	.endm

	/* Afterwards x17 = the function's own x30 and w16 = the event code, except for HOW_CALL. */
	.macro trampoline_begin name how
	.globl \name
	.hidden \name
	.type \name, @function
	.p2align 6
\name:
	.cfi_startproc
	.if \how != HOW_CALL
	.cfi_def_cfa_offset 16
	.endif
	.if \how == HOW_ENTRY
	.cfi_return_column COLUMN_PC
	.cfi_register COLUMN_PC, x30
	.endif
	.if \how == HOW_TAIL
	.cfi_register x30, x1
	.elseif \how != HOW_CALL
	.cfi_register x30, x17
	.endif
	hint #38				/* bti jc */
	.if \how == HOW_CALL
	keep x0, x1
	.elseif \how == HOW_TAIL
	stp x16, x17, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	mov x17, x1
	.cfi_register x30, x17
	ldr w16, [x30, #4]			/* after the instruction to which the sled returns */
	ldr w0, [x30, #8]
	ubfx w16, w16, #5, #16
	ubfx w0, w0, #5, #16
	bfi w16, w0, #16, #16
	.endif
	.endm

	/* Pops x0 and x1. Restores the function's x30 before the sled continues, because the
	 * unwind table in the sled expects it there. */
	.macro trampoline_return how
	.if \how == HOW_TAIL
	mov x0, x17
	.cfi_register x30, x0
	ldp x16, x17, [sp], #16
	.cfi_adjust_cfa_offset -16
	fmov d31, x16				/* the sled restores it */
	mov x16, x30
	mov x30, x0
	.cfi_same_value x30
	.elseif \how != HOW_CALL
	mov x16, x30
	.if \how == HOW_ENTRY
	.cfi_register COLUMN_PC, x16
	.endif
	mov x30, x17
	.cfi_same_value x30
	.endif
	restore x0, x1
	.if \how == HOW_CALL
	ret
	.else
	ret x16
	.endif
	.endm

	.macro trampoline_end name
	.cfi_endproc
	.size \name, . - \name
	.endm

	/* Begins a function's frame without signing the return address, which libunwind 1.6 cannot unwind. */
	.macro function_begin
	hint #34				/* bti c */
	keep x29, x30
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	mov x29, sp
	.endm

	.macro function_return
	restore x29, x30
	.cfi_restore x29
	.cfi_restore x30
	ret
	.endm

	/* Loads the address of the thread-local \variable (initial-exec) into \to. \by: a scratch register */
	.macro thread_variable to by variable
	mrs \to, tpidr_el0
	adrp \by, :gottprel:\variable
	ldr \by, [\by, :gottprel_lo12:\variable]
	.endm

	/* Saves the flags and the general registers that a C function may change, except x0, x29 and
	 * x30. \by: one of these registers, used as scratch after it is saved. */
#define GENERAL_BYTES 160
	.macro general_keep by
	sub sp, sp, #GENERAL_BYTES
	.cfi_adjust_cfa_offset GENERAL_BYTES
	stp x1, x2, [sp]
	stp x3, x4, [sp, #16]
	stp x5, x6, [sp, #32]
	stp x7, x8, [sp, #48]
	stp x9, x10, [sp, #64]
	stp x11, x12, [sp, #80]
	stp x13, x14, [sp, #96]
	stp x15, x16, [sp, #112]
	stp x17, x18, [sp, #128]
	mrs \by, nzcv
	str \by, [sp, #144]
	.endm

	.macro general_restore
	ldr x1, [sp, #144]
	msr nzcv, x1
	ldp x1, x2, [sp]
	ldp x3, x4, [sp, #16]
	ldp x5, x6, [sp, #32]
	ldp x7, x8, [sp, #48]
	ldp x9, x10, [sp, #64]
	ldp x11, x12, [sp, #80]
	ldp x13, x14, [sp, #96]
	ldp x15, x16, [sp, #112]
	ldp x17, x18, [sp, #128]
	add sp, sp, #GENERAL_BYTES
	.cfi_adjust_cfa_offset -GENERAL_BYTES
	.endm

#endif
