/* SPDX-License-Identifier: MIT */
/*
 * text_pages.c - makes text writable, and makes changes of the text visible to all processors.
 *
 * The cost is per touched page (a copy-on-write of 2 us), not per function. One mprotect makes a whole
 * range of a segment writable, however few of its pages are written. The text stays executable all the
 * time.
 */
#define _GNU_SOURCE
#include "patch/text_pages.h"

#include <errno.h>
#include <link.h>
#include <linux/membarrier.h>
#include <linux/mman.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/clocks.h"
#include "event/processor.h"

#define WITHOUT_BARRIER_NS 100000
#define SAMPLES 16u	/* tested pages; a program makes all of its text writable or none */

static bool barrier_registered;
static enum { WRITABLE_UNKNOWN, WRITABLE_YES, WRITABLE_NO } text_writable;
static bool populate_checks;	/* MADV_POPULATE_WRITE fails on text that is not writable; false in emulators */

void spoor_patch_begin(void)
{
	barrier_registered =
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0;
}

void spoor_patch_synchronise(void)
{
	int64_t begin_ns;

	if (barrier_registered &&
	    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0)
		return;
	/* Without membarrier (an old kernel, or a filter), wait until each processor has executed the
	 * instructions that it had fetched before. */
	begin_ns = spoor_clock_ns(CLOCK_MONOTONIC);
	while (spoor_clock_ns(CLOCK_MONOTONIC) - begin_ns < WITHOUT_BARRIER_NS)
		;
}

/* Tries both calls on a new page, because a filter may allow only one of them. */
bool spoor_patch_is_allowed(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *probe;

	if (text_writable != WRITABLE_UNKNOWN)
		return text_writable == WRITABLE_YES;
	text_writable = WRITABLE_NO;
	probe = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (probe == MAP_FAILED)
		return false;
	populate_checks = madvise(probe, page, MADV_POPULATE_WRITE) < 0;
	if (mprotect(probe, page, PROT_READ | PROT_WRITE | PROT_EXEC) == 0 &&
	    mprotect(probe, page, PROT_READ | PROT_EXEC) == 0)
		text_writable = WRITABLE_YES;
	munmap(probe, page);
	return text_writable == WRITABLE_YES;
}

static int protect(uintptr_t low, uintptr_t high, int protection, uint64_t fresh)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = low & -page;
	size_t bytes = ((high + page - 1) & -page) - begin;

	if (mprotect((void *)begin, bytes, protection) < 0)
		return -errno;
	/* One call instead of a fault for each page. */
	if (protection & PROT_WRITE && fresh >= bytes / page)
		madvise((void *)begin, bytes, MADV_POPULATE_WRITE);
	return 0;
}

/* Skips gaps between text segments: they may be data, or unmapped. */
static int protect_text(const struct spoor_sleds *sleds, uintptr_t begin, uintptr_t end, bool writable,
			uint64_t fresh)
{
	const ElfW(Ehdr) *header = sleds->functions.dso->image;
	const ElfW(Phdr) *segments = header ? (const void *)((const char *)header + header->e_phoff) : NULL;
	int more = writable ? PROT_WRITE : 0, result = -EFAULT;

	/* A tool that makes room at a file's begin (patchelf) leaves zeros where the linker placed the header. */
	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return protect(begin, end, PROT_READ | PROT_EXEC | more, fresh);
	more |= spoor_text_protection(segments, header->e_phnum, sleds->functions.load_bias);
	for (int i = 0; i < header->e_phnum; i++) {
		uintptr_t low = sleds->functions.load_bias + segments[i].p_vaddr, high = low + segments[i].p_memsz;
		uint32_t flags = segments[i].p_flags;

		low = low > begin ? low : begin;
		high = high < end ? high : end;
		if (segments[i].p_type != PT_LOAD || !(flags & PF_X) || low >= high)
			continue;
		result = protect(low, high, PROT_EXEC | (flags & PF_R ? PROT_READ : 0) |
					    (flags & PF_W ? PROT_WRITE : 0) | more, fresh);
		if (result < 0)
			break;
	}
	return result;
}

/* MADV_POPULATE_WRITE succeeds only on memory that is writable. */
bool spoor_patch_text_is_writable(uintptr_t begin, uintptr_t end)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), low = begin & -page, step = (end - low) / SAMPLES & -page;

	for (uintptr_t at = low; populate_checks && at < end; at += step ? step : page)
		if (madvise((void *)at, page, MADV_POPULATE_WRITE) == 0)
			return true;
	return false;
}

int spoor_patch_open_text(const struct spoor_sleds *sleds, uintptr_t begin, uintptr_t end, uint64_t fresh)
{
	return protect_text(sleds, begin, end, true, fresh);
}

void spoor_patch_close_text(const struct spoor_sleds *sleds, uintptr_t begin, uintptr_t end)
{
	protect_text(sleds, begin, end, false, 0);
}
