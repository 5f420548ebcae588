/* SPDX-License-Identifier: MIT */
/*
 * numbers_x86_64.h - macros that store arguments or a result without calling C: one number of which the record takes one
 * word, or numbers of 32 and 64 bits in the registers of arguments.
 *
 * They do what spoor_capture_store does. The record and the event's word are reserved in one step, and the record's first
 * word is stored last.
 */

	.macro push_value value
	push \value
	.cfi_adjust_cfa_offset 8
	.endm

	/* Pushes the registers of arguments in their order, the last one first. rdx, rax and rcx have been pushed. */
	.macro push_arguments
	push_value %r9
	push_value %r8
	push_value 32(%rsp)			/* rcx on entry */
	push_value 24(%rsp)			/* rdx on entry */
	push_value %rsi
	push_value %rdi
	.endm
#define ARGUMENTS_BYTES 48
#define PUSHED_RDI 0
#define PUSHED_RSI 8
#define PUSHED_R8 32
#define PUSHED_R9 40

	/* Restores the registers of push_arguments that have been changed. */
	.macro pop_arguments
	mov PUSHED_RDI(%rsp), %rdi
	mov PUSHED_RSI(%rsp), %rsi
	mov PUSHED_R8(%rsp), %r8
	mov PUSHED_R9(%rsp), %r9
	add $ARGUMENTS_BYTES, %rsp
	.cfi_adjust_cfa_offset -ARGUMENTS_BYTES
	.endm

	/* Begins an event: rcx: struct spoor_thread; rax: the event's word; edx: the quarter of now. */
	.macro event_begin
	mov spoor_thread@gottpoff(%rip), %rcx
	mov %fs:(%rcx), %rcx
	rdtsc
	shld $(32 - SPOOR_QUARTER_SHIFT), %eax, %edx
	shl $32, %r11
	or %r11, %rax
	.endm

	/* Fills the ecx words that were reserved at r11 with no-ops, as spoor_record_gives_up does. Changes rdx. */
	.macro give_up
	movabs $SPOOR_NO_WORD, %rdx
1:	test $SPOOR_SLICE_BIT, %r11d
	jz 2f
	mov %rdx, (%r11)
	add $8, %r11
	dec %ecx
	jnz 1b
2:
	.endm

	/*
	 * rdx: the only word of a record of values, with the number of its capture. Stores the record and the event, and goes to
	 * \done, or returns, with all registers as on entry. Else goes to \other with rcx, rax and rdx pushed, and eax = the
	 * number of the capture.
	 */
	.macro store_one other done
	push_value %rdx
	event_begin
	cmp %edx, SPOOR_THREAD_QUARTER(%rcx)
	jne .Lslow\@
	mov $24, %r11d
	xadd %r11, SPOOR_THREAD_CURSOR(%rcx)	/* r11: the address of three words */
	cmp %edx, SPOOR_THREAD_QUARTER(%rcx)
	jne .Lgive_up\@
	lea 16(%r11), %ecx
	and %r11d, %ecx
	test $SPOOR_SLICE_BIT, %ecx
	jz .Lgive_up\@
	.cfi_remember_state
	pop %rcx
	.cfi_adjust_cfa_offset -8
	movabs $SPOOR_ONE_VALUE_WORD, %rdx
	mov %rcx, 8(%r11)
	mov %rax, 16(%r11)
	mov %rdx, (%r11)			/* last, for readers */
	numbers_end \done
.Lgive_up\@:
	mov $3, %ecx
	give_up
.Lslow\@:
	shr $32, %rax
	mov %eax, %r11d
	pop %rax
	.cfi_adjust_cfa_offset -8
	and $SPOOR_ACTION_NUMBER, %eax
	jmp \other
	.endm

	.macro numbers_end done
	restore %rdx
	restore %rax
	restore %rcx
	.ifb \done
	ret
	.else
	jmp \done
	.endif
	.cfi_restore_state
	.endm

	/* rdx: a number of 64 bits, eax: the number of its capture. Puts both into rdx, or goes to \other. Changes rcx. */
	.macro pack_long other
	movslq %edx, %rcx
	cmp %rcx, %rdx
	jne \other
	mov %edx, %edx
	shl $17, %rdx
	or %rax, %rdx
	bts $60, %rdx				/* SPOOR_USER_MARK */
	.endm

	/* The same for edx, with 32 bits */
	.macro pack_int
	shl $16, %rdx
	or %rax, %rdx
	bts $60, %rdx
	.endm

	/* Loads the register of arguments number edx into rdx. */
	.macro load_argument
	push_arguments
	mov (%rsp,%rdx,8), %rdx
	add $ARGUMENTS_BYTES, %rsp
	.cfi_adjust_cfa_offset -ARGUMENTS_BYTES
	.endm

	/*
	 * eax: the action. If the arguments are one number, and its record takes one word, or if they are halves of registers,
	 * stores the record and the event, and goes to \done, or returns, with all registers as on entry. Else goes on with rcx
	 * and rax pushed, and eax = the number of the capture. What it does is what spoor_capture_store does.
	 */
	.macro arguments done
	keep %rdx
	and $SPOOR_ACTION_NUMBER, %eax
	mov %eax, %ecx
	shl $SPOOR_CAPTURE_SHIFT, %ecx
	lea spoor_captures(%rip), %rdx
	add %rdx, %rcx				/* rcx: the capture */
	movzwl SPOOR_CAPTURE_FLAGS(%rcx), %edx	/* edx: its flags, and its place */
	test $(SPOOR_CAPTURE_ARGUMENT_INT | SPOOR_CAPTURE_ARGUMENT_LONG), %dl
	jz .Lother\@
	test $SPOOR_CAPTURE_ARGUMENT_LONG, %dl
	jnz .Llong\@
	shr $8, %edx
	jnz .Lplace\@
	mov %edi, %edx
.Lint\@:
	pack_int
.Lpacked\@:
	store_one .Lother\@, \done
.Lplace\@:
	load_argument
	mov %edx, %edx
	jmp .Lint\@
.Llong\@:
	test $SPOOR_CAPTURE_ARGUMENT_INT, %dl
	jnz .Lhalves\@
	shr $8, %edx
	load_argument
	pack_long .Lother\@
	jmp .Lpacked\@
.Lhalves\@:
	halves \done
.Lother\@:
	restore %rdx
	.endm

	/* The same for the result. Always returns. */
	.macro result
	keep %rdx
	mov 8(%rsp), %rdx			/* rax on entry */
	mov %eax, %ecx
	and $SPOOR_ACTION_NUMBER, %eax
	test $SPOOR_ACTION_RESULT_INT, %ecx
	jz .Llong\@
	mov %edx, %edx
	pack_int
.Lpacked\@:
	or $SPOOR_RESULT_BIT, %rdx
	store_one .Lother\@
.Llong\@:
	test $SPOOR_ACTION_RESULT_LONG, %ecx
	jz .Lother\@
	pack_long .Lother\@
	jmp .Lpacked\@
.Lother\@:
	restore %rdx
	.endm

	/*
	 * Adds half \n to the record. rdi: the bits of the next word, four places too high, so that no bits of the word after
	 * it remain. r9: 1, the mark of the next word. r11: the record. rsi: the capture. ecx: number of halves from here on.
	 */
	.macro half n
	.set half_bit, SPOOR_VALUES_HEAD_BITS + 32 * \n
	.set half_word, half_bit / SPOOR_VALUES_WORD_BITS
	.set half_at, half_bit - half_word * SPOOR_VALUES_WORD_BITS
	.if half_at == 0
	end_word (half_word - 1)
	xor %edi, %edi
	.endif
	movzbl SPOOR_CAPTURE_HALVES + \n(%rsi), %eax
	mov (%rsp,%rax), %eax
	.if half_at + 32 > SPOOR_VALUES_WORD_BITS
	mov %rax, %rdx
	shl $(half_at + 4), %rdx
	or %rdx, %rdi
	end_word half_word
	mov %eax, %edi
	shr $(SPOOR_VALUES_WORD_BITS - half_at), %edi
	shl $4, %rdi
	.else
	shl $(half_at + 4), %rax
	or %rax, %rdi
	.endif
	.endm

	.macro end_word word
	shrd $4, %r9, %rdi
	mov %rdi, (8 + 8 * (\word))(%r11)
	.endm

	/* If all values are halves of registers of arguments. rcx: the capture; eax: its number */
	.macro halves done
	push_arguments
	mov %rcx, %rsi				/* rsi: the capture */
	mov %eax, %edi
	event_begin
	cmp %edx, SPOOR_THREAD_QUARTER(%rcx)
	jne .Lslow\@
	movzbl SPOOR_CAPTURE_RECORD_BYTES(%rsi), %r8d
	mov %r8, %r11
	xadd %r11, SPOOR_THREAD_CURSOR(%rcx)	/* r11: the address of r8 bytes */
	cmp %edx, SPOOR_THREAD_QUARTER(%rcx)
	jne .Lgive_up\@
	lea -8(%r11,%r8), %r9
	mov %r9d, %ecx
	and %r11d, %ecx
	test $SPOOR_SLICE_BIT, %ecx
	jz .Lgive_up\@
	mov %rax, (%r9)
	movzbl SPOOR_CAPTURE_HALF_COUNT(%rsi), %ecx
	mov $1, %r9d
	shl $4, %rdi
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	half \n
	dec %ecx
	jz .Lend\@
	.endr
	half 11
.Lend\@:
	shrd $4, %r9, %rdi
	mov %rdi, -16(%r11,%r8)
	sub $16, %r8d
	shl $(32 - 3), %r8			/* the number of words */
	movabs $SPOOR_NO_VALUES_WORD, %rax
	add %rax, %r8
	mov %r8, (%r11)				/* last, for readers */
	.cfi_remember_state
	pop_arguments
	numbers_end \done
.Lgive_up\@:
	mov %r8d, %ecx
	shr $3, %ecx
	give_up
.Lslow\@:
	shr $32, %rax
	mov %eax, %r11d
	mov %edi, %eax
	pop_arguments
	.endm
