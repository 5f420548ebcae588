/* SPDX-License-Identifier: MIT */
/*
 * x86_64.S - the thunks of a module: a sled calls one, and it jumps to the trampoline in its slot.
 *
 * Sleds reach thunks, which are in the same module, by a near call. The runtime stores the
 * addresses of trampolines in the slots. Thunks change no register and no flag.
 *
 *   entry  called by the sled    (%rsp) = sled + 11, r11d = event code
 *   exit   jumped to by the sled (%rsp) = the function's return address, r11d = event code
 *   tail   called by the sled    (%rsp) = sled + 6, event code at sled + 7
 *   framed as entry, for a function in which exceptions or longjmp may arrive
 *
 * Functions call spoor_dso_unwound, by the C calling convention, where an exception or longjmp
 * arrives.
 *
 *   first  called at the start of a function while the function's byte is 0: (%rsp) = 16 bytes
 *          after the start of its cmpb $0, byte(%rip). It loads &spoor_dso_self into r11.
 *
 * Until a runtime fills in the slots, thunks return at once, and first sets the byte.
 */
#include "trampolines/handler_x86_64.h"

	.hidden spoor_dso_self

	.text
	.macro thunk name slot cfa
	.hidden \name
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	.cfi_def_cfa_offset \cfa
	jmp *spoor_dso_slots+8*\slot(%rip)
	.cfi_endproc
	.size \name, . - \name
	.endm

	thunk spoor_dso_thunk_entry 0 8
	thunk spoor_dso_thunk_exit 1 8
	thunk spoor_dso_thunk_tail 2 16	/* the function has left its frame: the CFI names its caller's */
	thunk spoor_dso_thunk_framed 3 8
	thunk spoor_dso_unwound 4 8

	.hidden spoor_dso_thunk_first
	.globl spoor_dso_thunk_first
	.type spoor_dso_thunk_first, @function
	.p2align 4
spoor_dso_thunk_first:
	.cfi_startproc
	lea spoor_dso_self(%rip), %r11
	jmp *spoor_dso_slots+8*5(%rip)
	.cfi_endproc
	.size spoor_dso_thunk_first, . - spoor_dso_thunk_first

	.p2align 4
return_first:
	.cfi_startproc
	_CET_ENDBR
	push %rax
	.cfi_def_cfa_offset 16
	mov 8(%rsp), %rax
	movslq -14(%rax), %r11
	movb $1, -9(%rax,%r11)
	pop %rax
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc

	.p2align 4
return:
	.cfi_startproc
	_CET_ENDBR
	ret
	.cfi_endproc

	.irp class, bare, saving
	\class spoor_dso_\class\()_entry SPOOR_KIND_ENTRY 0 "mov near_function_ids(%rip)" near_\class\()_handler
	\class spoor_dso_\class\()_exit SPOOR_KIND_EXIT 0 "mov near_function_ids(%rip)" near_\class\()_handler
	.endr

	.section .data.rel.local, "aw", @progbits
	.hidden spoor_dso_near
	.globl spoor_dso_near
	.type spoor_dso_near, @object
	.p2align 3
spoor_dso_near:
	.quad SPOOR_NEAR_LAYOUT
	.quad spoor_dso_bare_entry, spoor_dso_bare_exit, spoor_dso_saving_entry, spoor_dso_saving_exit
near_function_ids:
	.quad 0
near_bare_handler:
	.quad 0
near_saving_handler:
	.quad 0
	.size spoor_dso_near, . - spoor_dso_near

	.hidden spoor_dso_slots
	.globl spoor_dso_slots
	.type spoor_dso_slots, @object
	.p2align 3
spoor_dso_slots:
	.quad return, return, return, return, return, return_first
	.size spoor_dso_slots, . - spoor_dso_slots

#include "libspoor_dso/note.h"

	.section .note.GNU-stack, "", @progbits
