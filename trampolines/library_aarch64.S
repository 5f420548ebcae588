/* SPDX-License-Identifier: MIT */
/*
 * library_aarch64.S - the stubs that jump slots of chosen library functions lead to.
 *
 * On entry x30 = the caller's return address, and all argument registers and x8 are live; x16 and x17 are free, as in
 * an entry of the procedure linkage table. The function is called with the same registers, and on a copy of the stack
 * arguments that it is known to take.
 * Preserved on return: all registers that the function preserves, and those of results: x0, x1, v0 to v3.
 *
 * Frame: x29 = frame; SPOOR_LIBRARY_FRAME_STACK(x29) = first stack argument; 40(x29) = number of stack words. x19 = struct spoor_library_call,
 * x20 and x21 are scratch.
 */
#include "event/library_path.h"
#include "trampolines/frame_aarch64.h"

	.arch_extension lse
	.text
	branch_protection_note

	/* Argument registers; the unwinder needs none of them. */
	.macro arguments_keep
	stp x0, x1, [sp, #-80]!
	stp x2, x3, [sp, #16]
	stp x4, x5, [sp, #32]
	stp x6, x7, [sp, #48]
	str x8, [sp, #64]
	.endm

	.macro arguments_restore
	ldr x8, [sp, #64]
	ldp x6, x7, [sp, #48]
	ldp x4, x5, [sp, #32]
	ldp x2, x3, [sp, #16]
	ldp x0, x1, [sp], #80
	.endm

	/* Trampolines return with x0 and x1 popped and x30 = x17 (frame_aarch64.h). */
	.macro event code slot
	ldr w16, [x19, #\code]
	mov x17, x30
	ldr x20, [x19, #SPOOR_LIBRARY_CALL_SLOTS]
	stp x0, x1, [sp, #-16]!
	ldr x1, [x20, #8*\slot]
	blr x1
	.endm

	.globl spoor_library_stubs
	.hidden spoor_library_stubs
	.type spoor_library_stubs, @object
	.p2align 4
spoor_library_stubs:
	.cfi_startproc
	.set index, 0
	.rept SPOOR_LIBRARY_STUBS
	hint #38				/* bti jc */
	mov w16, #index
	b library_call
	nop
	.set index, index + 1
	.endr
	.cfi_endproc
	.size spoor_library_stubs, . - spoor_library_stubs

	.type library_call, @function
	.p2align 6
library_call:
	.cfi_startproc
	.cfi_personality 0x1b, spoor_library_personality	/* pcrel, sdata4 */
	stp x29, x30, [sp, #-48]!
	.cfi_def_cfa_offset 48
	.cfi_offset x29, -48
	.cfi_offset x30, -40
	stp x19, x20, [sp, #16]
	.cfi_offset x19, -32
	.cfi_offset x20, -24
	str x21, [sp, #32]
	.cfi_offset x21, -16
	mov x29, sp
	.cfi_def_cfa_register x29
	adrp x17, spoor_library_calls
	add x17, x17, :lo12:spoor_library_calls
	add x19, x17, x16, lsl #SPOOR_LIBRARY_CALL_SHIFT
	ldrb w16, [x19, #SPOOR_LIBRARY_CALL_AWAKE]
	cbz w16, .Lpass
	ldr w16, [x19, #SPOOR_LIBRARY_CALL_WORDS]
	str x16, [x29, #40]
	ldrb w16, [x19, #SPOOR_LIBRARY_CALL_KIND]
	cbnz w16, .Lspecial
.Lenter:
	thread_variable x20, x21, spoor_call_stack
	ldr x20, [x20, x21]
	ldr x21, [x20, #SPOOR_CALL_STACK_TOP]
	ldr x16, [x20, #SPOOR_CALL_STACK_END]
	cmp x21, x16
	b.hs .Lenter_slow
	/* A signal handler removes what it adds, so the top is the same after it. The element is reserved before it is
	 * filled in. */
	add x16, x21, #SPOOR_OPEN_BYTES
	str x16, [x20, #SPOOR_CALL_STACK_TOP]
	str x19, [x21, #SPOOR_OPEN_CALL]
	str x29, [x21, #SPOOR_OPEN_FRAME]
.Lentered:
	event SPOOR_LIBRARY_CALL_ENTRY 0
	ldr x16, [x29, #40]
	cbnz x16, .Lcopy
.Lcall:
	ldr x16, [x19, #SPOOR_LIBRARY_CALL_REAL]
	blr x16
	mov sp, x29
	ldrb w16, [x19, #SPOOR_LIBRARY_CALL_KIND]
	cmp w16, #SPOOR_LIBRARY_FOLLOWED
	b.hs .Lafter
.Lleave:
	thread_variable x20, x21, spoor_call_stack
	ldr x20, [x20, x21]
	ldr x21, [x20, #SPOOR_CALL_STACK_TOP]
	ldr x16, [x21, #(SPOOR_OPEN_FRAME - SPOOR_OPEN_BYTES)]
	cmp x16, x29
	b.ne .Lleave_slow
	sub x21, x21, #SPOOR_OPEN_BYTES
	str xzr, [x21, #SPOOR_OPEN_FRAME]
	str x21, [x20, #SPOOR_CALL_STACK_TOP]
.Lleft:
	ldrb w16, [x19, #SPOOR_LIBRARY_CALL_AWAKE]
	cbz w16, .Lreturn
	event SPOOR_LIBRARY_CALL_EXIT 1
.Lreturn:
	ldr x21, [sp, #32]
	ldp x19, x20, [sp, #16]
	.cfi_remember_state
	ldp x29, x30, [sp], #48
	.cfi_def_cfa sp, 0
	.cfi_restore x29
	.cfi_restore x30
	.cfi_restore x19
	.cfi_restore x20
	.cfi_restore x21
	ret
	.cfi_restore_state

	/* Copies x16 words from the last one on, and keeps the alignment. */
.Lcopy:
	add x17, x16, #1
	and x17, x17, #~1
	sub sp, sp, x17, lsl #3
	mov x20, sp
	add x21, x29, #SPOOR_LIBRARY_FRAME_STACK
1:	sub x16, x16, #1
	ldr x17, [x21, x16, lsl #3]
	str x17, [x20, x16, lsl #3]
	cbnz x16, 1b
	b .Lcall

.Lenter_slow:
	arguments_keep
	mov x0, x19
	mov x1, x29
	bl spoor_library_enter
	arguments_restore
	b .Lentered

.Lleave_slow:
	stp x0, x1, [sp, #-16]!
	mov x0, x29
	bl spoor_library_leave
	mov w16, w0
	ldp x0, x1, [sp], #16
	cbz w16, .Lreturn
	b .Lleft

.Lafter:
	stp x0, x1, [sp, #-16]!
	mov x1, x0
	mov x0, x19
	mov x2, x29
	bl spoor_library_after
	mov w16, w0
	ldp x0, x1, [sp], #16
	cbz w16, .Lleave
	b .Lreturn

.Lspecial:
	arguments_keep
	mov x0, x19
	mov x1, sp
	add x2, x29, #SPOOR_LIBRARY_FRAME_STACK
	bl spoor_library_prepare
	str x0, [x29, #40]
	mov x21, x0
	arguments_restore
	tbz x21, #63, .Lenter
	event SPOOR_LIBRARY_CALL_ENTRY 0
	event SPOOR_LIBRARY_CALL_EXIT SPOOR_LIBRARY_SLOT_NO_RESULT
.Lpass:
	ldr x16, [x19, #SPOOR_LIBRARY_CALL_REAL]
	ldr x21, [sp, #32]
	ldp x19, x20, [sp, #16]
	ldp x29, x30, [sp], #48
	.cfi_def_cfa sp, 0
	.cfi_restore x29
	.cfi_restore x30
	.cfi_restore x19
	.cfi_restore x20
	.cfi_restore x21
	br x16
	.cfi_endproc
	.size library_call, . - library_call

	.section .note.GNU-stack, "", @progbits
