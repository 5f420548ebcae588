/* SPDX-License-Identifier: MIT */
/* embed.h - files of the source tree as they are, without the quotes that C would ask for. */
#ifndef SPOOR_TOOLS_EMBED_H
#define SPOOR_TOOLS_EMBED_H

/* @name and @name_end are around what tools/@file holds. Their symbols, which are no names of C's, are global, for
 * link-time optimisation puts this and who reads it into different units. */
#define EMBED(name, file)                                                                                          \
	__asm__(".section .rodata\n"                                                                               \
		".globl embedded." #name ", embedded." #name ".end\n"                                              \
		".hidden embedded." #name ", embedded." #name ".end\n"                                             \
		"embedded." #name ": .incbin \"" TOOLS_SOURCE file "\"\n"                                           \
		"embedded." #name ".end:\n.previous\n");                                                           \
	extern const char name[] __asm__("embedded." #name) __attribute__((visibility("hidden"))),                 \
		name##_end[] __asm__("embedded." #name ".end") __attribute__((visibility("hidden")))

#endif
