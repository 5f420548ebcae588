/* SPDX-License-Identifier: MIT */
/* first_aarch64.h - how a function goes on that ran for the first time: stub and trampoline end in it. */
#ifndef SPOOR_FIRST_AARCH64_H
#define SPOOR_FIRST_AARCH64_H

	/* Sets its byte. Pushed are its x30, and where its two words are. */
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
