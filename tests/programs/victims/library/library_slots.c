/* SPDX-License-Identifier: MIT */
/*
 * library_slots.c - compares its jump slots with what they would be without spoor: address of the function, or of the
 * procedure linkage table as the file says. Prints how many differ while library calls are recorded, after recording
 * was switched off, and after it was switched on again. No sleds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#else
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#endif

static int slots, changed;

/* Whether an address is in the module with this name. */
static int is_in(const void *address, const char *name)
{
	Dl_info info;

	return dladdr(address, &info) && strstr(info.dli_fname, name);
}

static int visit(struct dl_phdr_info *object, size_t size, void *unused)
{
	const ElfW(Dyn) *entry = NULL;
	const ElfW(Rela) *relocations = NULL;
	size_t bytes = 0;

	(void)size;
	(void)unused;
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			entry = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_JMPREL)
			relocations = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_PLTRELSZ)
			bytes = entry->d_un.d_val;
	}
	if (strstr(object->dlpi_name, "vdso"))
		return 0;
	for (size_t i = 0; i < bytes / sizeof(*relocations); i++) {
		void *const *slot = (void *const *)(object->dlpi_addr + relocations[i].r_offset);

		if (ELF64_R_TYPE(relocations[i].r_info) != JUMP_SLOT)
			continue;
		slots++;
		changed += is_in(*slot, "libspoor") && !strstr(object->dlpi_name, "libspoor");
	}
	return 0;
}

/* A checksum of all slots of the executable. */
static unsigned long sum;

static int add_up(struct dl_phdr_info *object, size_t size, void *unused)
{
	const ElfW(Rela) *relocations = NULL;
	const ElfW(Dyn) *entry = _DYNAMIC;
	size_t bytes = 0;

	(void)size;
	(void)unused;
	for (; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_JMPREL)
			relocations = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_PLTRELSZ)
			bytes = entry->d_un.d_val;
	}
	sum = 0;
	for (size_t i = 0; i < bytes / sizeof(*relocations); i++) {
		const void *value = *(void *const *)(object->dlpi_addr + relocations[i].r_offset);
		unsigned long part = 0;
		Dl_info info;

		/* The distance within a module, and its name: independent of where it is loaded. */
		if (dladdr(value, &info)) {
			part = (unsigned long)value - (unsigned long)info.dli_fbase;
			for (const char *at = info.dli_fname; *at; at++)
				part = part * 31 + (unsigned char)*at;
		}
		sum = sum * 1000003 + part;
	}
	return 1;
}

static void show(const char *when)
{
	/* Without spoor, main() has bound this slot by its calls. */
	dlsym(RTLD_DEFAULT, "none");
	slots = changed = 0;
	dl_iterate_phdr(visit, NULL);
	dl_iterate_phdr(add_up, NULL);
	printf("%s %s %lx\n", when, changed ? "changed" : "original", changed ? 0 : sum);
	fflush(stdout);
}

int main(void)
{
	long (*disable)(void) = (long (*)(void))dlsym(RTLD_DEFAULT, "spoor_disable");
	long (*enable)(void) = (long (*)(void))dlsym(RTLD_DEFAULT, "spoor_enable");

	if (disable)
		show("begin");
	if (disable)
		disable();
	show("off");
	strtol("1", NULL, 10);
	if (enable)
		enable();
	if (enable)
		show("on");
	strtol("1", NULL, 10);
	return 0;
}
