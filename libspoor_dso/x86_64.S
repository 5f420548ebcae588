/* SPDX-License-Identifier: MIT */
/*
 * x86_64.S - thunks: near enough for a sled's call, they jump on to where
 * the runtime points their slots. They change no register and no flag.
 *
 *   entry  called by the sled    (%rsp) = sled + 11, r11d = event code
 *   exit   jumped to by the sled (%rsp) = the function's return address, r11d = event code
 *   tail   called by the sled    (%rsp) = sled + 6, event code at sled + 7
 *   framed as entry, of a function in which exceptions or longjmp may arrive
 *
 * spoor_dso_unwound is called where they have arrived, as any function of C is.
 *
 * Until a runtime fills in the slots they lead straight back.
 */
#if defined __CET__ && __has_include(<cet.h>)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

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
	thunk spoor_dso_thunk_tail 2 16	/* the function is left: the frame is its caller's */
	thunk spoor_dso_thunk_framed 3 8
	thunk spoor_dso_unwound 4 8

	.p2align 4
return:
	.cfi_startproc
	_CET_ENDBR
	ret
	.cfi_endproc

	.section .data.rel.local, "aw", @progbits
	.hidden spoor_dso_slots
	.globl spoor_dso_slots
	.type spoor_dso_slots, @object
	.p2align 3
spoor_dso_slots:
	.quad return, return, return, return, return
	.size spoor_dso_slots, . - spoor_dso_slots

#include "note.h"

	.section .note.GNU-stack, "", @progbits
