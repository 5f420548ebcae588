/* SPDX-License-Identifier: MIT */
/* note.h - how a runtime that arrives later finds the module (registration.h), for assembly. */
	.section .note.spoor, "a", @note
	.p2align 2
	.long 6, 8, 1
	.asciz "spoor"
	.p2align 2
	.hidden spoor_dso_self
1:	.quad spoor_dso_self - 1b
