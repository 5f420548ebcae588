/* SPDX-License-Identifier: MIT */
/*
 * registers_x86_64.S - runs through sleds with every register loaded. It is written
 * in assembly, so that no compiler's choice of registers hides a fault.
 */
#include "registers.h"

	.text

	/* \operation: load or store. r15 is the struct, and is the last one */
	.macro general operation
	general_\operation rax, 0
	general_\operation rbx, 1
	general_\operation rcx, 2
	general_\operation rdx, 3
	general_\operation rsi, 4
	general_\operation rdi, 5
	general_\operation rbp, 6
	general_\operation r8, 7
	general_\operation r9, 8
	general_\operation r10, 9
	general_\operation r11, 10
	general_\operation r12, 11
	general_\operation r13, 12
	general_\operation r14, 13
	.endm
	.macro general_load register number
	mov REGISTERS_GENERAL+8*\number(%r15), %\register
	.endm
	.macro general_store register number
	mov %\register, REGISTERS_GENERAL+8*\number(%r15)
	.endm
	.macro each macro to
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	.if \n < \to
	\macro \n
	.endif
	.endr
	.endm
	.macro ymm_load n
	vmovdqu REGISTERS_VECTORS+64*\n(%r15), %ymm\n
	.endm
	.macro ymm_store n
	vmovdqu %ymm\n, REGISTERS_VECTORS+64*\n(%r15)
	.endm
	.macro zmm_load n
	vmovdqu64 REGISTERS_VECTORS+64*\n(%r15), %zmm\n
	.endm
	.macro zmm_store n
	vmovdqu64 %zmm\n, REGISTERS_VECTORS+64*\n(%r15)
	.endm
	.macro mask_load n
	kmovq REGISTERS_MASKS+8*\n(%r15), %k\n
	.endm
	.macro mask_store n
	kmovq %k\n, REGISTERS_MASKS+8*\n(%r15)
	.endm

	.macro function name
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	.endm
	.macro function_end name
	.cfi_endproc
	.size \name, . - \name
	.endm

	/* rdi: before, rsi: after, rdx: function, ecx: level */
	function registers_run
	push %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	push %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	push %r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	push %r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	push %r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r14, 0
	push %r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r15, 0
	sub $16, %rsp
	.cfi_adjust_cfa_offset 16
	stmxcsr (%rsp)
	fnstcw 8(%rsp)
	mov %rdi, %r15
	mov %rsi, after(%rip)
	mov %rdx, function(%rip)
	mov %ecx, level(%rip)

	fxrstor64 REGISTERS_LEGACY(%r15)
	cmp $REGISTERS_AVX, %ecx
	jb 2f
	ja 1f
	each ymm_load 16
	jmp 2f
1:	each zmm_load 32
	each mask_load 8
2:
	.irp n, 7,6,5,4,3,2,1,0
	push REGISTERS_STACK+8*\n(%r15)
	.endr
	.cfi_adjust_cfa_offset 64
	push REGISTERS_FLAGS(%r15)
	general load
	mov REGISTERS_GENERAL+8*14(%r15), %r15
	popfq
	call *function(%rip)
	.globl registers_after
registers_after:
	mov %r15, last(%rip)
	mov after(%rip), %r15
	general store
	pushfq
	cld
	pop REGISTERS_FLAGS(%r15)
	mov last(%rip), %rax
	mov %rax, REGISTERS_GENERAL+8*14(%r15)
	.irp n, 0,1,2,3,4,5,6,7
	pop REGISTERS_STACK+8*\n(%r15)
	.endr
	.cfi_adjust_cfa_offset -64
	fxsave64 REGISTERS_LEGACY(%r15)
	mov level(%rip), %ecx
	cmp $REGISTERS_AVX, %ecx
	jb 2f
	ja 1f
	each ymm_store 16
	vzeroupper
	jmp 2f
1:	each zmm_store 32
	each mask_store 8
	vzeroupper
2:
	fninit
	fldcw 8(%rsp)
	ldmxcsr (%rsp)
	add $16, %rsp
	.cfi_adjust_cfa_offset -16
	.irp r, r15, r14, r13, r12, rbx, rbp
	pop %\r
	.cfi_adjust_cfa_offset -8
	.cfi_restore %\r
	.endr
	ret
	function_end registers_run

	/* A dormant sled, its entry in the map, and the function's entry in the table, as LLVM and the pass
	 * emit them. */
	.macro sled function kind
	.p2align 1
9:
	.if \kind == 1
	.byte 0xc3, 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0
	.else
	.byte 0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0
	.endif
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
	function_end registers_exit

	function registers_tail
	sled registers_tail 2
	jmp registers_return
	function_end registers_tail

	function registers_tail_r11
	sled registers_tail_r11 2
	jmp *%r11
	function_end registers_tail_r11

	function registers_tail_rax
	sled registers_tail_rax 2
	jmp *%rax
	function_end registers_tail_rax

	function registers_tail_indirect
	sled registers_tail_indirect 2
	jmp *return_address(%rip)
	function_end registers_tail_indirect

	function registers_return
	ret
	function_end registers_return

	.data
	.p2align 3
after:	.quad 0
function:
	.quad 0
last:	.quad 0
return_address:
	.quad registers_return
level:	.long 0

	.section .note.GNU-stack, "", @progbits
