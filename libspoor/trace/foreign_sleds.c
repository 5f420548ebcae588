/* SPDX-License-Identifier: MIT */
/*
 * foreign_sleds.c - writes the names of modules that have sleds and are not traced.
 *
 * dl_iterate_phdr visits the caller's name space only. Modules that dlmopen has loaded into
 * other name spaces are in the linker's lists for debuggers. These lists change under the lock
 * that dl_iterate_phdr holds, so its callback reads them.
 */
#define _GNU_SOURCE
#include "trace/foreign_sleds.h"

#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/large.h"
#include "elf/elf_image.h"
#include "elf/module_path.h"
#include "module/registry.h"
#include "format/sled.h"
#include "trace/records.h"
#include "format/trace_format.h"

/* The first version with a list of name spaces. */
#define DEBUG_VERSION_NAME_SPACES 2

/* Tells if the object that is loaded at @load_bias is registered. Asks for its path only if a module had this place,
 * because a path takes the kernel a call for each of its folders. */
static bool is_registered(uintptr_t load_bias, const char *name, char path[PATH_MAX])
{
	bool found = false, has_path = false;

	spoor_registry_lock();
	for (uint32_t i = 0; i < spoor_registry_count() && !found; i++) {
		const struct spoor_instance *instance = spoor_registry_at(i);

		/* Compares closed instances too: destructors may have unregistered the module already. */
		if (instance->load_bias != load_bias)
			continue;
		has_path = has_path || spoor_object_path(name, path);
		found = has_path && strcmp(instance->path, path) == 0;
	}
	spoor_registry_unlock();
	return found;
}

/* The sleds of the sled map, and the entries that only the function table lists. */
static uint64_t count_sleds(const struct spoor_elf_file *file)
{
	uint64_t map = 0, table = 0, count;
	const char *functions = spoor_elf_file_section(file, "spoor_functions", &table);

	spoor_elf_file_has_section(file, "xray_instr_map", &map);
	count = map / sizeof(struct spoor_sled);
	for (uint64_t at = 0; functions && at + sizeof(struct spoor_function) <= table; at += sizeof(struct spoor_function)) {
		struct spoor_function function;

		memcpy(&function, functions + at, sizeof(function));
		count += (function.position & SPOOR_FUNCTION_NOP_ENTRY) != 0;
	}
	return count;
}

void spoor_trace_foreign(const char *path, uint64_t sleds)
{
	static uint8_t bytes[sizeof(struct spoor_block) + sizeof(struct spoor_foreign) + PATH_MAX] SPOOR_LARGE;
	struct spoor_foreign foreign = { sleds };
	size_t length = strnlen(path, PATH_MAX - 1);

	memcpy(bytes + sizeof(struct spoor_block), &foreign, sizeof(foreign));
	memcpy(bytes + sizeof(struct spoor_block) + sizeof(foreign), path, length);
	bytes[sizeof(struct spoor_block) + sizeof(foreign) + length] = '\0';
	spoor_trace_append(SPOOR_BLOCK_FOREIGN, 0, bytes, sizeof(foreign) + length + 1);
}

/* Records one object, if it has sleds and is not registered. @name: as in spoor_object_path. @elsewhere:
 * SPOOR_FOREIGN_ELSEWHERE or 0 */
static void record_object(uintptr_t load_bias, const char *name, uint64_t elsewhere)
{
	static char path[PATH_MAX] SPOOR_LARGE;	/* static: used once in a process, by a thread that may have a small stack */
	struct spoor_elf_file file;
	uint64_t sleds;

	if (is_registered(load_bias, name, path) ||
	    spoor_elf_file_open(&file, name[0] ? name : spoor_executable_path()) < 0)
		return;
	sleds = count_sleds(&file);
	if (sleds && spoor_object_path(name, path))
		spoor_trace_foreign(path, sleds | elsewhere);
	spoor_elf_file_close(&file);
}

const struct r_debug *spoor_linker_debug(const struct dl_phdr_info *executable)
{
	const ElfW(Dyn) *dynamic = NULL;

	for (int i = 0; i < executable->dlpi_phnum; i++) {
		if (executable->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(executable->dlpi_addr + executable->dlpi_phdr[i].p_vaddr);
	}
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_DEBUG)
			return (const void *)dynamic->d_un.d_ptr;
	}
	return NULL;
}

static void visit_name_spaces(const struct dl_phdr_info *executable)
{
	const struct r_debug_extended *space = (const void *)spoor_linker_debug(executable);

	if (!space || space->base.r_version < DEBUG_VERSION_NAME_SPACES)
		return;
	while ((space = space->r_next)) {
		for (const struct link_map *object = space->base.r_map; object; object = object->l_next)
			record_object(object->l_addr, object->l_name, SPOOR_FOREIGN_ELSEWHERE);
	}
}

/* Runs under the dynamic linker's lock, in which the registry's nests: no thread takes the linker's lock while it
 * holds the registry's. */
static int visit_object(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	record_object(object->dlpi_addr, object->dlpi_name, 0);
	if (!object->dlpi_name[0])
		visit_name_spaces(object);
	return 0;
}

void spoor_foreign_sleds_record(void)
{
	dl_iterate_phdr(visit_object, NULL);
}
