/* SPDX-License-Identifier: MIT */
/* first_aarch64.h - the end of a function's first-run call, shared by stub and trampoline. */
#ifndef SPOOR_FIRST_AARCH64_H
#define SPOOR_FIRST_AARCH64_H

	/* Sets the function's byte and returns into it. On the stack: its x30, and the address of its two words. */
	.macro first_return
	ldr x17, [sp, #8]
	ldrsw x16, [x17]
	add x16, x16, x17
	mov w30, #1
	strb w30, [x16]
	add x16, x17, #8
	ldr x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_same_value x30
	ret x16
	.endm

#endif
