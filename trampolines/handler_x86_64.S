/* SPDX-License-Identifier: MIT */
/*
 * handler_x86_64.S - calls the handler with the function's ID and the kind of event. A patched
 * sled reaches this code while a handler is set.
 *
 * The contract on entry is that of log_x86_64.S. Preserved: every general register, and the
 * full width of the vector registers that can hold an argument (0-7) or a result (0-3). The
 * bare_* variants save no vector registers, for handlers that use none; the saving_* variants
 * save nothing but the arguments, for handlers that change no register.
 *
 * The code restores the upper parts of vector registers only if one of them is not zero.
 * Otherwise the upper halves stay in the state after vzeroupper, because a 256-bit load would
 * slow down every later SSE instruction of the program.
 */
#include "trampolines/handler_x86_64.h"

#define SAVED_GUARD -8(%rbp)
#define SAVED_UPPER -16(%rbp)
#define SAVED_BYTES (16 + 9 * 8)	/* the two above, nine registers */

	.text

	.macro vectors operation width last
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7
	.if \n <= \last
	vector_\operation \width \n
	.endif
	.endr
	.endm

	.macro vector_save width number
	.if \width == 16
	movups %xmm\number, \width*\number(%rsp)
	.elseif \width == 32
	vmovups %ymm\number, \width*\number(%rsp)
	.else
	vmovups %zmm\number, \width*\number(%rsp)
	.endif
	.endm
	.macro vector_load width number
	.if \width == 16
	movups \width*\number(%rsp), %xmm\number
	.elseif \width == 32
	vmovups \width*\number(%rsp), %ymm\number
	.else
	vmovups \width*\number(%rsp), %zmm\number
	.endif
	.endm
	.macro vector_load_low width number
	vmovups \width*\number(%rsp), %xmm\number
	.endm
	.macro vector_gather width number
	.if \width == 32
	vorps %ymm\number, %ymm8, %ymm8
	.else
	vporq %zmm\number, %zmm8, %zmm8
	.endif
	.endm

	/* Sets eax to a value other than zero if one of registers 0 to \last has an upper part. */
	.macro upper_parts width last
	.if \width == 32
	vxorps %xmm8, %xmm8, %xmm8
	vectors gather 32 \last
	vextractf128 $1, %ymm8, %xmm8
	xor %eax, %eax
	vptest %xmm8, %xmm8
	setnz %al
	.else
	vpxorq %xmm8, %xmm8, %xmm8
	vectors gather 64 \last
	vptestmq %zmm8, %zmm8, %k1
	kmovw %k1, %eax
	and $0xfc, %eax
	.endif
	.endm

	/* \width: width of the saved vector registers, in bytes */
	.macro any name kind tail width last
	trampoline_begin \name \tail
	keep %rbp
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	sub $16, %rsp
	push %rax
	mov spoor_in_handler@gottpoff(%rip), %rax
	cmpb $0, %fs:(%rax)
	jne 5f
	push %rcx
	push %rdx
	push %rsi
	push %rdi
	push %r8
	push %r9
	push %r10
	push %r11
	movb $1, %fs:(%rax)
	.if \tail
	tail_code 8(%rbp), r11, r11d
	.endif
	mov %rax, SAVED_GUARD
	and $-64, %rsp
	sub $(\width * (\last + 1)), %rsp
	vectors save \width \last
	.if \width > 16
	upper_parts \width \last
	mov %eax, SAVED_UPPER
	vzeroupper
	.endif
	arguments \kind "lea spoor_function_ids(%rip)"
	call *spoor_any_handler(%rip)
	.if \width == 16
	vectors load 16 \last
	.else
	cmpl $0, SAVED_UPPER
	jne 3f
	vectors load_low \width \last
	jmp 4f
3:	vectors load \width \last
4:
	.endif
	mov SAVED_GUARD, %rax
	movb $0, %fs:(%rax)
	lea -SAVED_BYTES(%rbp), %rsp
	pop %r11
	pop %r10
	pop %r9
	pop %r8
	pop %rdi
	pop %rsi
	pop %rdx
	pop %rcx
	.cfi_remember_state
2:	pop %rax
	mov %rbp, %rsp
	pop %rbp
	.cfi_def_cfa %rsp, 8 + 16 * \tail
	.cfi_restore %rbp
	trampoline_return \tail
	/* The thread is inside the handler already: counts the event as unreported. */
	.cfi_restore_state
5:	lock incq spoor_handler_unreported(%rip)
	jmp 2b
	trampoline_end \name
	.endm

	.macro any_set prefix width
	any spoor_\prefix\()_entry SPOOR_KIND_ENTRY 0 \width 7
	any spoor_\prefix\()_exit SPOOR_KIND_EXIT 0 \width 3
	any spoor_\prefix\()_tail SPOOR_KIND_TAIL_EXIT 1 \width 7
	.endm

	any_set any_sse 16
	any_set any_avx 32
	any_set any_avx512 64

	.irp class, bare, saving
	\class spoor_\class\()_entry SPOOR_KIND_ENTRY 0 "lea spoor_function_ids(%rip)" spoor_\class\()_handler
	\class spoor_\class\()_exit SPOOR_KIND_EXIT 0 "lea spoor_function_ids(%rip)" spoor_\class\()_handler
	\class spoor_\class\()_tail SPOOR_KIND_TAIL_EXIT 1 "lea spoor_function_ids(%rip)" spoor_\class\()_handler
	.endr

	trampoline_begin spoor_no_event 0
	ret
	trampoline_end spoor_no_event

	.section .note.GNU-stack, "", @progbits
