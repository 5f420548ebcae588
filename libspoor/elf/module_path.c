/* SPDX-License-Identifier: MIT */
/* module_path.c - finds the file of a module through the dynamic linker. */
#define _GNU_SOURCE
#include "elf/module_path.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_image.h"

struct object {
	uintptr_t address;	/* an address within the object */
	char *path;
};

bool spoor_object_path(const char *name, char path[PATH_MAX])
{
	if (!name[0])
		strcpy(path, spoor_executable_path());
	else if (!realpath(name, path))
		path[0] = '\0';
	return path[0] != '\0';
}

static int is_object(struct dl_phdr_info *info, size_t unused, void *context)
{
	struct object *object = context;

	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD ||
		    object->address - (info->dlpi_addr + segment->p_vaddr) >= segment->p_memsz)
			continue;
		if (!spoor_object_path(info->dlpi_name, object->path) && strlen(info->dlpi_name) < PATH_MAX)
			strcpy(object->path, info->dlpi_name);
		return 1;
	}
	return 0;
}

void spoor_module_path(const void *address, char path[PATH_MAX])
{
	struct object object = { (uintptr_t)address, path };

	path[0] = '\0';
	dl_iterate_phdr(is_object, &object);
}
