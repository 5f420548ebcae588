/* SPDX-License-Identifier: MIT */
/* note.h - the ELF note by which a runtime that is loaded later finds the module (format/registration.h). */
	.section .note.spoor, "a", @note
	.p2align 2
	.long 6, 8, 1
	.asciz "spoor"
	.p2align 2
	.hidden spoor_dso_self
1:	.quad spoor_dso_self - 1b
