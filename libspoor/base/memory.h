/* SPDX-License-Identifier: MIT */
/* memory.h - maps pages from the kernel, because the runtime must not call the program's malloc. */
#ifndef SPOOR_MEMORY_H
#define SPOOR_MEMORY_H

#include <linux/mman.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Size of the kernel's memory pages. */
extern uint32_t spoor_page_bytes;

/* Returns zeroed, page-aligned memory, or null if there is none. */
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

/* Replaces a mapping that belongs to another process from now on by zeroed memory. The memory is shared,
 * because private memory counts against the limit RLIMIT_DATA, which may be small. Returns like mmap. */
static inline void *spoor_memory_renew(void *begin, size_t bytes)
{
	return mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* The same with memory that cannot be accessed: the kernel reserves no memory for it. */
static inline void *spoor_memory_close(void *begin, size_t bytes)
{
	return mmap(begin, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

#define SPOOR_HUGE_PAGE ((size_t)2 << 20)

/* The size that spoor_memory_map_now and spoor_memory_unmap take for a block of @bytes. */
static inline size_t spoor_memory_size_now(size_t bytes)
{
	return bytes < SPOOR_HUGE_PAGE / 2 ? bytes : (bytes + SPOOR_HUGE_PAGE - 1) & -SPOOR_HUGE_PAGE;
}

/* Maps memory that the caller will write completely: populates it at once, with huge pages if the kernel has
 * some. @bytes: a result of spoor_memory_size_now. */
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

/* Maps the pages of a file that the caller will read completely, before a loop over the file takes each fault.
 * Reads one byte of every 16 pages, because a fault maps 16 pages. MADV_POPULATE_READ takes a third more time
 * and looks at each page again. */
static inline void spoor_memory_prefault(const void *begin, size_t bytes)
{
	for (size_t at = 0; bytes > 16 * 4096 && at < bytes; at += 16 * 4096)
		(void)((const volatile char *)begin)[at];
}

#endif
