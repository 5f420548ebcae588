/* SPDX-License-Identifier: MIT */
/* memory.h - pages from the kernel: the program's malloc is not ours to call. */
#ifndef SPOOR_MEMORY_H
#define SPOOR_MEMORY_H

#include <stddef.h>
#include <sys/mman.h>

/* Zeroed, page-aligned; null where there is none. */
static inline void *spoor_memory_map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static inline void spoor_memory_unmap(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

#endif
