/* SPDX-License-Identifier: MIT */
/* registry.c - adds modules to the registry and removes them. */
#define _GNU_SOURCE
#include "module/registry.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/large.h"
#include "module/choice.h"
#include "event/event_path.h"
#include "module/hooked_modules.h"
#include "module/observer.h"
#include "base/permanent.h"
#include "base/process_end.h"
#include "base/warning.h"
#include "elf/module_path.h"
#include "module/registry_apply.h"
#include "patch/sled_index.h"

#define ID_CHUNK (1u << SPOOR_ID_CHUNK_SHIFT)

static struct spoor_instance *instances[SPOOR_MODULES_MAX] SPOOR_LARGE;
static uint32_t instance_count;
static uint32_t next_base;
static bool any_calls;	/* a module has injected calls instead of sleds */

uint32_t spoor_registry_count(void)
{
	return instance_count;
}

struct spoor_instance *spoor_registry_at(uint32_t position)
{
	return instances[position];
}

bool spoor_registry_has_calls(void)
{
	return __atomic_load_n(&any_calls, __ATOMIC_RELAXED);
}

/* A module's ID is made from its content, so that it is the same in every run. */
static uint32_t module_id_of(const struct spoor_dso *dso, const struct spoor_image *image)
{
	const char *table = (const char *)dso->functions_begin;

	if (image->build_id_bytes)
		return (uint32_t)XXH3_64bits(image->build_id, image->build_id_bytes);
	return (uint32_t)XXH3_64bits(table, (size_t)((const char *)dso->functions_end - table));
}

static bool module_id_taken(uint32_t module_id, const struct spoor_image *image)
{
	for (uint32_t i = 0; i < instance_count; i++) {
		const struct spoor_instance *other = instances[i];

		if (other->module_id == module_id &&
		    (other->build_id_bytes != image->build_id_bytes ||
		     memcmp(other->build_id, image->build_id, image->build_id_bytes) != 0))
			return true;
	}
	return false;
}

/* Finds the instance of the same file from an earlier load. */
static struct spoor_instance *find_closed(uint32_t module_id, uint32_t count, const struct spoor_image *image,
					  const char *path)
{
	for (uint32_t i = 0; i < instance_count; i++) {
		struct spoor_instance *other = instances[i];

		if (!other->dso && other->module_id == module_id && other->count == count &&
		    other->build_id_bytes == image->build_id_bytes &&
		    memcmp(other->build_id, image->build_id, image->build_id_bytes) == 0 &&
		    strcmp(other->path, path) == 0)
			return other;
	}
	return NULL;
}

static struct spoor_instance *instance_new(uint32_t module_id, uint32_t count,
					   const struct spoor_image *image, const char *path)
{
	uint32_t chunks = (count + ID_CHUNK - 1) / ID_CHUNK;
	struct spoor_instance *instance;
	struct spoor_sleds *sleds;

	if (instance_count == SPOOR_MODULES_MAX || (uint64_t)next_base + chunks * ID_CHUNK > SPOOR_INDEX_MAX)
		return NULL;
	instance = spoor_permanent_alloc(sizeof(*instance));
	if (!instance)
		return NULL;
	instance->path = spoor_permanent_text(path);
	instance->soname = spoor_permanent_text(image->soname ? image->soname : "");
	sleds = spoor_sleds_make(instance_count);
	if (!instance->path || !instance->soname || !sleds)
		return NULL;
	sleds->awake.base = next_base;
	instance->module_id = module_id;
	instance->count = count;
	instance->base = next_base;
	instance->build_id_bytes = image->build_id_bytes;
	memcpy(instance->build_id, image->build_id, image->build_id_bytes);
	for (uint32_t i = 0; i < chunks; i++)
		spoor_function_ids[next_base / ID_CHUNK + i] = ((uint64_t)module_id << 32) - next_base;
	next_base += chunks * ID_CHUNK;
	instance->position = instance_count;
	instances[instance_count++] = instance;
	return instance;
}

/* Tells if the kernel started this module: it stays loaded until the process ends. */
static bool is_executable(const struct spoor_dso *dso)
{
	const ElfW(Ehdr) *header = dso->image;

	return header && (uintptr_t)header + header->e_phoff == getauxval(AT_PHDR);
}

/* Returns whether observers have to be called again without the lock. */
static bool remove_instance(struct spoor_instance *instance)
{
	bool removal_pending;

	spoor_instance_end(instance);
	removal_pending = spoor_observers_removed(instance);
	spoor_sleds_forget(instance->position);
	spoor_choice_forget(instance);
	instance->dso->instance = NULL;
	instance->dso = NULL;
	return removal_pending;
}

bool spoor_registry_remove_hooked(struct spoor_hooked *module)
{
	return remove_instance(module->instance);
}

bool spoor_registry_remove_library(struct spoor_instance *instance)
{
	return remove_instance(instance);
}

void spoor_registry_remove(struct spoor_dso *dso)
{
	struct spoor_instance *instance;
	int saved = errno;
	bool told;

	/* The executable's destructor, the first of all, begins the end of the process: from here on the text
	 * stays patched and goes on logging. */
	if (is_executable(dso))
		spoor_process_ends();
	spoor_registry_lock();
	instance = dso->instance;
	told = instance && instance->dso == dso && remove_instance(instance);
	spoor_registry_unlock();
	if (told)
		spoor_observers_gone(instance->module_id, instance->path);
	errno = saved;
}

/* What an instance has besides sleds; see there. */
struct without_sleds {
	const uint32_t *hooked;
	struct spoor_library_choice library;
};

/* Returns null if there is no room. */
static struct spoor_instance *add_instance(struct spoor_dso *dso, uint32_t module_id, uint32_t count,
					   const struct spoor_image *image, const char *path,
					   struct without_sleds without_sleds, bool dormant)
{
	struct spoor_instance *instance;
	static bool told;

	while (module_id_taken(module_id, image))
		module_id++;
	instance = find_closed(module_id, count, image, path);
	if (!instance)
		instance = instance_new(module_id, count, image, path);
	if (!instance) {
		if (!told)
			spoor_warning("%.500s and modules loaded after it stay untraced: the module table is full",
				      path);
		told = true;
		return NULL;
	}
	instance->dso = dso;
	instance->load_bias = image->load_bias;
	instance->hooked = without_sleds.hooked;
	instance->switch_functions = without_sleds.library.switch_functions;
	instance->choose_own = without_sleds.library.choose_own;
	instance->describe = without_sleds.library.describe;
	instance->executable = is_executable(dso);
	dso->instance = instance;
	spoor_instance_set_slots(instance);
	spoor_observers_added(instance);
	if (dormant)
		spoor_instance_hold(instance);
	else
		spoor_instance_begin(instance);
	return instance;
}

static void add(struct spoor_dso *dso, bool dormant)
{
	struct spoor_instance *instance;
	struct spoor_image image;
	char path[PATH_MAX];
	uint32_t module_id, count;

	spoor_module_path(dso, path);
	if (dso->size < SPOOR_DSO_SIZE_MIN || dso->version != SPOOR_DSO_VERSION) {
		spoor_warning("%.500s stays untraced: it was linked with another version of spoor (registration "
			      "version %u with %u bytes; libspoor.so expects version %u with %zu bytes or more); link "
			      "it again with this version", path, dso->version, dso->size, SPOOR_DSO_VERSION,
			      (size_t)SPOOR_DSO_SIZE_MIN);
		return;
	}
	spoor_image_read(dso->image, &image);
	count = (uint32_t)(dso->functions_end - dso->functions_begin);
	module_id = module_id_of(dso, &image);

	spoor_registry_lock();
	/* Already adopted before its constructor ran. */
	instance = dso->instance;
	if (instance && instance->dso == dso) {
		/* Another thread has adopted the module while it was loaded: it is new, and follows all choices. */
		if (!dormant && spoor_instance_is_held(instance))
			spoor_instance_begin(instance);
		spoor_registry_unlock();
		return;
	}
	if (add_instance(dso, module_id, count, &image, path, (struct without_sleds){ .hooked = NULL }, dormant)) {
		dso->unregister = spoor_registry_remove;
		if (count && dso->sleds_begin == dso->sleds_end)
			__atomic_store_n(&any_calls, true, __ATOMIC_RELAXED);
	}
	spoor_registry_unlock();
}

void spoor_registry_add(struct spoor_dso *dso)
{
	add(dso, false);
}

void spoor_registry_add_dormant(struct spoor_dso *dso)
{
	add(dso, true);
}

struct spoor_instance *spoor_registry_add_hooked(struct spoor_hooked *module, const struct spoor_image *image,
						 const char *path)
{
	/* A module that has sleds too has a second instance, with another ID, for its sleds. */
	const struct spoor_hooked_code *code = &module->code;
	uint32_t module_id = image->build_id_bytes
			     ? (uint32_t)XXH3_64bits_withSeed(image->build_id, image->build_id_bytes, 1)
			     : (uint32_t)XXH3_64bits(code->functions, code->count * sizeof(*code->functions));

	return add_instance(&module->dso, module_id, code->count, image, path,
			    (struct without_sleds){ .hooked = code->functions }, false);
}

struct spoor_instance *spoor_registry_add_library(struct spoor_dso *dso, const struct spoor_image *image, const char *path,
						  const uint32_t *addresses, uint32_t count, struct spoor_library_choice choice)
{
	/* A library may have sleds or hooks too, and then has further instances with other IDs. */
	uint32_t module_id = image->build_id_bytes
			     ? (uint32_t)XXH3_64bits_withSeed(image->build_id, image->build_id_bytes, 2)
			     : (uint32_t)XXH3_64bits_withSeed(addresses, count * sizeof(*addresses), 2);

	return add_instance(dso, module_id, count, image, path, (struct without_sleds){ addresses, choice }, false);
}
