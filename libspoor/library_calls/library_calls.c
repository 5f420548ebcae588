/* SPDX-License-Identifier: MIT */
/* library_calls.c - finds the calls of chosen libraries in all loaded modules. */
#define _GNU_SOURCE
#include "library_calls/library_calls.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/libc_stack.h"
#include "base/process_end.h"
#include "base/warning.h"
#include "config/configuration.h"
#include "event/library_path.h"
#include "library_calls/call_slots.h"
#include "library_calls/callee_library.h"
#include "library_calls/dynamic_module.h"
#include "library_calls/jump_slots.h"
#include "library_calls/library_choice.h"
#include "library_calls/loaded_modules.h"
#include "library_calls/slot_binding.h"
#include "library_calls/unknown_calls.h"
#include "module/registry.h"

/* The loaded modules during a callback; afterwards, facts about them. */
static struct spoor_loaded_modules modules;

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

/* Whether a chosen library defines the name of an unbound slot. */
static bool may_be_chosen(const char *name)
{
	for (uint32_t i = 0; i < modules.count; i++)
		if (is_chosen_library(&modules.list[i]) && spoor_dynamic_symbol_find(&modules.list[i], name, NULL))
			return true;
	return false;
}

static int collect_unbound(struct dl_phdr_info *unused, size_t size, void *any)
{
	(void)unused;
	(void)size;
	spoor_registry_lock();
	if (spoor_loaded_modules_begin(&modules)) {
		for (uint32_t m = 0; m < modules.count; m++) {
			const struct spoor_dynamic_module *module = &modules.list[m];

			for (uint32_t i = 0; spoor_jump_slots_has_calls(module) && i < module->slot_count; i++) {
				const char *name = spoor_jump_slot_name(module, &module->slots[i]);

				if (!name || !spoor_jump_slot_is_unbound(module, &module->slots[i]) || !may_be_chosen(name))
					continue;
				spoor_slot_binding_add(module, &module->slots[i]);
				*(bool *)any = true;
			}
		}
	}
	spoor_loaded_modules_end(&modules);
	spoor_registry_unlock();
	return 1;
}

/* Finds the stub for a slot that is bound to @real. */
static uint32_t find_stub(const struct spoor_dynamic_module *caller, const ElfW(Rela) *relocation, const void *real)
{
	const char *name = spoor_jump_slot_name(caller, relocation);
	const char *version = spoor_dynamic_version_needed(caller, (uint32_t)ELF64_R_SYM(relocation->r_info));
	const struct spoor_dynamic_module *module = spoor_loaded_module_called(&modules, real, name, version);
	struct spoor_callee_library *library;
	uint32_t symbol;

	/* Functions of version GLIBC_PRIVATE are libc's own. */
	if (!module || module == spoor_loaded_module_of(&modules, caller->dynamic) || !is_chosen_library(module) ||
	    (version && strcmp(version, "GLIBC_PRIVATE") == 0))
		return 0;
	symbol = spoor_dynamic_symbol_find(module, name, version);
	/* A slot that leads elsewhere was changed by another tool. An indirect function has chosen its code itself. */
	if (!symbol || (ELF64_ST_TYPE(module->symbols[symbol].st_info) != STT_GNU_IFUNC &&
			module->bias + module->symbols[symbol].st_value != (uintptr_t)real))
		return 0;
	if (!spoor_library_choice_function(spoor_configuration.library_calls, module->soname, file_name(module), name) ||
	    spoor_loaded_function_has_sleds(module, real))
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
	bool by_jump_slots = spoor_configuration.library_calls[0];

	(void)unused;
	(void)size;
	(void)argument;
	spoor_registry_lock();
	if (spoor_loaded_modules_begin(&modules)) {
		spoor_jump_slots_forget(modules.list, modules.count);
		spoor_callee_libraries_remove(modules.list, modules.count);
		for (uint32_t i = 0; by_jump_slots && i < modules.count; i++)
			if (spoor_jump_slots_has_calls(&modules.list[i]))
				add_stubs(&modules.list[i]);
		spoor_call_slots_resolve(&modules);
		spoor_callee_libraries_apply();
		spoor_call_slots_apply();
		for (uint32_t i = 0; i < modules.count; i++) {
			const struct spoor_dynamic_module *module = &modules.list[i];
			int error = 0;

			if (spoor_jump_slots_has_calls(module))
				error = spoor_jump_slots_restore(module);
			if (error == 0 && by_jump_slots && spoor_jump_slots_has_calls(module) && spoor_registry_is_on())
				error = spoor_jump_slots_update(module, spoor_slot_binding_find, find_stub);
			if (error < 0)
				warn_read_only(module, error);
		}
	}
	spoor_loaded_modules_end(&modules);
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
	*(bool *)result = object->dlpi_adds != modules.adds;
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

	if ((used || spoor_configuration.library_calls[0] || spoor_call_slots_are_used()) && !spoor_process_is_ending()) {
		used = true;
		spoor_libc_stack_call(follow_on_libc_stack, &only_if_new);
	}
	errno = saved;
}

/* dlopen searches the folders that the calling module names, and expands $ORIGIN by it. */
static bool depends_on_caller(const char *name)
{
	return strchr(name, '$') || (!strchr(name, '/') && modules.any_path);
}

static const struct spoor_library_helper helper = { depends_on_caller, follow };

void spoor_library_calls_follow(void)
{
	spoor_library_helper = &helper;
	follow(false);
}

void spoor_library_calls_registered(void)
{
	if (spoor_call_slots_are_used())
		spoor_library_calls_follow();
}

void spoor_library_calls_warn(void)
{
	spoor_unknown_calls_warn();
	if (spoor_callee_libraries_left_out())
		spoor_warning("%u library functions are not recorded: spoor has only %u stubs; choose fewer functions",
			      spoor_callee_libraries_left_out(), SPOOR_LIBRARY_STUBS - 1);
}
