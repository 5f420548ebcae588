/* SPDX-License-Identifier: MIT */
/*
 * reach_x86_64.S - calls a trampoline like a patched sled and its thunk.
 *
 *   void reach_entry(uint32_t code, uint64_t flags)	flags: 0x100 to single-step it, or 0
 *   void reach_through(uint32_t code, uint64_t flags, const void *trampoline)
 */
	.text

	.macro flags_set from
	pushfq
	or \from, (%rsp)
	popfq
	.endm
	.macro flags_clear
	pushfq
	andq $~0x100, (%rsp)
	popfq
	.endm

	.globl reach_entry
	.type reach_entry, @function
reach_entry:
	mov %edi, %r11d
	flags_set %rsi
	call spoor_log_entry
	flags_clear
	ret
	.size reach_entry, . - reach_entry

	.globl reach_exit
	.type reach_exit, @function
reach_exit:
	mov %edi, %r11d
	flags_set %rsi
	call 1f
	flags_clear
	ret
1:	jmp spoor_log_exit
	.size reach_exit, . - reach_exit

	.globl reach_tail
	.type reach_tail, @function
reach_tail:
	mov %edi, reach_tail_code+1(%rip)	/* box_begin makes this code writable */
	flags_set %rsi
	call spoor_log_tail
	.globl reach_tail_code
reach_tail_code:
	test $0, %eax
	flags_clear
	ret
	.size reach_tail, . - reach_tail

/* Logs an entry, and stores the address of its return address in reach_frame. */
	.globl reach_framed
	.type reach_framed, @function
reach_framed:
	mov %rsp, reach_frame(%rip)
	mov %edi, %r11d
	flags_set %rsi
	call spoor_log_framed
	flags_clear
	ret
	.size reach_framed, . - reach_framed

/* The same with the trampoline in rdx. */
	.globl reach_framed_through
	.type reach_framed_through, @function
reach_framed_through:
	mov %rsp, reach_frame(%rip)
	mov %edi, %r11d
	flags_set %rsi
	mov %edi, %esi				/* the second argument */
	call *%rdx
	flags_clear
	ret
	.size reach_framed_through, . - reach_framed_through

/* A tracepoint with two arguments: the code, and its complement. */
	.globl reach_tracepoint
	.type reach_tracepoint, @function
reach_tracepoint:
	sub $8, %rsp
	mov %rsi, %r10
	mov %edi, %edx
	mov %rdx, %rcx
	not %rcx
	lea reached_tracepoint(%rip), %rdi
	mov reached_types(%rip), %rsi
	xor %r8d, %r8d
	xor %r9d, %r9d
	flags_set %r10
	call spoor_tracepoint_record
	flags_clear
	add $8, %rsp
	ret
	.size reach_tracepoint, . - reach_tracepoint

/* Logs like a mark. code: the bits of the frame */
	.globl reach_unwind
	.type reach_unwind, @function
reach_unwind:
	sub $8, %rsp
	and $((1 << 29) - 1), %edi
	shl $4, %rdi
	flags_set %rsi
	call spoor_log_unwind
	flags_clear
	add $8, %rsp
	ret
	.size reach_unwind, . - reach_unwind

/* The same for a switch to another stack. Bit 28 of code: the stack continues. */
	.globl reach_switch
	.type reach_switch, @function
reach_switch:
	sub $8, %rsp
	mov %edi, %eax
	and $((1 << 28) - 1), %edi
	shl $4, %rdi
	bts $63, %rdi
	bt $28, %eax
	jnc 1f
	bts $62, %rdi
1:	flags_set %rsi
	call spoor_log_unwind
	flags_clear
	add $8, %rsp
	ret
	.size reach_switch, . - reach_switch

/* Calls any other trampoline, whose address is in rdx. */
	.globl reach_through
	.type reach_through, @function
reach_through:
	mov %edi, %r11d
	mov %edi, %eax				/* the result of an exit */
	flags_set %rsi
	mov %edi, %esi				/* the second argument */
	call *%rdx
	flags_clear
	ret
	.size reach_through, . - reach_through

/* Calls a function, whose address is in rdx, with the stack aligned as for C code. */
	.globl reach_function
	.type reach_function, @function
reach_function:
	sub $8, %rsp
	flags_set %rsi
	call *%rdx
	flags_clear
	add $8, %rsp
	ret
	.size reach_function, . - reach_function

/* Calls a trampoline from a frame like a stub's (library_x86_64.S), with the code as the first stack argument. */
	.globl reach_as_stub
	.type reach_as_stub, @function
reach_as_stub:
	push %rdi
	sub $16, %rsp
	push %rbp
	mov %rsp, %rbp
	mov %edi, %r11d
	flags_set %rsi
	mov %edi, %esi				/* the second argument */
	call *%rdx
	flags_clear
	pop %rbp
	add $24, %rsp
	ret
	.size reach_as_stub, . - reach_as_stub

	.globl reach_tail_through
	.type reach_tail_through, @function
reach_tail_through:
	mov 1f+1(%rip), %ecx		/* may have the code of an event that a handler interrupted */
	push %rcx
	mov %edi, 1f+1(%rip)
	flags_set %rsi
	call *%rdx
1:	test $0, %eax
	flags_clear
	pop %rcx
	mov %ecx, 1b+1(%rip)
	ret
	.size reach_tail_through, . - reach_tail_through

/*
 * Calls the stub of a library function in rdi with the number in rdx, and with words that are made from it: two
 * arguments in front, four in registers, five on the stack.
 */
	.globl reach_library
	.type reach_library, @function
reach_library:
	push %rbp
	mov %rsp, %rbp
	mov %rdi, %r11
	mov %rdx, %r10
	sub $8, %rsp				/* rsp is aligned after five words */
	.irp word, 11, 10, 9, 8, 7
	lea \word(%rdx), %rax
	push %rax
	.endr
	flags_set %rsi
	lea reached_format(%rip), %rdi
	mov %r10, %rsi
	lea 3(%r10), %rdx
	lea 4(%r10), %rcx
	lea 5(%r10), %r8
	lea 6(%r10), %r9
	xor %eax, %eax
	call *%r11
	flags_clear
	leave
	ret
	.size reach_library, . - reach_library

/* The function that stubs call: passes the address of its stack arguments as the first one of these. */
	.globl reach_library_function
	.type reach_library_function, @function
reach_library_function:
	lea 8(%rsp), %rax
	push %rax
	call reached_library
	lea 8(%rsp), %rsp
	ret
	.size reach_library_function, . - reach_library_function

	.comm reach_frame, 8, 8

	.section .note.GNU-stack, "", @progbits
