/* SPDX-License-Identifier: MIT */
/* start_aarch64.S - the first code of a program whose branches are all guarded. Debian's own start files have no
 * landing pads. */
#include "assembly_aarch64.h"

	function _start
	.cfi_undefined x30
	mov x29, #0
	mov x30, #0
	mov x5, x0				/* a function of ld.so, to be called at the end */
	ldr x1, [sp]
	add x2, sp, #8
	mov x6, sp
	adrp x0, main
	add x0, x0, :lo12:main
	mov x3, #0
	mov x4, #0
	bl __libc_start_main
	brk #0
	function_end _start

	.data
	.hidden __dso_handle
	.globl __dso_handle
__dso_handle:
	.quad __dso_handle
