/* SPDX-License-Identifier: MIT */
/*
 * seen_stacks.c - spoor_aside_map and _unmap by way of libc. The real ones go past it, so a
 * sanitizer would take a stack at the address of an earlier one for the same memory.
 */
#include <stddef.h>
#include <sys/mman.h>

void *__wrap_spoor_aside_map(long bytes);
void __wrap_spoor_aside_unmap(void *end, long bytes);

void *__wrap_spoor_aside_map(long bytes)
{
	void *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : (char *)memory + bytes;
}

void __wrap_spoor_aside_unmap(void *end, long bytes)
{
	munmap((char *)end - bytes, (size_t)bytes);
}
