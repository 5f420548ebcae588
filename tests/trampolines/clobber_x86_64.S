/* SPDX-License-Identifier: MIT */
/*
 * clobber_x86_64.S - handlers that write a pattern to every register that a C function
 * may change.
 */
	.text

	.macro each macro to
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	.if \n < \to
	\macro \n
	.endif
	.endr
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

	.macro general_clobbered
	incq clobber_calls(%rip)
	.irp r, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
	mov $0x5a5a5a5a, %\r
	.endr
	.endm
	/* Pushes two values on the x87 stack and pops them, as C code would. */
	.macro x87_clobbered
	fld1
	fldpi
	faddp
	fstpt -24(%rsp)
	.endm
	.macro xmm_clobber n
	movq %rax, %xmm\n
	punpcklqdq %xmm\n, %xmm\n
	.endm
	.macro ymm_clobber n
	vpcmpeqd %ymm\n, %ymm\n, %ymm\n
	.endm
	.macro zmm_clobber n
	vpternlogd $255, %zmm\n, %zmm\n, %zmm\n
	.endm
	.macro mask_clobber n
	kxnorq %k\n, %k\n, %k\n
	.endm

	function clobber_general
	general_clobbered
	ret
	function_end clobber_general

	function clobber_nothing
	incq clobber_calls(%rip)
	ret
	function_end clobber_nothing

	function clobber_sse
	general_clobbered
	x87_clobbered
	each xmm_clobber 16
	ret
	function_end clobber_sse

	function clobber_avx
	general_clobbered
	x87_clobbered
	each ymm_clobber 16
	vzeroupper
	each xmm_clobber 16
	ret
	function_end clobber_avx

	function clobber_avx512
	general_clobbered
	x87_clobbered
	each zmm_clobber 32
	each mask_clobber 8
	ret
	function_end clobber_avx512

	.data
	.p2align 3
	.globl clobber_calls
clobber_calls:
	.quad 0

	.section .note.GNU-stack, "", @progbits
