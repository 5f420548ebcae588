/* SPDX-License-Identifier: MIT */
/* called_x86_64.c - checks in assembly that the registers of a called process are unchanged. */
#include "tests/unit/tools/attach/inject/called.h"

void called_use_vectors(void)
{
	__asm__ volatile("pcmpeqb %%xmm0, %%xmm0; movaps %%xmm0, %%xmm7; movaps %%xmm0, %%xmm15" : : : "xmm0", "xmm7",
			 "xmm15");
}

/* Checks all general and vector registers, and the bytes below the stack pointer. */
int called_in_registers(void)
{
	uint64_t wrong;

	called->begun = 1;
	__asm__ volatile(
		"mov $0x1111111111, %%r8\n mov $0x2222222222, %%r9\n mov $0x3333333333, %%r10\n"
		"mov $0x4444444444, %%r11\n mov $0x5555555555, %%r12\n mov $0x6666666666, %%r13\n"
		"mov $0x7777777777, %%rsi\n mov $0x8888888888, %%rdi\n mov $0x9999999999, %%rcx\n"
		"movq %%r8, %%xmm0\n movq %%r9, %%xmm7\n movq %%r10, %%xmm15\n"
		"mov %%r11, -8(%%rsp)\n mov %%r12, -128(%%rsp)\n"
		"stc\n"
		"1: jnc 2f\n mov (%[go]), %%eax\n bt $0, %%eax\n cmc\n jnc 3f\n jmp 1b\n"
		"2: mov $1, %[wrong]\n jmp 4f\n"
		"3: xor %[wrong], %[wrong]\n"
		"mov $0x1111111111, %%rax\n xor %%r8, %%rax\n or %%rax, %[wrong]\n"
		"movq %%xmm0, %%rdx\n xor %%r8, %%rdx\n or %%rdx, %[wrong]\n"
		"mov $0x2222222222, %%rax\n xor %%r9, %%rax\n or %%rax, %[wrong]\n"
		"movq %%xmm7, %%rdx\n xor %%r9, %%rdx\n or %%rdx, %[wrong]\n"
		"mov $0x3333333333, %%rax\n xor %%r10, %%rax\n or %%rax, %[wrong]\n"
		"movq %%xmm15, %%rdx\n xor %%r10, %%rdx\n or %%rdx, %[wrong]\n"
		"mov $0x4444444444, %%rax\n xor %%r11, %%rax\n or %%rax, %[wrong]\n"
		"mov -8(%%rsp), %%rdx\n xor %%r11, %%rdx\n or %%rdx, %[wrong]\n"
		"mov $0x5555555555, %%rax\n xor %%r12, %%rax\n or %%rax, %[wrong]\n"
		"mov -128(%%rsp), %%rdx\n xor %%r12, %%rdx\n or %%rdx, %[wrong]\n"
		"mov $0x6666666666, %%rax\n xor %%r13, %%rax\n or %%rax, %[wrong]\n"
		"mov $0x7777777777, %%rax\n xor %%rsi, %%rax\n or %%rax, %[wrong]\n"
		"mov $0x8888888888, %%rax\n xor %%rdi, %%rax\n or %%rax, %[wrong]\n"
		"mov $0x9999999999, %%rax\n xor %%rcx, %%rax\n or %%rax, %[wrong]\n"
		"4:\n"
		: [wrong] "=&r"(wrong)
		: [go] "r"(&called->go_on)
		: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "xmm0", "xmm7", "xmm15",
		  "memory", "cc");
	return wrong != 0;
}
