/* SPDX-License-Identifier: MIT */
/*
 * sample.S - a library with a function table: names of C, C++ and Rust, a local function, one with
 * two names, and one without a name.
 */
	.macro sample name, symbols:vararg
	.text
	.balign 16
	.irp symbol, \symbols
	.type \symbol, @function
	\symbol:
	.endr
.Lsample_\name:
	ret
	.irp symbol, \symbols
	.size \symbol, 1
	.endr
	.section spoor_functions, "a", @progbits
	.long .Lsample_\name - ., 0x11111111, 0, 0
	.endm

	.globl alpha, beta, gamma, _ZN3geo5Shape4areaEid, _ZNSt6vectorIiSaIiEE9push_backEOi
	.globl _RNvNtCs1234_7mycrate3foo3bar, other_name, some_longer_name
	.weak weak_name

	sample alpha, alpha
	sample beta, beta
	sample gamma, gamma
	sample local, local_function
	sample area, _ZN3geo5Shape4areaEid
	sample push, _ZNSt6vectorIiSaIiEE9push_backEOi
	sample rust, _RNvNtCs1234_7mycrate3foo3bar
	sample several, some_longer_name, weak_name, other_name
	sample nameless, .Lnameless

	.section .note.GNU-stack, "", @progbits
