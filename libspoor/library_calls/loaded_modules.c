/* SPDX-License-Identifier: MIT */
/* loaded_modules.c - lists the loaded modules. */
#define _GNU_SOURCE
#include "library_calls/loaded_modules.h"

#include <sys/auxv.h>

#include "base/memory.h"
#include "elf/function_order.h"
#include "module/registry.h"

#define KERNEL_CODE_BYTES 65536u	/* more than any vDSO has */

static int count_module(struct dl_phdr_info *object, size_t size, void *count)
{
	(void)object;
	(void)size;
	++*(uint32_t *)count;
	return 0;
}

static int read_module(struct dl_phdr_info *object, size_t size, void *to)
{
	struct spoor_loaded_modules *modules = to;

	(void)size;
	modules->adds = object->dlpi_adds;
	if (spoor_dynamic_module_read(object, &modules->list[modules->count]))
		modules->any_path |= modules->list[modules->count++].has_path;
	return 0;
}

/* The loader's lock is recursive. */
bool spoor_loaded_modules_begin(struct spoor_loaded_modules *modules)
{
	uint32_t count = 0;

	dl_iterate_phdr(count_module, &count);
	*modules = (struct spoor_loaded_modules){ .bytes = count * sizeof(*modules->list) };
	modules->list = spoor_memory_map(modules->bytes);
	if (modules->list)
		dl_iterate_phdr(read_module, modules);
	return modules->list;
}

void spoor_loaded_modules_end(struct spoor_loaded_modules *modules)
{
	spoor_memory_unmap(modules->list, modules->bytes);
	modules->list = NULL;
	modules->count = 0;
}

const struct spoor_dynamic_module *spoor_loaded_module_of(const struct spoor_loaded_modules *modules, const void *function)
{
	for (uint32_t i = 0; i < modules->count; i++)
		if ((uintptr_t)function >= modules->list[i].low && (uintptr_t)function < modules->list[i].high)
			return &modules->list[i];
	return NULL;
}

/* Whether the address is in the code that the kernel maps into each process. */
static bool is_kernels(const void *function)
{
	uintptr_t begin = getauxval(AT_SYSINFO_EHDR);

	return begin && (uintptr_t)function - begin < KERNEL_CODE_BYTES;
}

const struct spoor_dynamic_module *spoor_loaded_module_called(const struct spoor_loaded_modules *modules, const void *function,
							      const char *name, const char *version)
{
	const struct spoor_dynamic_module *module = spoor_loaded_module_of(modules, function);

	for (uint32_t i = 0; !module && is_kernels(function) && i < modules->count; i++) {
		uint32_t symbol = spoor_dynamic_symbol_find(&modules->list[i], name, version);

		if (symbol && ELF64_ST_TYPE(modules->list[i].symbols[symbol].st_info) == STT_GNU_IFUNC)
			module = &modules->list[i];
	}
	return module;
}

bool spoor_loaded_function_has_sleds(const struct spoor_dynamic_module *module, const void *function)
{
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		const struct spoor_instance *instance = spoor_registry_at(i);
		struct spoor_functions functions = spoor_instance_functions(instance);

		if (!instance->dso || instance->hooked || instance->dso->image != module->header)
			continue;
		for (uint32_t local = 0; local < functions.count; local++)
			if (spoor_function_address(&functions, local) == (uintptr_t)function)
				return true;
	}
	return false;
}
