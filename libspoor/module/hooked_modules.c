/* SPDX-License-Identifier: MIT */
/*
 * hooked_modules.c - finds modules that call hooks, by the addresses of their code.
 *
 * _dl_find_object takes no lock, and answers for the modules that are loaded at this moment.
 * Chains are read without a lock: a module in a chain is never freed, and moves to another
 * chain only after it was closed. A reader that follows a moved module misses its own module,
 * and looks again under the lock.
 */
#define _GNU_SOURCE
#include "module/hooked_modules.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/libc_stack.h"
#include "elf/elf_image.h"
#include "elf/module_path.h"
#include "event/hook_path.h"
#include "base/permanent.h"
#include "base/warning.h"
#include "module/hooked_functions.h"
#include "module/observer.h"
#include "patch/sled_index.h"
#include "format/unwind_table.h"

#define CHAINS 256u
#define PAGE_BYTES 4096u

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* glibc has it since 2.35. */
#pragma weak _dl_find_object

static struct spoor_hooked *chains[CHAINS], *newest;
/* Set while this thread adds a module: functions that are called meanwhile may call hooks. */
static __thread bool adding __attribute__((tls_model("initial-exec")));

static struct spoor_hooked **chain_of(uintptr_t low)
{
	return &chains[(low >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 56];
}

/*
 * Finds the loaded object at an address. If an executable's segments have gaps between them, glibc
 * knows each segment as one object. The module is then the object with the unwind table.
 */
static int find_object(uintptr_t address, struct dl_find_object *object)
{
	const char *table;

	if (_dl_find_object((void *)address, object) < 0)
		return -1;
	table = object->dlfo_eh_frame;
	if (!table || (table >= (char *)object->dlfo_map_start && table < (char *)object->dlfo_map_end))
		return 0;
	return _dl_find_object((void *)(uintptr_t)table, object);
}

/*
 * Finds the ELF header of an object. Returns null if no header is loaded. The header is at the begin of the object
 * or, if glibc knows each segment as one object, in another segment. AT_PHDR leads to the header of the executable.
 * In other modules the first segment is at the difference between the addresses in memory and in the file.
 */
static const void *find_header(const struct dl_find_object *object)
{
	const ElfW(Ehdr) *header = object->dlfo_map_start;
	uint64_t segments = getauxval(AT_PHDR);
	struct dl_find_object other;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) == 0)
		return header;
	header = (const ElfW(Ehdr) *)(segments & -(uint64_t)PAGE_BYTES);
	if (segments && _dl_find_object((void *)(uintptr_t)segments, &other) == 0 &&
	    other.dlfo_link_map == object->dlfo_link_map && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	    (uintptr_t)header + header->e_phoff == segments)
		return header;
	header = (const ElfW(Ehdr) *)object->dlfo_link_map->l_addr;
	if (header && _dl_find_object((void *)(uintptr_t)header, &other) == 0 &&
	    other.dlfo_link_map == object->dlfo_link_map && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0)
		return header;
	return NULL;
}

/* A different library may be loaded at the same place, with the same size and the same link map, so compares the
 * build-id or the name. */
static bool is_same(const struct spoor_hooked *module, const struct dl_find_object *object)
{
	if (module->object != object->dlfo_link_map || module->low != (uintptr_t)object->dlfo_map_start ||
	    module->high != (uintptr_t)object->dlfo_map_end || module->table != object->dlfo_eh_frame)
		return false;
	return module->build_id_at ? memcmp(module->build_id_at, module->build_id, module->build_id_bytes) == 0
				   : strcmp(object->dlfo_link_map->l_name, module->name) == 0;
}

static struct spoor_hooked *look_up(const struct dl_find_object *object)
{
	struct spoor_hooked *module = __atomic_load_n(chain_of((uintptr_t)object->dlfo_map_start), __ATOMIC_ACQUIRE);

	while (module && !is_same(module, object))
		module = __atomic_load_n(&module->next, __ATOMIC_ACQUIRE);
	return module;
}

static void unlink_closed(struct spoor_hooked *module)
{
	struct spoor_hooked **place = chain_of(module->low);

	while (*place != module)
		place = &(*place)->next;
	__atomic_store_n(place, module->next, __ATOMIC_RELEASE);
	module->object = NULL;
	if (module->instance)
		module->removal_pending = spoor_registry_remove_hooked(module);
}

/* Removes the closed modules: the dynamic loader does not report them. */
static void notice_closed(void)
{
	for (struct spoor_hooked *module = newest; module; module = module->older) {
		struct dl_find_object object;

		if (module->object && (_dl_find_object((void *)module->low, &object) < 0 || !is_same(module, &object)))
			unlink_closed(module);
	}
}

/* Finds a module that was closed and is now loaded again. */
static struct spoor_hooked *find_closed(const struct spoor_image *image, const char *path, uint32_t count)
{
	struct spoor_hooked *module = newest;

	for (; module; module = module->older) {
		const struct spoor_instance *instance = module->instance;

		if (!module->object && instance && module->code.count == count && strcmp(instance->path, path) == 0 &&
		    instance->build_id_bytes == image->build_id_bytes &&
		    memcmp(instance->build_id, image->build_id, image->build_id_bytes) == 0)
			break;
	}
	return module;
}

static void find_path(const struct dl_find_object *object, char *path)
{
	const char *name = object->dlfo_link_map->l_name;

	if (!spoor_object_path(name, path) && strlen(name) < PATH_MAX)
		strcpy(path, name);
}

static void identify(struct spoor_hooked *module, const struct dl_find_object *object, const struct spoor_image *image,
		     const void *header)
{
	memcpy(module->build_id, image->build_id, image->build_id_bytes);
	module->build_id_bytes = image->build_id_bytes;
	module->build_id_at = !image->build_id_bytes ? NULL :
			      memmem(header, PAGE_BYTES, image->build_id, image->build_id_bytes);
	if (!module->name || strcmp(module->name, object->dlfo_link_map->l_name) != 0)
		module->name = spoor_permanent_text(object->dlfo_link_map->l_name);
}

/* Returns a new module, which may stay untraced, or null without memory. */
static struct spoor_hooked *create_module(const struct dl_find_object *object, const struct spoor_image *image,
					  const char *path)
{
	struct spoor_hooked *module = spoor_permanent_alloc(sizeof(*module));

	if (!module)
		return NULL;
	module->older = newest;
	newest = module;
	module->dso.size = SPOOR_DSO_SIZE_MIN;
	module->dso.version = SPOOR_DSO_VERSION;
	module->dso.slots = module->code.slots;
	if (!spoor_hooked_functions_read(module, object->dlfo_eh_frame, image->load_bias))
		spoor_warning("%.500s stays untraced: it calls hooks, but has no sorted unwind table; compile with "
			      "-fasynchronous-unwind-tables and link with --eh-frame-hdr", path);
	return module;
}

/* Adds the module to the registry, and points its events at the bits of the awake functions. */
static void register_module(struct spoor_hooked *module, const struct spoor_image *image, const char *path)
{
	struct spoor_instance *instance = spoor_registry_add_hooked(module, image, path);

	module->instance = instance;
	if (!instance)
		return;
	module->code.awake = &spoor_sleds_make(instance->position)->awake;
}

static void add_module(const struct dl_find_object *object)
{
	struct spoor_hooked *module, **chain = chain_of((uintptr_t)object->dlfo_map_start);
	const struct spoor_unwind_table *table = object->dlfo_eh_frame;
	const void *header = find_header(object);
	struct spoor_image image;
	char path[PATH_MAX];

	notice_closed();
	find_path(object, path);
	spoor_image_read(header, &image);
	if (!header)
		image.load_bias = object->dlfo_link_map->l_addr;
	module = find_closed(&image, path, table ? table->count : 0);
	if (!module)
		module = create_module(object, &image, path);
	if (!module)
		return;
	identify(module, object, &image, header);
	if (!module->name)
		return;
	module->low = (uintptr_t)object->dlfo_map_start;
	module->high = (uintptr_t)object->dlfo_map_end;
	module->object = object->dlfo_link_map;
	module->table = object->dlfo_eh_frame;
	module->code.load_bias = image.load_bias;
	module->code.table = table;
	module->dso.image = header;
	if (module->code.functions)
		register_module(module, &image, path);
	module->next = *chain;
	__atomic_store_n(chain, module, __ATOMIC_RELEASE);
}

static void add_on_libc_stack(void *argument)
{
	const struct dl_find_object *object = argument;
	struct spoor_hooked *module;

	spoor_registry_lock();
	if (!look_up(object))
		add_module(object);
	spoor_registry_unlock();
	for (module = newest; module; module = module->older) {
		if (module->removal_pending)
			spoor_observers_gone(module->instance->module_id, module->instance->path);
		module->removal_pending = false;
	}
}

/* Set if no hook of this process is ever traced: each call then returns at once. */
static bool given_up;

void spoor_hooked_give_up(void)
{
	__atomic_store_n(&given_up, true, __ATOMIC_RELAXED);
}

struct spoor_hooked *spoor_hooked_find(uintptr_t address, int (*begin)(void))
{
	struct spoor_hooked *module;
	struct dl_find_object object;
	int saved;

	if (__atomic_load_n(&given_up, __ATOMIC_RELAXED) || !_dl_find_object || find_object(address, &object) < 0)
		return NULL;
	module = look_up(&object);
	if (module || adding)
		return module && module->instance ? module : NULL;
	adding = true;
	saved = errno;
	if (begin && begin() < 0)
		spoor_hooked_give_up();
	if (!__atomic_load_n(&given_up, __ATOMIC_RELAXED)) {
		spoor_libc_stack_call(add_on_libc_stack, &object);
		spoor_observers_settle();
	}
	errno = saved;
	adding = false;
	module = look_up(&object);
	return module && module->instance ? module : NULL;
}
#else
void spoor_hooked_give_up(void)
{
}

struct spoor_hooked *spoor_hooked_find(uintptr_t address, int (*begin)(void))
{
	static bool warned;

	(void)address;
	(void)begin;
	if (!__atomic_exchange_n(&warned, true, __ATOMIC_RELAXED))
		spoor_warning("functions that call hooks stay untraced: this libspoor.so was built without "
			      "_dl_find_object; build spoor with glibc 2.35 or newer");
	return NULL;
}
#endif

struct spoor_hooked *spoor_hooked_of(const struct spoor_instance *instance)
{
	if (!instance->dso || !instance->hooked || instance->switch_functions)
		return NULL;
	return (struct spoor_hooked *)((char *)instance->dso - offsetof(struct spoor_hooked, dso));
}

void spoor_hooked_choose(struct spoor_instance *instance)
{
	struct spoor_hooked *module = spoor_hooked_of(instance);
	struct spoor_sleds *sleds = spoor_sleds_at(instance->position);

	memset(sleds->switchable, 0xff, spoor_sleds_words(sleds) * sizeof(*sleds->switchable));
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		const struct spoor_instance *other = spoor_registry_at(i);
		struct spoor_functions functions = spoor_instance_functions(other);
		uint32_t here;

		if (!other->dso || other->hooked || other->dso->image != instance->dso->image)
			continue;
		for (uint32_t local = 0; local < other->count; local++)
			if (spoor_hooked_function_at(module, spoor_function_address(&functions, local), &here))
				sleds->switchable[here / 64] &= ~(1ull << (here % 64));
	}
}

long spoor_hooked_apply(struct spoor_sleds *sleds, const uint64_t *target)
{
	long changed = 0;

	for (uint32_t i = 0; i < spoor_sleds_words(sleds); i++) {
		uint64_t wanted = target ? target[i] & sleds->switchable[i] : 0;

		changed += __builtin_popcountll(sleds->awake.patched[i] ^ wanted);
		__atomic_store_n(&sleds->awake.patched[i], wanted, __ATOMIC_RELEASE);
	}
	return changed;
}
