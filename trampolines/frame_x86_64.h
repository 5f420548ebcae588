/* SPDX-License-Identifier: MIT */
/* frame_x86_64.h - what the trampolines' files share: pushes with their CFI. */
#if defined __CET__ && __has_include(<cet.h>)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

	.macro keep register
	push \register
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \register, 0
	.endm

	.macro restore register
	pop \register
	.cfi_adjust_cfa_offset -8
	.cfi_restore \register
	.endm

	/* \drop is 8 where the event code lies on the stack, else 0. */
	.macro trampoline_begin name drop
	.globl \name
	.hidden \name
	.type \name, @function
	.p2align 6
\name:
	.cfi_startproc
	.if \drop
	.cfi_def_cfa_offset 16
	.cfi_offset %rip, -16
	.endif
	_CET_ENDBR
	.endm

	.macro trampoline_return drop
	.if \drop
	ret $8
	.else
	ret
	.endif
	.endm

	.macro trampoline_end name
	.cfi_endproc
	.size \name, . - \name
	.endm
