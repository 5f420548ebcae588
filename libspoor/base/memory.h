/* SPDX-License-Identifier: MIT */
/* memory.h - pages from the kernel: the program's malloc is not ours to call. */
#ifndef SPOOR_MEMORY_H
#define SPOOR_MEMORY_H

#include <linux/mman.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Of memory, as the kernel has them. */
extern uint32_t spoor_page_bytes;

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

/* What is mapped there is another process's from now on: zeroed memory takes its place. Shared, for what is
 * private counts as data, of which a process may have little. Return: as mmap. */
static inline void *spoor_memory_renew(void *begin, size_t bytes)
{
	return mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* The same for what nobody could use: the kernel promises no memory for it. */
static inline void *spoor_memory_close(void *begin, size_t bytes)
{
	return mmap(begin, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

#define SPOOR_HUGE_PAGE ((size_t)2 << 20)

/* What spoor_memory_map_now takes for @bytes, and spoor_memory_unmap is given. */
static inline size_t spoor_memory_size_now(size_t bytes)
{
	return bytes < SPOOR_HUGE_PAGE / 2 ? bytes : (bytes + SPOOR_HUGE_PAGE - 1) & -SPOOR_HUGE_PAGE;
}

/* For what is about to be written whole: no fault for every page, and huge pages
 * where the kernel has some. @bytes: of spoor_memory_size_now. */
static inline void *spoor_memory_map_now(size_t bytes)
{
	size_t more = bytes % SPOOR_HUGE_PAGE ? 0 : SPOOR_HUGE_PAGE;
	char *memory = spoor_memory_map(bytes + more);
	size_t before = more ? -(uintptr_t)memory & (more - 1) : 0;

	if (!memory)
		return NULL;
	if (more) {
		if (before)
			munmap(memory, before);
		memory += before;
		munmap(memory + bytes, more - before);
		madvise(memory, bytes, MADV_HUGEPAGE);
	}
	madvise(memory, bytes, MADV_POPULATE_WRITE);
	return memory;
}

/* Maps the pages of a file that is about to be read whole, before a loop over it meets each fault. A read for
 * every 16 pages, of which a fault maps so many, takes three quarters of MADV_POPULATE_READ's time, which then
 * looks at each page once more. */
static inline void spoor_memory_prefault(const void *begin, size_t bytes)
{
	for (size_t at = 0; bytes > 16 * 4096 && at < bytes; at += 16 * 4096)
		(void)((const volatile char *)begin)[at];
}

#endif
