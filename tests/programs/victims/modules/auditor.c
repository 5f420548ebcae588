/* SPDX-License-Identifier: MIT */
/* auditor.c - a library for LD_AUDIT that follows all bindings, and counts them in a function of its own. */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>

static volatile unsigned int bindings;

__attribute__((noinline)) static void note_binding(void)
{
	bindings++;
}

unsigned int la_version(unsigned int version)
{
	note_binding();
	return version;
}

unsigned int la_objopen(struct link_map *map, Lmid_t name_space, uintptr_t *cookie)
{
	(void)map, (void)name_space, (void)cookie;
	note_binding();
	return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to, unsigned int *flags,
		       const char *name)
{
	(void)index, (void)from, (void)to, (void)flags, (void)name;
	note_binding();
	return symbol->st_value;
}
