/* SPDX-License-Identifier: MIT */
/* callee_library.c - registers libraries, and gives their functions stubs. */
#define _GNU_SOURCE
#include "library_calls/callee_library.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/permanent.h"
#include "config/configuration.h"
#include "elf/elf_image.h"
#include "elf/module_path.h"
#include "event/event_path.h"
#include "event/library_path.h"
#include "library_calls/known_calls.h"
#include "library_calls/library_choice.h"
#include "library_calls/unknown_calls.h"
#include "module/observer.h"
#include "module/registry.h"
#include "patch/sled_index.h"

struct spoor_callee_library {
	struct spoor_callee_library *next;
	struct spoor_dso dso;		/* a registration in the library's name */
	void *slots[SPOOR_SLOT_COUNT];
	struct spoor_instance *instance;
	const struct spoor_known_library *known;
	const char *name, *path;	/* as the dynamic loader spells it; of the file */
	uintptr_t bias;			/* valid while it is loaded, like the next three */
	const void *dynamic;
	const char *strings;
	const ElfW(Sym) *symbols;
	bool is_loaded, removal_pending, changed;
	bool rules_changed;		/* functions were added, so the choices mean more */
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	uint32_t build_id_bytes;
	uint32_t count;			/* of symbols */
	uint32_t *addresses;		/* by symbol: its virtual address */
	uint32_t *stubs;		/* by symbol: number of its stub; 0: none */
	uint32_t first_stub;		/* the list of its stubs; 0: none */

	/* Bits by symbol. */
	uint64_t *slotted;		/* call slots lead to the function */
	uint64_t *awake;		/* its calls are recorded */
};

static struct spoor_callee_library *libraries;
static uint32_t stub_count = 1;		/* stub 0 is unused */
static uint32_t left_out;

#define NO_STUB UINT32_MAX	/* in struct spoor_callee_library, stubs: all stubs were in use */

static bool is_loaded_as(const struct spoor_callee_library *library, const struct spoor_dynamic_module *module)
{
	struct spoor_image image;

	if (!library->is_loaded || library->bias != module->bias || library->dynamic != module->dynamic ||
	    strcmp(library->name, module->name) != 0)
		return false;
	/* Another build of the file may have been loaded at the same place. */
	spoor_image_read(module->header, &image);
	return image.build_id_bytes == library->build_id_bytes &&
	       memcmp(image.build_id, library->build_id, image.build_id_bytes) == 0;
}

static struct spoor_callee_library *library_of(const struct spoor_instance *instance)
{
	return (void *)((char *)instance->dso - offsetof(struct spoor_callee_library, dso));
}

static size_t bit_words(const struct spoor_callee_library *library)
{
	return ((size_t)library->count + 63) / 64;
}

static bool is_set(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

static void set_to(uint64_t *bits, uint32_t i, bool on)
{
	bits[i / 64] = (bits[i / 64] & ~(1ull << (i % 64))) | (uint64_t)on << (i % 64);
}

/* Chooses the functions that the patterns for library calls choose, and returns their number. Each stub was made for such
 * a function. */
static long choose_own(struct spoor_instance *instance, uint64_t *bits, bool on)
{
	const struct spoor_callee_library *library = library_of(instance);
	const char *patterns = spoor_configuration.library_calls, *slash = strrchr(library->path, '/');
	const char *file = slash ? slash + 1 : library->path, *soname = instance->soname[0] ? instance->soname : NULL;
	long count = 0;

	for (uint32_t i = library->first_stub; i; i = spoor_library_calls[i].next) {
		if (is_set(library->slotted, spoor_library_calls[i].local))
			continue;
		set_to(bits, spoor_library_calls[i].local, on);
		count++;
	}
	for (uint32_t i = 0; patterns[0] && i < library->count; i++) {
		if (!is_set(library->slotted, i) ||
		    !spoor_library_choice_function(patterns, soname, file, library->strings + library->symbols[i].st_name))
			continue;
		set_to(bits, i, on);
		count++;
	}
	return count;
}

/* Wakes and makes dormant the functions that call slots lead to. The observer of call slots switches the wrappers. */
static long switch_slotted(struct spoor_callee_library *library, uint64_t *patched, const uint64_t *target)
{
	long changed = 0;

	for (size_t i = 0; i < bit_words(library); i++) {
		uint64_t wanted = target ? target[i] & library->slotted[i] : 0;

		changed += __builtin_popcountll(wanted ^ library->awake[i]);
		library->awake[i] = wanted;
		patched[i] = (patched[i] & ~library->slotted[i]) | wanted;
	}
	return changed;
}

/* Wakes the stubs of the functions in @target, and makes the others dormant. The jump slots follow without the lock. */
static long switch_functions(struct spoor_instance *instance, const uint64_t *target)
{
	struct spoor_callee_library *library = library_of(instance);
	struct spoor_sleds *sleds = spoor_sleds_at(instance->position);
	long changed = switch_slotted(library, sleds->awake.patched, target);

	for (uint32_t i = library->first_stub; i; i = spoor_library_calls[i].next) {
		struct spoor_library_call *call = &spoor_library_calls[i];
		uint64_t bit = 1ull << (call->local % 64), *patched = &sleds->awake.patched[call->local / 64];
		bool wanted = target && target[call->local / 64] & bit;

		changed += call->awake != wanted && !is_set(library->slotted, call->local);
		__atomic_store_n(&call->awake, wanted, __ATOMIC_RELEASE);
		*patched = wanted ? *patched | bit : *patched & ~bit;
	}
	return changed;
}

static bool is_untimed(enum spoor_library_kind kind)
{
	return kind == SPOOR_LIBRARY_UNTIMED || kind == SPOOR_LIBRARY_LEAVES || kind == SPOOR_LIBRARY_BY_CALLER;
}

/* Wrappers record the duration of each call. */
static bool describe(struct spoor_instance *instance, uint32_t local, struct spoor_library_function *function)
{
	const struct spoor_callee_library *library = library_of(instance);
	uint32_t stub = library->stubs[local];
	bool has_stub = stub && stub != NO_STUB, has_slot = is_set(library->slotted, local);
	struct spoor_known_call known;

	function->bytes = 0;
	function->names = NULL;
	function->is_untimed = has_stub && !has_slot && is_untimed((enum spoor_library_kind)spoor_library_calls[stub].kind);
	if (!library->is_loaded || (!has_stub && !has_slot))
		return false;
	function->name = library->strings + library->symbols[local].st_name;
	if (library->known && spoor_known_call_find(library->known, function->name, &known))
		function->bytes = (uint32_t)spoor_known_signature_read(known.signature, function->signature,
								       sizeof(function->signature), &function->names);
	return true;
}

static bool read_addresses(struct spoor_callee_library *library, const struct spoor_dynamic_module *module)
{
	uint64_t *bits;

	library->count = module->symbol_count;
	library->addresses = spoor_memory_map((size_t)library->count * sizeof(*library->addresses) + 1);
	library->stubs = spoor_memory_map((size_t)library->count * sizeof(*library->stubs) + 1);
	bits = spoor_memory_map(2 * bit_words(library) * sizeof(*bits) + 1);
	if (!library->addresses || !library->stubs || !bits)
		return false;
	library->slotted = bits;
	library->awake = bits + bit_words(library);
	for (uint32_t i = 0; i < library->count; i++)
		library->addresses[i] = (uint32_t)module->symbols[i].st_value;
	return true;
}

/* Finds a library of the same file that was closed. */
static struct spoor_callee_library *find_closed(const struct spoor_image *image, const char *path, uint32_t count)
{
	struct spoor_callee_library *library = libraries;

	while (library && (library->is_loaded || library->count != count || strcmp(library->path, path) != 0 ||
			   library->build_id_bytes != image->build_id_bytes ||
			   memcmp(library->build_id, image->build_id, image->build_id_bytes) != 0))
		library = library->next;
	return library;
}

static struct spoor_callee_library *create(const struct spoor_dynamic_module *module, const struct spoor_image *image,
					   const char *path)
{
	struct spoor_callee_library *library = spoor_permanent_alloc(sizeof(*library));

	if (!library)
		return NULL;
	library->path = spoor_permanent_text(path);
	if (!library->path || !read_addresses(library, module))
		return NULL;
	library->known = image->soname ? spoor_known_library(image->soname) : NULL;
	library->build_id_bytes = image->build_id_bytes;
	memcpy(library->build_id, image->build_id, image->build_id_bytes);
	library->dso.size = SPOOR_DSO_SIZE_MIN;
	library->dso.version = SPOOR_DSO_VERSION;
	library->dso.slots = library->slots;
	library->next = libraries;
	libraries = library;
	return library;
}

struct spoor_callee_library *spoor_callee_library_find(const struct spoor_dynamic_module *module)
{
	struct spoor_callee_library *library = libraries;
	struct spoor_image image;
	char path[PATH_MAX];

	while (library && !is_loaded_as(library, module))
		library = library->next;
	if (library)
		return library->instance ? library : NULL;
	spoor_image_read(module->header, &image);
	if (!module->header)
		image.load_bias = module->bias;
	spoor_object_path(module->name, path);
	library = find_closed(&image, path, module->symbol_count);
	if (!library)
		library = create(module, &image, path);
	if (!library)
		return NULL;
	if (!library->name || strcmp(library->name, module->name) != 0)
		library->name = spoor_permanent_text(module->name);
	if (!library->name)
		return NULL;
	library->bias = module->bias;
	library->dynamic = module->dynamic;
	library->strings = module->strings;
	library->symbols = module->symbols;
	library->is_loaded = true;
	library->dso.image = module->header;
	library->instance = spoor_registry_add_library(&library->dso, &image, path, library->addresses, library->count,
						       (struct spoor_library_choice){ switch_functions, choose_own, describe });
	return library->instance ? library : NULL;
}

/* Takes an unused stub for a function that the tables know. */
static uint32_t add_stub(struct spoor_callee_library *library, uint32_t symbol, const struct spoor_known_call *known)
{
	uint32_t number = stub_count;
	struct spoor_library_call *call = &spoor_library_calls[number];
	uint32_t index = library->instance->base + symbol;

	if (stub_count == SPOOR_LIBRARY_STUBS) {
		left_out++;
		library->stubs[symbol] = NO_STUB;
		return 0;
	}
	stub_count++;
	call->slots = library->slots;
	call->entry_code = SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, index);
	call->exit_code = SPOOR_EVENT_CODE(SPOOR_EVENT_EXIT, index);
	call->kind = (uint8_t)known->kind;
	call->words = known->words;
	call->argument = (uint8_t)known->argument;
	call->local = symbol;
	call->next = library->first_stub;
	library->first_stub = number;
	library->stubs[symbol] = number;
	library->rules_changed |= library->instance->has_slots;
	return number;
}

void spoor_callee_library_add_slot(struct spoor_callee_library *library, uint32_t symbol)
{
	if (is_set(library->slotted, symbol))
		return;
	set_to(library->slotted, symbol, true);
	library->instance->has_slots = library->rules_changed = true;
}

uint32_t spoor_callee_library_index(const struct spoor_callee_library *library, uint32_t symbol)
{
	return library->instance->base + symbol;
}

bool spoor_callee_library_is_awake(const struct spoor_callee_library *library, uint32_t symbol)
{
	return is_set(library->awake, symbol);
}

bool spoor_callee_library_is(const struct spoor_callee_library *library, const struct spoor_instance *instance)
{
	return library->instance == instance;
}

uint32_t spoor_callee_library_stub(struct spoor_callee_library *library, const struct spoor_dynamic_module *module,
				   uint32_t symbol, const void *real)
{
	const char *name = module->strings + module->symbols[symbol].st_name;
	struct spoor_known_call known;
	uint32_t number = library->stubs[symbol];

	if (!number) {
		if (!library->known || !spoor_known_call_find(library->known, name, &known)) {
			spoor_unknown_call_add(library->path, library->known ? name : NULL);
			return 0;
		}
		number = add_stub(library, symbol, &known);
	}
	if (!number || number == NO_STUB)
		return 0;
	/* The same everywhere: all modules' slots of one symbol are bound to one address. */
	if (spoor_library_calls[number].real != real) {
		__atomic_store_n(&spoor_library_calls[number].real, real, __ATOMIC_RELEASE);
		library->changed = true;
	}
	return number;
}

void spoor_callee_libraries_remove(const struct spoor_dynamic_module *modules, uint32_t count)
{
	for (struct spoor_callee_library *library = libraries; library; library = library->next) {
		bool is_loaded = false;

		for (uint32_t i = 0; i < count && library->is_loaded && !is_loaded; i++)
			is_loaded = is_loaded_as(library, &modules[i]);
		if (is_loaded || !library->is_loaded)
			continue;
		library->is_loaded = false;
		for (uint32_t i = library->first_stub; i; i = spoor_library_calls[i].next) {
			spoor_library_calls[i].awake = 0;
			spoor_library_calls[i].real = NULL;
		}
		memset(library->awake, 0, bit_words(library) * sizeof(*library->awake));
		if (library->instance)
			library->removal_pending = spoor_registry_remove_library(library->instance);
	}
}

void spoor_callee_libraries_apply(void)
{
	for (struct spoor_callee_library *library = libraries; library; library = library->next) {
		if (library->rules_changed && library->is_loaded && library->instance)
			spoor_registry_follow(library->instance);
		else if (library->changed && library->is_loaded && library->instance)
			spoor_registry_apply_to(library->instance);
		library->changed = library->rules_changed = false;
	}
}

void spoor_callee_libraries_settle(void)
{
	for (struct spoor_callee_library *library = libraries; library; library = library->next) {
		if (library->removal_pending)
			spoor_observers_gone(library->instance->module_id, library->instance->path);
		library->removal_pending = false;
	}
}

uint32_t spoor_callee_libraries_left_out(void)
{
	return left_out;
}
