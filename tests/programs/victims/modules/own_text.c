/* SPDX-License-Identifier: MIT */
/*
 * own_text.c - changes its own text like programs that patch themselves, and switches its
 * functions off and on in between.
 *
 *   writes   keeps the text writable all the time, and writes to it
 *   fetches  makes the kernel discard the changes to the text
 */
#define _GNU_SOURCE
#include <link.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "spoor.h"

#pragma weak spoor_functions_enable
#pragma weak spoor_functions_disable

static uintptr_t low, high;
static jmp_buf back;

__attribute__((noinline)) int leaf(int x)
{
	__asm__ volatile("");
	return x + 1;
}

void leave(void) __attribute__((noreturn));
__attribute__((noinline)) void leave(void)
{
	__asm__ volatile("");
	longjmp(back, 1);
}

static int find_text(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size, (void)unused;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		low = (object->dlpi_addr + segment->p_vaddr) & -4096ul;
		high = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz + 4095) & -4096ul;
	}
	return 1;
}

static void call(int count)
{
	for (int i = 0; i < count; i++) {
		leaf(i);
		if (!setjmp(back))
			leave();
	}
}

int main(int count, char **arguments)
{
	const char *way = count > 1 ? arguments[1] : "";
	volatile uint8_t *byte;

	dl_iterate_phdr(find_text, NULL);
	call(10);
	if (strcmp(way, "writes") == 0 && mprotect((void *)low, high - low, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		return 77;
	for (int i = 0; i < 3; i++) {
		if (strcmp(way, "fetches") == 0)
			madvise((void *)low, high - low, MADV_DONTNEED);
		if (spoor_functions_disable)
			spoor_functions_disable("own_text", "leaf,leave");
		call(100);
		if (spoor_functions_enable)
			spoor_functions_enable("own_text", "leaf,leave");
		call(1000);
		byte = (volatile uint8_t *)(high - 1);
		if (strcmp(way, "writes") == 0)
			*byte = *byte;
	}
	puts("done");
	return 0;
}
