/* SPDX-License-Identifier: MIT */
/*
 * slot_binding.c - resolves symbols as the dynamic loader would.
 *
 * The global scope comes first, then the scope of the module and its dependencies. A symbol that neither has stays
 * unresolved: its slot is left to lazy binding.
 */
#define _GNU_SOURCE
#include "library_calls/slot_binding.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#include "base/memory.h"

struct binding {
	void *const *slot;
	const void *function;
	uint32_t name, version, module;	/* offsets in texts; version 0: none */
};

static struct binding *bindings;
static uint32_t count, room, found_last;
static char *texts;
static uint32_t text_bytes, text_room;

static bool grow(void **memory, uint32_t *has, uint32_t used, uint32_t more, uint32_t unit)
{
	uint32_t wanted = *has ? 2 * *has : 256 * 1024 / unit;
	void *larger;

	if (used + more <= *has)
		return true;
	while (wanted < used + more)
		wanted *= 2;
	larger = spoor_memory_map((size_t)wanted * unit);
	if (!larger)
		return false;
	if (*memory)
		memcpy(larger, *memory, (size_t)used * unit);
	spoor_memory_unmap(*memory, (size_t)*has * unit);
	*memory = larger;
	*has = wanted;
	return true;
}

/* Returns the offset of a copy, or 0 without memory. */
static uint32_t add_text(const char *text)
{
	uint32_t bytes = (uint32_t)strlen(text) + 1, at;

	if (!text_bytes)
		text_bytes = 1;
	if (!grow((void **)&texts, &text_room, text_bytes, bytes, 1))
		return 0;
	at = text_bytes;
	memcpy(texts + at, text, bytes);
	text_bytes += bytes;
	return at;
}

void spoor_slot_binding_add(const struct spoor_dynamic_module *module, const ElfW(Rela) *relocation)
{
	uint32_t symbol = (uint32_t)ELF64_R_SYM(relocation->r_info);
	const char *version = spoor_dynamic_version_needed(module, symbol);
	struct binding binding = { .slot = (void *const *)(module->bias + relocation->r_offset) };

	binding.name = add_text(module->strings + module->symbols[symbol].st_name);
	binding.version = version ? add_text(version) : 0;
	binding.module = count && strcmp(texts + bindings[count - 1].module, module->name) == 0 ? bindings[count - 1].module
											     : add_text(module->name);
	if (binding.name && binding.module && grow((void **)&bindings, &room, count, 1, sizeof(*bindings)))
		bindings[count++] = binding;
}

static const void *look_up(void *scope, const struct binding *binding)
{
	const char *name = texts + binding->name;

	return binding->version ? dlvsym(scope, name, texts + binding->version) : dlsym(scope, name);
}

void spoor_slot_bindings_resolve(void)
{
	const void *failed = NULL;

	for (uint32_t i = 0; i < count; i++) {
		struct binding *binding = &bindings[i];
		const char *module = texts + binding->module;
		void *scope;

		binding->function = look_up(RTLD_DEFAULT, binding);
		if (binding->function)
			continue;
		scope = *module ? dlopen(module, RTLD_LAZY | RTLD_NOLOAD) : NULL;
		if (scope) {
			binding->function = look_up(scope, binding);
			dlclose(scope);
		}
		failed = binding;
	}
	/* The program must not see an error that it did not cause. */
	if (failed)
		dlerror();
}

const void *spoor_slot_binding_find(void *const *slot)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = (found_last + i) % count;

		if (bindings[at].slot != slot)
			continue;
		found_last = at + 1;
		return bindings[at].function;
	}
	return NULL;
}

void spoor_slot_bindings_end(void)
{
	spoor_memory_unmap(bindings, (size_t)room * sizeof(*bindings));
	spoor_memory_unmap(texts, text_room);
	bindings = NULL;
	texts = NULL;
	count = room = text_bytes = text_room = found_last = 0;
}
