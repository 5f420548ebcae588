/* SPDX-License-Identifier: MIT */
/* sled_aarch64.c - recognises the instructions by which LLVM leaves a function on AArch64. */
#include "format/sled.h"

/* Encodings: DDI 0487, "Branches, Exception Generating and System instructions". */
enum spoor_sled_leaves spoor_sled_how_it_leaves(const uint32_t *at)
{
	uint32_t word = *at;

	if ((word & 0xfffffc1f) == 0xd65f0000 ||	/* ret x */
	    (word & 0xfffffbff) == 0xd65f0bff)		/* retaa, retab */
		return SPOOR_LEAVES_BY_RETURN;
	if ((word & 0xfc000000) == 0x14000000 ||	/* b */
	    (word & 0xfffffc1f) == 0xd61f0000 ||	/* br x */
	    (word & 0xfefff800) == 0xd61f0800)		/* braa, brab and those without a modifier */
		return SPOOR_LEAVES_BY_JUMP;
	if ((word & 0xff000000) == 0x54000000 ||	/* b.cond, bc.cond */
	    (word & 0x7e000000) == 0x34000000 ||	/* cbz, cbnz */
	    (word & 0x7e000000) == 0x36000000)		/* tbz, tbnz */
		return SPOOR_LEAVES_PERHAPS;
	return SPOOR_LEAVES_NOT;
}
