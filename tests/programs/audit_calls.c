/* SPDX-License-Identifier: MIT */
/*
 * audit_calls.c - counts calls between modules with the dynamic loader's own interface for it, rtld-audit(7): an
 * oracle for library calls.
 *
 * Each call writes "CALLER TAB CALLEE TAB FUNCTION" to the file that AUDIT_CALLS names. Lazy binding only: the loader
 * reports no calls through slots that it bound at once.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int file = -1;

unsigned int la_version(unsigned int version)
{
	(void)version;
	file = open(getenv("AUDIT_CALLS"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	return LAV_CURRENT;
}

unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	(void)space;
	*cookie = (uintptr_t)map->l_name;
	return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

static const char *base_name(uintptr_t cookie)
{
	const char *name = (const char *)cookie, *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static void count(uintptr_t caller, uintptr_t callee, const char *name)
{
	char line[512];
	int length = snprintf(line, sizeof(line), "%s\t%s\t%s\n", base_name(caller), base_name(callee), name);

	if (write(file, line, (size_t)length) != length)
		abort();
}

#ifdef __x86_64__
Elf64_Addr la_x86_64_gnu_pltenter(Elf64_Sym *symbol, unsigned int index, uintptr_t *caller, uintptr_t *callee,
				  La_x86_64_regs *registers, unsigned int *flags, const char *name, long *frame)
{
	(void)index;
	(void)registers;
	(void)flags;
	(void)frame;
	count(*caller, *callee, name);
	return symbol->st_value;
}
#else
ElfW(Addr) la_aarch64_gnu_pltenter(ElfW(Sym) *symbol, unsigned int index, uintptr_t *caller, uintptr_t *callee,
				   La_aarch64_regs *registers, unsigned int *flags, const char *name, long *frame)
{
	(void)index;
	(void)registers;
	(void)flags;
	(void)frame;
	count(*caller, *callee, name);
	return symbol->st_value;
}
#endif
