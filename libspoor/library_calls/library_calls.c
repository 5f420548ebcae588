/* SPDX-License-Identifier: MIT */
/* library_calls.c - finds the calls of chosen libraries in all loaded modules. */
#define _GNU_SOURCE
#include "library_calls/library_calls.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/libc_stack.h"
#include "base/memory.h"
#include "base/process_end.h"
#include "base/warning.h"
#include "config/configuration.h"
#include "elf/function_order.h"
#include "event/library_path.h"
#include "library_calls/callee_library.h"
#include "library_calls/dynamic_module.h"
#include "library_calls/jump_slots.h"
#include "library_calls/library_choice.h"
#include "library_calls/slot_binding.h"
#include "library_calls/unknown_calls.h"
#include "module/registry.h"

#define KERNEL_CODE_BYTES 65536u	/* more than any vDSO has */

/* The loaded modules during a callback. */
static struct spoor_dynamic_module *modules;
static uint32_t module_count;
static size_t modules_bytes;
static unsigned long long adds_seen;	/* dlpi_adds of the last update */
static bool any_path;			/* a module has DT_RPATH or DT_RUNPATH */

static const char *file_name(const struct spoor_dynamic_module *module)
{
	const char *slash = strrchr(module->name, '/');

	return slash ? slash + 1 : module->name;
}

static bool is_chosen_library(const struct spoor_dynamic_module *module)
{
	return module->name[0] && spoor_configuration.library_calls[0] &&
	       spoor_library_choice_library(spoor_configuration.library_calls, module->soname, file_name(module));
}

static int count_module(struct dl_phdr_info *object, size_t size, void *count)
{
	(void)object;
	(void)size;
	++*(uint32_t *)count;
	return 0;
}

static int read_module(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	adds_seen = object->dlpi_adds;
	if (spoor_dynamic_module_read(object, &modules[module_count]))
		any_path |= modules[module_count++].has_path;
	return 0;
}

/* Lists the modules, in a callback: the loader's lock is recursive. Returns false without memory. */
static bool read_modules(void)
{
	uint32_t count = 0;

	dl_iterate_phdr(count_module, &count);
	modules_bytes = count * sizeof(*modules);
	modules = spoor_memory_map(modules_bytes);
	module_count = 0;
	any_path = false;
	if (modules)
		dl_iterate_phdr(read_module, NULL);
	return modules;
}

static void free_modules(void)
{
	spoor_memory_unmap(modules, modules_bytes);
	modules = NULL;
}

/* Whether a chosen library defines the name of an unbound slot. */
static bool may_be_chosen(const char *name)
{
	for (uint32_t i = 0; i < module_count; i++)
		if (is_chosen_library(&modules[i]) && spoor_dynamic_symbol_find(&modules[i], name, NULL))
			return true;
	return false;
}

static int collect_unbound(struct dl_phdr_info *unused, size_t size, void *any)
{
	(void)unused;
	(void)size;
	spoor_registry_lock();
	if (read_modules()) {
		for (uint32_t m = 0; m < module_count; m++) {
			const struct spoor_dynamic_module *module = &modules[m];

			for (uint32_t i = 0; spoor_jump_slots_has_calls(module) && i < module->slot_count; i++) {
				const char *name = spoor_jump_slot_name(module, &module->slots[i]);

				if (!name || !spoor_jump_slot_is_unbound(module, &module->slots[i]) || !may_be_chosen(name))
					continue;
				spoor_slot_binding_add(module, &module->slots[i]);
				*(bool *)any = true;
			}
		}
	}
	free_modules();
	spoor_registry_unlock();
	return 1;
}

/* Whether the function has sleds. */
static bool has_sleds(const struct spoor_dynamic_module *module, const void *function)
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

static const struct spoor_dynamic_module *module_of(const void *function)
{
	for (uint32_t i = 0; i < module_count; i++)
		if ((uintptr_t)function >= modules[i].low && (uintptr_t)function < modules[i].high)
			return &modules[i];
	return NULL;
}

/* Whether the address is in the code that the kernel maps into each process. */
static bool is_kernels(const void *function)
{
	uintptr_t begin = getauxval(AT_SYSINFO_EHDR);

	return begin && (uintptr_t)function - begin < KERNEL_CODE_BYTES;
}

/* Finds the library of an indirect function whose code is the kernel's: libc's time() may be. */
static const struct spoor_dynamic_module *module_of_indirect(const char *name, const char *version)
{
	for (uint32_t i = 0; i < module_count; i++) {
		uint32_t symbol = spoor_dynamic_symbol_find(&modules[i], name, version);

		if (symbol && ELF64_ST_TYPE(modules[i].symbols[symbol].st_info) == STT_GNU_IFUNC)
			return &modules[i];
	}
	return NULL;
}

/* Finds the stub for a slot that is bound to @real. */
static uint32_t find_stub(const struct spoor_dynamic_module *caller, const ElfW(Rela) *relocation, const void *real)
{
	const struct spoor_dynamic_module *module = module_of(real);
	const char *name = spoor_jump_slot_name(caller, relocation);
	const char *version = spoor_dynamic_version_needed(caller, (uint32_t)ELF64_R_SYM(relocation->r_info));
	struct spoor_callee_library *library;
	uint32_t symbol;

	if (!module && is_kernels(real))
		module = module_of_indirect(name, version);
	/* Functions of version GLIBC_PRIVATE are libc's own. */
	if (!module || module == module_of(caller->dynamic) || !is_chosen_library(module) ||
	    (version && strcmp(version, "GLIBC_PRIVATE") == 0))
		return 0;
	symbol = spoor_dynamic_symbol_find(module, name, version);
	/* A slot that leads elsewhere was changed by another tool. An indirect function has chosen its code itself. */
	if (!symbol || (ELF64_ST_TYPE(module->symbols[symbol].st_info) != STT_GNU_IFUNC &&
			module->bias + module->symbols[symbol].st_value != (uintptr_t)real))
		return 0;
	if (!spoor_library_choice_function(spoor_configuration.library_calls, module->soname, file_name(module), name) ||
	    has_sleds(module, real))
		return 0;
	library = spoor_callee_library_find(module);
	return library ? spoor_callee_library_stub(library, module, symbol, real) : 0;
}

/* Calls @find for each slot without changing any: libraries and stubs come first, then the choices are applied. */
static void add_stubs(const struct spoor_dynamic_module *module)
{
	for (uint32_t i = 0; i < module->slot_count; i++) {
		const ElfW(Rela) *relocation = &module->slots[i];
		void **slot = (void **)(module->bias + relocation->r_offset);
		const void *real;

		if (!spoor_jump_slot_name(module, relocation))
			continue;
		real = spoor_jump_slot_is_unbound(module, relocation) ? spoor_slot_binding_find(slot) : *slot;
		if (real)
			find_stub(module, relocation, real);
	}
}

static void warn_read_only(const struct spoor_dynamic_module *module, int error)
{
	static bool warned;

	if (!warned)
		spoor_warning("library calls of %.200s stay unrecorded: cannot make its jump slots writable: %s",
			      module->name[0] ? module->name : "the program", strerror(-error));
	warned = true;
}

static int update_all(struct dl_phdr_info *unused, size_t size, void *argument)
{
	(void)unused;
	(void)size;
	(void)argument;
	spoor_registry_lock();
	if (read_modules()) {
		spoor_jump_slots_forget(modules, module_count);
		spoor_callee_libraries_remove(modules, module_count);
		for (uint32_t i = 0; i < module_count; i++)
			if (spoor_jump_slots_has_calls(&modules[i]))
				add_stubs(&modules[i]);
		spoor_callee_libraries_apply();
		for (uint32_t i = 0; i < module_count; i++) {
			int error = 0;

			if (spoor_jump_slots_has_calls(&modules[i]))
				error = spoor_jump_slots_restore(&modules[i]);
			if (error == 0 && spoor_jump_slots_has_calls(&modules[i]) && spoor_registry_is_on())
				error = spoor_jump_slots_update(&modules[i], spoor_slot_binding_find, find_stub);
			if (error < 0)
				warn_read_only(&modules[i], error);
		}
	}
	free_modules();
	spoor_slot_bindings_end();
	spoor_registry_unlock();
	return 1;
}

/* One thread at a time: the list of bindings lives between two callbacks. A thread that finds another one at work
 * leaves a request. */
static pid_t follower;		/* the process whose thread is at work: a forked child has no such thread; 0: none */
static uint32_t requests;

static int has_new(struct dl_phdr_info *object, size_t size, void *result)
{
	(void)size;
	*(bool *)result = object->dlpi_adds != adds_seen;
	return 1;
}

static bool begin_following(void)
{
	pid_t process = getpid(), other = __atomic_load_n(&follower, __ATOMIC_RELAXED);

	return other != process &&
	       __atomic_compare_exchange_n(&follower, &other, process, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void follow_once(void)
{
	bool any = false;

	spoor_slot_bindings_end();
	if (spoor_configuration.library_calls[0])
		dl_iterate_phdr(collect_unbound, &any);
	if (any)
		spoor_slot_bindings_resolve();
	dl_iterate_phdr(update_all, NULL);
}

static void follow_on_libc_stack(void *only_if_new)
{
	bool is_new = true;
	uint32_t served;

	if (*(bool *)only_if_new)
		dl_iterate_phdr(has_new, &is_new);
	if (!is_new)
		return;
	__atomic_fetch_add(&requests, 1, __ATOMIC_SEQ_CST);
	do {
		if (!begin_following())
			return;
		served = __atomic_load_n(&requests, __ATOMIC_SEQ_CST);
		follow_once();
		__atomic_store_n(&follower, 0, __ATOMIC_SEQ_CST);
		spoor_callee_libraries_settle();
	} while (served != __atomic_load_n(&requests, __ATOMIC_SEQ_CST));
}

/* An attachment that ends restores the configuration first, and then the slots. */
static void follow(bool only_if_new)
{
	static bool used;
	int saved = errno;

	if ((used || spoor_configuration.library_calls[0]) && !spoor_process_is_ending()) {
		used = true;
		spoor_libc_stack_call(follow_on_libc_stack, &only_if_new);
	}
	errno = saved;
}

/* dlopen searches the folders that the calling module names, and expands $ORIGIN by it. */
static bool depends_on_caller(const char *name)
{
	return strchr(name, '$') || (!strchr(name, '/') && any_path);
}

static const struct spoor_library_helper helper = { depends_on_caller, follow };

void spoor_library_calls_follow(void)
{
	spoor_library_helper = &helper;
	follow(false);
}

void spoor_library_calls_warn(void)
{
	spoor_unknown_calls_warn();
	if (spoor_callee_libraries_left_out())
		spoor_warning("%u library functions are not recorded: spoor has only %u stubs; choose fewer functions",
			      spoor_callee_libraries_left_out(), SPOOR_LIBRARY_STUBS - 1);
}
