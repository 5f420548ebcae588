/* SPDX-License-Identifier: MIT */
/* embed.h - embeds files of the source tree in the program, unchanged and without C quoting. */
#ifndef SPOOR_TOOLS_EMBED_H
#define SPOOR_TOOLS_EMBED_H

/* Defines @name at the first byte of tools/@file and @name_end after its last byte. Both symbols are global,
 * because link-time optimisation may put this assembly and the code that uses it into different units. */
#define EMBED(name, file)                                                                                          \
	__asm__(".section .rodata\n"                                                                               \
		".globl embedded." #name ", embedded." #name ".end\n"                                              \
		".hidden embedded." #name ", embedded." #name ".end\n"                                             \
		"embedded." #name ": .incbin \"" TOOLS_SOURCE file "\"\n"                                           \
		"embedded." #name ".end:\n.previous\n");                                                           \
	extern const char name[] __asm__("embedded." #name) __attribute__((visibility("hidden"))),                 \
		name##_end[] __asm__("embedded." #name ".end") __attribute__((visibility("hidden")))

#endif
