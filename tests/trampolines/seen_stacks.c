/* SPDX-License-Identifier: MIT */
/*
 * seen_stacks.c - spoor_libc_stack_take and spoor_libc_stack_give with libc's mmap and munmap. The real functions make
 * system calls directly, so a sanitizer would confuse a stack with an earlier one at the same address.
 */
#include <stddef.h>
#include <sys/mman.h>

enum { STACK_BYTES = 1 << 20 };

void *__wrap_spoor_libc_stack_take(void);
void __wrap_spoor_libc_stack_give(void *end);

void *__wrap_spoor_libc_stack_take(void)
{
	void *memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : (char *)memory + STACK_BYTES;
}

void __wrap_spoor_libc_stack_give(void *end)
{
	munmap((char *)end - STACK_BYTES, STACK_BYTES);
}
