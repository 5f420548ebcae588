/* SPDX-License-Identifier: MIT */
/*
 * aside_x86_64.c - a stack of our own for the rare call into libc from an event,
 * and room on it for the vector state.
 *
 * Compiled for general registers only: that state is not saved yet.
 */
#include <cpuid.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "aside.h"
#include "system.h"

#define ASIDE_BYTES (128l << 10)

uint32_t spoor_xsave_bytes;

void spoor_aside_begin(void)
{
	unsigned int a, b, c, d;

	/* CPUID.1:ECX.OSXSAVE, then leaf 0xd: what the enabled states need. */
	if (__get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 27)) && __get_cpuid_count(0xd, 0, &a, &b, &c, &d))
		spoor_xsave_bytes = (b + 63) & ~63u;
}

void *spoor_aside_map(void)
{
	long memory = spoor_system(SYS_mmap, 0, ASIDE_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory < 0 && memory > -4096 ? NULL : (char *)memory + ASIDE_BYTES;
}

void spoor_aside_unmap(void *end)
{
	spoor_system(SYS_munmap, (long)((char *)end - ASIDE_BYTES), ASIDE_BYTES, 0, 0, 0, 0);
}
