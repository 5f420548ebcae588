/* SPDX-License-Identifier: MIT */
/* adopted_tracepoints.c - finds tracepoints of spoor/sdt.h by the ELF notes of loaded modules. */
#define _GNU_SOURCE
#include "probe/adopted_tracepoints.h"

#include <link.h>
#include <string.h>

#include "base/libc_stack.h"
#include "elf/elf_note.h"
#include "elf/loaded_object.h"
#include "elf/module_path.h"
#include "module/registry.h"
#include "probe/semaphores.h"

static void adopt_tracepoint(const struct dl_phdr_info *object, const char *note, long *on)
{
	struct spoor_sdt_probe *probe;
	char path[PATH_MAX];
	int64_t offset;

	memcpy(&offset, note, sizeof(offset));
	probe = (struct spoor_sdt_probe *)(uintptr_t)(note + offset);
	/* If not, the dynamic loader has not relocated the struct: another thread may be loading the module now. */
	if (!spoor_object_holds(object, (uint64_t)probe, sizeof(*probe)) || !spoor_object_holds(object, (uint64_t)probe->provider, 1) ||
	    !spoor_object_holds(object, (uint64_t)probe->name, 1) ||
	    !spoor_object_holds(object, (uint64_t)probe->semaphore, sizeof(*probe->semaphore)))
		return;
	spoor_module_path(probe, path);
	/* A thread that closes the module now waits for the lock. */
	spoor_registry_lock();
	*on += spoor_tracepoints_add(probe, path);
	spoor_registry_unlock();
}

static int visit_object(struct dl_phdr_info *object, size_t size, void *on)
{
	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		const char *at = (const char *)(object->dlpi_addr + segment->p_vaddr), *end = at + segment->p_filesz;

		while (segment->p_type == PT_NOTE &&
		       (at = spoor_note_find(at, (uint64_t)(end - at), segment->p_align, SPOOR_SDT_NOTE, sizeof(int64_t)))) {
			adopt_tracepoint(object, at, on);
			at += sizeof(int64_t);
		}
	}
	return 0;
}

static void adopt_on_libc_stack(void *on)
{
	dl_iterate_phdr(visit_object, on);
}

long spoor_adopt_tracepoints(void)
{
	long on = 0;

	spoor_libc_stack_call(adopt_on_libc_stack, &on);
	return on;
}
