/* SPDX-License-Identifier: MIT */
/*
 * registers_aarch64.S - runs through sleds with every register loaded. It is written
 * in assembly, so that no compiler's choice of registers hides a fault.
 */
#include "assembly_aarch64.h"
#include "registers.h"

	.arch_extension sve

	.macro each macro to
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	.if \n < \to
	\macro \n
	.endif
	.endr
	.endm
	.macro q_load n
	ldr q\n, [x16, #(16 * \n)]
	.endm
	.macro q_store n
	str q\n, [x16, #(16 * \n)]
	.endm
	.macro z_load n
	ldr z\n, [x16, #\n, mul vl]
	.endm
	.macro z_store n
	str z\n, [x16, #\n, mul vl]
	.endm
	.macro p_load n
	ldr p\n, [x16, #\n, mul vl]
	.endm
	.macro p_store n
	str p\n, [x16, #\n, mul vl]
	.endm
	/* registers \n and \n + 1 */
	.altmacro
	.macro pair_of operation n next base
	\operation x\n, x\next, [\base, #(REGISTERS_GENERAL + 8 * \n)]
	.endm
	.macro pair operation n base
	pair_of \operation, \n, %(\n + 1), \base
	.endm
	.macro variable to name
	adrp \to, \name
	ldr \to, [\to, :lo12:\name]
	.endm
	.macro variable_set name from by
	adrp \by, \name
	str \from, [\by, :lo12:\name]
	.endm

	/* x0: before, x1: after, x2: function, w3: level */
	function registers_run
	stp x29, x30, [sp, #-176]!
	.cfi_def_cfa_offset 176
	.cfi_offset x29, -176
	.cfi_offset x30, -168
	stp x19, x20, [sp, #16]
	stp x21, x22, [sp, #32]
	stp x23, x24, [sp, #48]
	stp x25, x26, [sp, #64]
	stp x27, x28, [sp, #80]
	stp d8, d9, [sp, #96]
	stp d10, d11, [sp, #112]
	stp d12, d13, [sp, #128]
	stp d14, d15, [sp, #144]
	mrs x16, fpcr
	mrs x17, fpsr
	stp x16, x17, [sp, #160]
	variable_set after, x1, x17
	variable_set function, x2, x17
	mov w3, w3
	variable_set level, x3, x17
	mov x30, x0

	add x16, x30, #REGISTERS_VECTORS
	cbnz w3, 1f
	each q_load 32
	b 2f
1:	each z_load 32
	add x16, x30, #REGISTERS_FIRST_FAULT
	ldr p0, [x16]
	wrffr p0.b
	add x16, x30, #REGISTERS_PREDICATES
	each p_load 16
2:	ldr x16, [x30, #REGISTERS_FPCR]
	msr fpcr, x16
	ldr x16, [x30, #REGISTERS_FPSR]
	msr fpsr, x16
	sub sp, sp, #64
	.cfi_adjust_cfa_offset 64
	.irp n, 0, 16, 32, 48
	ldp x16, x17, [x30, #(REGISTERS_STACK + \n)]
	stp x16, x17, [sp, #\n]
	.endr
	mov x16, sp
	variable_set stack, x16, x17
	ldr x16, [x30, #REGISTERS_FLAGS]
	msr nzcv, x16
	.irp n, 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28
	pair ldp, \n, x30
	.endr
	variable x30, function
	blr x30
	.globl registers_after
registers_after:
	stp x0, x1, [sp, #-16]!
	variable x0, after
	.irp n, 2,4,6,8,10,12,14,16,18,20,22,24,26,28
	pair stp, \n, x0
	.endr
	mrs x1, nzcv
	str x1, [x0, #REGISTERS_FLAGS]
	mov x30, x0
	ldp x0, x1, [sp], #16
	stp x0, x1, [x30]
	mov x1, sp
	variable x2, stack
	sub x1, x1, x2
	str x1, [x30, #REGISTERS_STACK_MOVED]
	mov sp, x2
	.irp n, 0, 16, 32, 48
	ldp x16, x17, [sp, #\n]
	stp x16, x17, [x30, #(REGISTERS_STACK + \n)]
	.endr
	add sp, sp, #64
	.cfi_adjust_cfa_offset -64
	mrs x16, fpcr
	str x16, [x30, #REGISTERS_FPCR]
	mrs x16, fpsr
	str x16, [x30, #REGISTERS_FPSR]
	add x16, x30, #REGISTERS_VECTORS
	variable x3, level
	cbnz w3, 1f
	each q_store 32
	b 2f
1:	each z_store 32
	add x16, x30, #REGISTERS_PREDICATES
	each p_store 16
	add x16, x30, #REGISTERS_FIRST_FAULT
	rdffr p0.b
	str p0, [x16]
2:
	ldp x16, x17, [sp, #160]
	msr fpcr, x16
	msr fpsr, x17
	ldp d14, d15, [sp, #144]
	ldp d12, d13, [sp, #128]
	ldp d10, d11, [sp, #112]
	ldp d8, d9, [sp, #96]
	ldp x27, x28, [sp, #80]
	ldp x25, x26, [sp, #64]
	ldp x23, x24, [sp, #48]
	ldp x21, x22, [sp, #32]
	ldp x19, x20, [sp, #16]
	ldp x29, x30, [sp], #176
	.cfi_def_cfa_offset 0
	.cfi_restore x29
	.cfi_restore x30
	ret
	function_end registers_run

	/* A dormant sled, its entry in the map, and the function's entry in the table, as LLVM and the pass
	 * emit them. */
	.macro sled function kind
	.p2align 2
9:	b 8f
	nop
	nop
	nop
	nop
	nop
	nop
	nop
8:
	.pushsection xray_instr_map, "ao", @progbits, .text
	.quad 9b - .
	.quad \function - .
	.byte \kind, 1, 2
	.zero 13
	.popsection
	.pushsection spoor_functions, "ao", @progbits, .text
	.p2align 2
	.long \function - .
	.long 1, 0, 0
	.popsection
	.endm

	function registers_entry
	sled registers_entry 0
	ret
	function_end registers_entry

	function registers_exit
	sled registers_exit 1
	ret
	function_end registers_exit

	function registers_tail
	sled registers_tail 2
	b registers_return
	function_end registers_tail

	function registers_tail_indirect
	variable x16, return_address
	sled registers_tail_indirect 2
	br x16
	function_end registers_tail_indirect

	function registers_tail_x17
	sled registers_tail_x17 2
	br x17
	function_end registers_tail_x17

	function registers_tail_x9
	sled registers_tail_x9 2
	br x9
	function_end registers_tail_x9

	/* A tail call as LLVM 14 and 19 mark it. */
	function registers_tail_old
	sled registers_tail_old 1
	br x16
	function_end registers_tail_old

	function registers_return 38
	ret
	function_end registers_return

	/* A system call as Linux makes it: of a scalable vector register only the part that is also a vector
	 * register survives. There are REGISTERS_CALLS copies, each with room for the jump back. */
	.macro v_narrow n
	mov v\n\().16b, v\n\().16b
	.endm
	.macro p_clear n
	pfalse p\n\().b
	.endm
	function registers_calls
	.rept REGISTERS_CALLS
	svc #0
	each v_narrow 32
	each p_clear 16
	wrffr p0.b
	nop
	.endr
	function_end registers_calls

	.data
	.p2align 3
after:	.quad 0
function:
	.quad 0
stack:	.quad 0
level:	.quad 0
return_address:
	.quad registers_return
