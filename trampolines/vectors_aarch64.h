/* SPDX-License-Identifier: MIT */
/*
 * vectors_aarch64.h - macros that push and pop vector registers 0 to \last.
 *
 * vectors_* save the whole registers of Advanced SIMD. sve_* save the registers and predicates of
 * the scalable extension, if the processor has it. C functions know nothing of the upper parts of
 * its registers: they preserve 64 bits of eight registers.
 *
 * Both save the floating-point status, which belongs to the program.
 */
#ifndef SPOOR_VECTORS_AARCH64_H
#define SPOOR_VECTORS_AARCH64_H

	.arch_extension sve

	.macro each_to last macro
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	.if \n <= \last
	\macro \n
	.endif
	.endr
	.endm

	/* Change x16 and x17. */
	.macro status_save
	mrs x16, fpsr
	mrs x17, fpcr
	stp x16, x17, [sp, #-16]!
	.endm
	.macro status_load
	ldp x16, x17, [sp], #16
	msr fpsr, x16
	msr fpcr, x17
	.endm

	.macro vector_save n
	str q\n, [sp, #(16 * \n)]
	.endm
	.macro vector_load n
	ldr q\n, [sp, #(16 * \n)]
	.endm
	.macro vectors_save last
	sub sp, sp, #(16 * (\last + 1))
	each_to \last vector_save
	status_save
	.endm
	.macro vectors_load last
	status_load
	each_to \last vector_load
	add sp, sp, #(16 * (\last + 1))
	.endm

	.macro z_save n
	str z\n, [sp, #\n, mul vl]
	.endm
	.macro z_load n
	ldr z\n, [sp, #\n, mul vl]
	.endm
	.macro p_save n
	str p\n, [sp, #\n, mul vl]
	.endm
	.macro p_load n
	ldr p\n, [sp, #\n, mul vl]
	.endm
	/* 16 predicates take as much memory as two vectors. */
	.macro predicates_save
	addvl sp, sp, #-2
	each_to 15 p_save
	.endm
	.macro predicates_load
	each_to 15 p_load
	addvl sp, sp, #2
	.endm
	.macro sve_save last
	addvl sp, sp, #-(\last + 1)
	each_to \last z_save
	predicates_save
	status_save
	.endm
	.macro sve_load last
	status_load
	predicates_load
	each_to \last z_load
	addvl sp, sp, #(\last + 1 - 16)
	addvl sp, sp, #16
	.endm

	/* The first-fault register follows the predicates. */
	.macro ffr_save
	addvl sp, sp, #-1
	rdffr p0.b
	str p0, [sp]
	.endm
	.macro ffr_load
	ldr p0, [sp]
	wrffr p0.b
	addvl sp, sp, #1
	.endm

#endif
