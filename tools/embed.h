/* SPDX-License-Identifier: MIT */
/* embed.h - files of the source tree as they are, without the quotes that C would ask for. */
#ifndef SPOOR_TOOLS_EMBED_H
#define SPOOR_TOOLS_EMBED_H

/* @name and @name_end are around what tools/@file holds. */
#define EMBED(name, file)                                                  \
	__asm__(".section .rodata\n" #name ": .incbin \"" TOOLS_SOURCE file "\"\n" \
		#name "_end:\n.previous\n");                                \
	extern const char name[], name##_end[]

#endif
