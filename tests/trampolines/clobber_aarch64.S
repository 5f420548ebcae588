/* SPDX-License-Identifier: MIT */
/*
 * clobber_aarch64.S - handlers that write a pattern to every register that a C function
 * may change.
 */
#include "assembly_aarch64.h"

	.arch_extension sve

	.macro general_clobbered
	adrp x0, clobber_calls
	ldr x1, [x0, :lo12:clobber_calls]
	adds x1, x1, #1
	str x1, [x0, :lo12:clobber_calls]
	movz x0, #0x5a5a
	movk x0, #0x5a5a, lsl #32
	.irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18
	mov x\n, x0
	.endr
	.endm
	.macro whole_clobbered n
	dup v\n\().2d, x0
	.endm
	.macro upper_clobbered n
	ins v\n\().d[1], x0
	.endm
	.macro z_clobbered n
	index z\n\().d, #3, #5
	.endm
	.macro p_clobbered n
	ptrue p\n\().h
	.endm
	/* Of v8 to v15 the lower halves belong to the caller. */
	.macro simd_clobbered
	.irp n, 0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	whole_clobbered \n
	.endr
	.irp n, 8,9,10,11,12,13,14,15
	upper_clobbered \n
	.endr
	.endm

	function clobber_general
	general_clobbered
	ret
	function_end clobber_general

	function clobber_nothing
	b clobber_general
	function_end clobber_nothing

	function clobber_simd
	general_clobbered
	simd_clobbered
	fdiv d0, d0, d1				/* may set the inexact flag */
	ret
	function_end clobber_simd

	/* Writing a vector register clears the rest of the scalable register. */
	function clobber_sve
	general_clobbered
	simd_clobbered
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	p_clobbered \n
	.endr
	.irp n, 0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	z_clobbered \n
	.endr
	ret
	function_end clobber_sve

	.data
	.p2align 3
	.globl clobber_calls
clobber_calls:
	.quad 0
