/* SPDX-License-Identifier: MIT */
/* called_aarch64.c - checks in assembly that the registers of a called process are unchanged. */
#include "tests/unit/tools/attach/inject/called.h"

void called_use_vectors(void)
{
	__asm__ volatile("movi v0.16b, #255\n\tmov v7.16b, v0.16b\n\tmov v31.16b, v0.16b" : : : "v0", "v7", "v31");
}

/* Checks general and vector registers, the bytes from the stack pointer on, and the flags. */
int called_in_registers(void)
{
	uint64_t wrong;

	called->begun = 1;
	__asm__ volatile(
		"sub sp, sp, #16\n\t"
		"mov x8, #0x1111\n\tmov x9, #0x2222\n\tmov x10, #0x3333\n\tmov x16, #0x4444\n\tmov x17, #0x5555\n\t"
		"mov x18, #0x6666\n\tmov x19, #0x7777\n\tmov x0, #0x8888\n\tmov x1, #0x9999\n\t"
		"fmov d0, x8\n\tfmov d7, x9\n\tfmov d31, x10\n\tstp x16, x17, [sp]\n\t"
		"cmp x8, x8\n"			/* the flags say "equal" from here on */
		"1:\tb.ne 2f\n\tldr w2, [%[go]]\n\tcbz w2, 1b\n\tb 3f\n"
		"2:\tmov %[wrong], #1\n\tb 4f\n"
		"3:\tmov %[wrong], #0\n\t"
		"mov x2, #0x1111\n\teor x2, x2, x8\n\torr %[wrong], %[wrong], x2\n\t"
		"mov x2, #0x2222\n\teor x2, x2, x9\n\torr %[wrong], %[wrong], x2\n\t"
		"mov x2, #0x3333\n\teor x2, x2, x10\n\torr %[wrong], %[wrong], x2\n\t"
		"mov x2, #0x4444\n\teor x2, x2, x16\n\torr %[wrong], %[wrong], x2\n\t"
		"mov x2, #0x5555\n\teor x2, x2, x17\n\torr %[wrong], %[wrong], x2\n\t"
		"mov x2, #0x6666\n\teor x2, x2, x18\n\torr %[wrong], %[wrong], x2\n\t"
		"mov x2, #0x7777\n\teor x2, x2, x19\n\torr %[wrong], %[wrong], x2\n\t"
		"mov x2, #0x8888\n\teor x2, x2, x0\n\torr %[wrong], %[wrong], x2\n\t"
		"mov x2, #0x9999\n\teor x2, x2, x1\n\torr %[wrong], %[wrong], x2\n\t"
		"fmov x2, d0\n\teor x2, x2, x8\n\torr %[wrong], %[wrong], x2\n\t"
		"fmov x2, d7\n\teor x2, x2, x9\n\torr %[wrong], %[wrong], x2\n\t"
		"fmov x2, d31\n\teor x2, x2, x10\n\torr %[wrong], %[wrong], x2\n\t"
		"ldp x2, x3, [sp]\n\teor x2, x2, x16\n\teor x3, x3, x17\n\torr %[wrong], %[wrong], x2\n\t"
		"orr %[wrong], %[wrong], x3\n"
		"4:\tadd sp, sp, #16\n"
		: [wrong] "=&r"(wrong)
		: [go] "r"(&called->go_on)
		: "x0", "x1", "x2", "x3", "x8", "x9", "x10", "x16", "x17", "x18", "x19", "v0", "v7", "v31", "memory", "cc");
	return wrong != 0;
}
