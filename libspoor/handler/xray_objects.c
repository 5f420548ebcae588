/* SPDX-License-Identifier: MIT */
/* xray_objects.c - assigns XRay's numbers to modules and functions, and finds them by number. */
#define _GNU_SOURCE
#include "handler/xray_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "elf/function_order.h"
#include "config/configuration.h"
#include "handler/handler_slots.h"
#include "base/permanent.h"
#include "base/memory.h"
#include "base/warning.h"
#include "handler/xray_in_use.h"
#include "text/pattern.h"

static struct spoor_object *numbers[SPOOR_MODULES_MAX] SPOOR_LARGE;	/* by the module's position in the registry */

/* A hash table by module ID, with open addressing; at most a quarter is used. `key` is stored last. */
#define SLOTS (4u * SPOOR_OBJECTS_MAX)
static struct slot {
	uint64_t key;		/* module ID + 1 */
	uint32_t packed;	/* the object's number in the upper 8 bits */
	uint32_t function_count;	/* number of local IDs */
	const uint32_t *number;
} slots[SLOTS] SPOOR_LARGE;

/* Defined in libspoor_xray.so. */
extern const char __xray_spoor_present[] __attribute__((weak));

bool spoor_objects_are_used(void)
{
	const char *volatile present = __xray_spoor_present;

	return present != NULL;
}

/* Parses XRAY_OPTIONS as XRay does: pairs separated by blanks, commas or colons. */
bool spoor_objects_patch_unasked(void)
{
	static const char name[] = "patch_premain=";
	const char *options = getenv("XRAY_OPTIONS"), *at = options ? options : "";

	if (!spoor_patterns_are_all(spoor_configuration.modules) || !spoor_patterns_are_all(spoor_configuration.functions))
		return true;
	for (; (at = strstr(at, name)); at += strlen(name)) {
		if ((at == options || strchr(" ,:\n\t\r", at[-1])) && strchr("1ty", at[strlen(name)]) && at[strlen(name)])
			return true;
	}
	return false;
}

void spoor_objects_begin(void)
{
	spoor_handler_install(spoor_no_event, SPOOR_HANDLER_SAVES_REGISTERS);
}

int64_t spoor_objects_executable(void)
{
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		if (spoor_registry_at(i)->executable)
			return i;
	}
	return -1;
}

/* The object number of a position in the registry. */
static uint32_t object_at(uint32_t position)
{
	int64_t executable = spoor_objects_executable();

	if (executable == position)
		return 0;
	return executable >= 0 && executable < position ? position : position + 1;
}

struct spoor_instance *spoor_objects_instance(int32_t object)
{
	for (uint32_t i = 0; object >= 0 && object < SPOOR_OBJECTS_MAX && i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);

		if (object_at(i) == (uint32_t)object)
			return instance->dso ? instance : NULL;
	}
	return NULL;
}

/* Gives the function of sled @sled the next number. If a linker folded functions into one, the number is for the
 * one with sleds, which is patched. */
static void number_add(struct spoor_instance *instance, struct spoor_object *object, const struct spoor_address *sorted,
		       uint32_t sled)
{
	const struct spoor_sleds *sleds = spoor_sleds_at(instance->position);
	uintptr_t address = spoor_object_function(instance->dso, sled);
	uint32_t number = ++object->number_count, low;

	object->sled[number] = sled;
	object->local[number] = UINT32_MAX;
	low = spoor_addresses_find(sorted, instance->count, address);
	for (; low < instance->count && sorted[low].address == address; low++) {
		uint32_t local = sorted[low].index;

		if (!object->number[local])
			object->number[local] = number;
		if (object->local[number] == UINT32_MAX ||
		    sleds->first_sled[local] < sleds->first_sled[local + 1])
			object->local[number] = local;
	}
}

/* Returns the object, or null without memory. The module has an index. */
static struct spoor_object *object_new(struct spoor_instance *instance)
{
	uint32_t sleds = (uint32_t)(instance->dso->sleds_end - instance->dso->sleds_begin);
	size_t bytes = ((size_t)sleds * 2 + 2 + instance->count) * 4;
	struct spoor_object *object = spoor_permanent_alloc(sizeof(*object));
	uint32_t *memory = spoor_memory_map(bytes);
	struct spoor_functions functions = spoor_instance_functions(instance);
	struct spoor_function_order order;

	if (!object || !memory || spoor_function_order_make(&order, &functions) < 0) {
		spoor_memory_unmap(memory, bytes);
		return NULL;
	}
	object->sled = memory;
	object->local = memory + sleds + 1;
	object->number = memory + 2 * ((size_t)sleds + 1);
	for (uint32_t i = 0; i < sleds && object->number_count < SPOOR_OBJECT_FUNCTIONS_MAX; i++) {
		if (i == 0 || spoor_object_function(instance->dso, i) != spoor_object_function(instance->dso, i - 1))
			number_add(instance, object, order.sorted, i);
	}
	spoor_function_order_free(&order);
	return object;
}

static void publish(const struct spoor_instance *instance, uint32_t object)
{
	struct slot *slot = &slots[instance->module_id % SLOTS];

	while (slot->key && slot->key != instance->module_id + 1ull)
		slot = slot == &slots[SLOTS - 1] ? slots : slot + 1;
	/* The same file is loaded twice: its functions keep the numbers of the first. */
	if (slot->key)
		return;
	slot->packed = object << 24;
	slot->function_count = instance->count;
	slot->number = numbers[instance->position]->number;
	__atomic_store_n(&slot->key, instance->module_id + 1ull, __ATOMIC_RELEASE);
}

void spoor_objects_number(struct spoor_instance *instance)
{
	static bool warned;
	uint32_t object;

	if (numbers[instance->position] || !spoor_objects_are_used())
		return;
	object = object_at(instance->position);
	if (object >= SPOOR_OBJECTS_MAX) {
		if (!warned)
			spoor_warning("%s and modules loaded after it have no XRay ID: the limit is %d modules",
				      instance->path, SPOOR_OBJECTS_MAX);
		warned = true;
		return;
	}
	numbers[instance->position] = object_new(instance);
	if (numbers[instance->position])
		publish(instance, object);
}

bool spoor_objects_packed(uint64_t function_id, uint32_t *packed)
{
	uint32_t module_id = (uint32_t)(function_id >> 32), local = (uint32_t)function_id;
	const struct slot *slot = &slots[module_id % SLOTS];

	for (;;) {
		uint64_t key = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);

		if (!key)
			return false;
		if (key == module_id + 1ull)
			break;
		slot = slot == &slots[SLOTS - 1] ? slots : slot + 1;
	}
	if (local >= slot->function_count || !slot->number[local])
		return false;
	*packed = slot->packed | slot->number[local];
	return true;
}

const struct spoor_object *spoor_objects_numbers(const struct spoor_instance *instance)
{
	return numbers[instance->position];
}

static int number(struct spoor_instance *instance, const uint64_t *target)
{
	(void)target;
	spoor_objects_number(instance);
	return 0;
}

const struct spoor_module_observer spoor_xray_modules = { .waking = number };
