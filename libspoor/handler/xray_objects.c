/* SPDX-License-Identifier: MIT */
/* xray_objects.c - modules and functions by the numbers that XRay gives them. */
#define _GNU_SOURCE
#include "handler/xray_objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "module/adoption.h"
#include "base/libc_stack.h"
#include "elf/function_order.h"
#include "handler/handler_library.h"
#include "api/interface.h"
#include "base/permanent.h"
#include "base/memory.h"
#include "base/warning.h"
#include "handler/xray_in_use.h"
#include "text/pattern.h"
#include "api/runtime.h"
#include "patch/sled_index.h"

/* Numbers of one module's functions. Kept for good: events look here without a lock. */
struct spoor_object {
	uint32_t number_count;
	uint32_t *sled;		/* by number: the position of its first sled */
	uint32_t *local;	/* by number; UINT32_MAX: not in the function table */
	uint32_t *number;	/* by local ID; 0: no sleds */
};

/* By module ID, open addressing: at most a quarter is used. `key` is stored last. */
#define SLOTS (4u * SPOOR_OBJECTS_MAX)
static struct slot {
	uint64_t key;		/* module ID + 1 */
	uint32_t packed;	/* the object's part */
	uint32_t function_count;	/* of local IDs */
	const uint32_t *number;
} slots[SLOTS];

/* libspoor_xray.so's. */
extern const char __xray_spoor_present[] __attribute__((weak));

bool spoor_objects_are_used(void)
{
	const char *volatile present = __xray_spoor_present;

	return present != NULL;
}

/* As XRay reads it: pairs, apart by blanks, commas or colons. */
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

static int64_t executable_position(void)
{
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		if (spoor_registry_at(i)->executable)
			return i;
	}
	return -1;
}

/* The object at a position of the registry. */
static uint32_t object_at(uint32_t position)
{
	int64_t executable = executable_position();

	if (executable == position)
		return 0;
	return executable >= 0 && executable < position ? position : position + 1;
}

/* The loaded instance that is this object, or null. */
static struct spoor_instance *instance_of(int32_t object)
{
	for (uint32_t i = 0; object >= 0 && object < SPOOR_OBJECTS_MAX && i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);

		if (object_at(i) == (uint32_t)object)
			return instance->dso ? instance : NULL;
	}
	return NULL;
}

static uintptr_t function_of_sled(const struct spoor_dso *dso, uint32_t sled)
{
	return (uintptr_t)&dso->sleds_begin[sled].function + (uintptr_t)dso->sleds_begin[sled].function;
}

/* Gives the function of sled @sled the next number. Of those that a linker folded into
 * one, the one that has sleds is the one that is patched. */
static void number_add(struct spoor_instance *instance, struct spoor_object *object, const struct spoor_address *sorted,
		       uint32_t sled)
{
	uintptr_t address = function_of_sled(instance->dso, sled);
	uint32_t number = ++object->number_count, low;

	object->sled[number] = sled;
	object->local[number] = UINT32_MAX;
	low = spoor_addresses_find(sorted, instance->count, address);
	for (; low < instance->count && sorted[low].address == address; low++) {
		uint32_t local = sorted[low].index;

		if (!object->number[local])
			object->number[local] = number;
		if (object->local[number] == UINT32_MAX ||
		    instance->first_sled[local] < instance->first_sled[local + 1])
			object->local[number] = local;
	}
}

/* Return: the object, or null without memory. The module is indexed. */
static struct spoor_object *object_new(struct spoor_instance *instance)
{
	uint32_t sleds = (uint32_t)(instance->dso->sleds_end - instance->dso->sleds_begin);
	size_t bytes = ((size_t)sleds * 2 + 2 + instance->count) * 4;
	struct spoor_object *object = spoor_keep(sizeof(*object));
	uint32_t *memory = spoor_memory_map(bytes);
	struct spoor_function_order order;

	if (!object || !memory || spoor_function_order_make(&order, instance) < 0) {
		spoor_memory_unmap(memory, bytes);
		return NULL;
	}
	object->sled = memory;
	object->local = memory + sleds + 1;
	object->number = memory + 2 * ((size_t)sleds + 1);
	for (uint32_t i = 0; i < sleds && object->number_count < SPOOR_OBJECT_FUNCTIONS_MAX; i++) {
		if (i == 0 || function_of_sled(instance->dso, i) != function_of_sled(instance->dso, i - 1))
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
	/* One file loaded twice: its functions' IDs are those of the first. */
	if (slot->key)
		return;
	slot->packed = object << 24;
	slot->function_count = instance->count;
	slot->number = instance->object->number;
	__atomic_store_n(&slot->key, instance->module_id + 1ull, __ATOMIC_RELEASE);
}

void spoor_objects_number(struct spoor_instance *instance)
{
	static bool told;
	uint32_t position = 0, object;

	if (instance->object || !spoor_objects_are_used())
		return;
	while (spoor_registry_at(position) != instance)
		position++;
	object = object_at(position);
	if (object >= SPOOR_OBJECTS_MAX) {
		if (!told)
			spoor_message("%s and what comes after it has no XRay ID: there is room for %d objects",
				      instance->path, SPOOR_OBJECTS_MAX);
		told = true;
		return;
	}
	instance->object = object_new(instance);
	if (instance->object)
		publish(instance, object);
}

static bool packed(uint64_t function_id, uint32_t *packed)
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

static void adopt_aside(void *unused)
{
	(void)unused;
	spoor_adopt_modules_to_begin();
}

static bool is_none(void)
{
	bool none;

	spoor_registry_lock();
	none = spoor_registry_count() == 0;
	spoor_registry_unlock();
	return none;
}

/* A tool that is a library of the program's, or preloaded, asks before the program's modules begin. */
static int begin(void)
{
	int saved = errno, error = spoor_runtime_begin();

	if (error == 0 && is_none())
		spoor_aside_call(adopt_aside, NULL);
	errno = saved;
	return error;
}

static int32_t count(void)
{
	uint32_t all;

	begin();
	spoor_registry_lock();
	all = spoor_registry_count();
	if (all && executable_position() < 0)
		all++;
	spoor_registry_unlock();
	return all < SPOOR_OBJECTS_MAX ? (int32_t)all : SPOOR_OBJECTS_MAX;
}

/* What is asked of an object, on a stack of our own. */
struct question {
	enum { ASK_FUNCTIONS, ASK_ADDRESS, ASK_PATCH } what;
	int32_t object, function;
	bool on;
	int error;
	uintptr_t answer;
};

/* Changes what is wanted of an instance. @local: UINT32_MAX for all that have a number */
static void want(struct spoor_instance *instance, uint32_t local, bool on)
{
	if (local != UINT32_MAX) {
		if (on)
			instance->wanted[local / 64] |= 1ull << (local % 64);
		else
			instance->wanted[local / 64] &= ~(1ull << (local % 64));
		return;
	}
	for (uint32_t number = 1; number <= instance->object->number_count; number++) {
		if (instance->object->local[number] != UINT32_MAX)
			want(instance, instance->object->local[number], on);
	}
}

static int patch_loaded(struct spoor_instance *instance, uint32_t number, bool on)
{
	const struct spoor_object *object = instance->object;
	uint32_t local = number ? object->local[number] : UINT32_MAX;

	if (number && local == UINT32_MAX)
		return -EACCES;
	want(instance, local, on);
	spoor_registry_apply_to(instance);
	if (number)
		return (instance->patched[local / 64] >> (local % 64) & 1) == on ? 0 : -EACCES;
	for (uint32_t i = 0; on && i < (instance->count + 63) / 64; i++) {
		if (instance->wanted[i] && !instance->patched[i])
			return -EACCES;
	}
	return 0;
}

static void ask(void *argument)
{
	struct question *question = argument;
	struct spoor_instance *instance;

	question->error = -ENOENT;
	spoor_registry_lock();
	instance = instance_of(question->object);
	if (instance && spoor_sled_index_build(instance) == 0)
		spoor_objects_number(instance);
	if (instance && instance->object && question->function >= 0 &&
	    (uint32_t)question->function <= instance->object->number_count) {
		uint32_t number = (uint32_t)question->function;

		question->error = 0;
		if (question->what == ASK_FUNCTIONS)
			question->answer = instance->object->number_count;
		else if (question->what == ASK_ADDRESS && number)
			question->answer = function_of_sled(instance->dso, instance->object->sled[number]);
		else if (question->what == ASK_PATCH)
			question->error = patch_loaded(instance, number, question->on);
	}
	spoor_registry_unlock();
}

static int answer(struct question *question)
{
	int saved = errno;

	question->error = begin();
	if (question->error == 0)
		spoor_aside_call(ask, question);
	if (question->error == 0 && question->what == ASK_PATCH)
		spoor_handler_library_settle();
	errno = saved;
	return question->error;
}

static int32_t functions(int32_t object)
{
	struct question question = { .what = ASK_FUNCTIONS, .object = object };

	return answer(&question) < 0 ? 0 : (int32_t)question.answer;
}

static uintptr_t address(int32_t object, int32_t function)
{
	struct question question = { .what = ASK_ADDRESS, .object = object, .function = function };

	return answer(&question) < 0 ? 0 : question.answer;
}

static int patch(int32_t object, int32_t function, bool on)
{
	struct question question = { .what = ASK_PATCH, .object = object, .function = function, .on = on };

	return answer(&question);
}

static int set_handler(void (*handler)(uint64_t function_id, int event))
{
	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	spoor_registry_lock();
	if (handler)
		spoor_handler_install(handler, 0);
	else
		spoor_objects_begin();
	spoor_registry_unlock();
	return 0;
}

EXPORT const struct spoor_objects *spoor_objects(uint32_t version)
{
	static const struct spoor_objects objects = {
		.version = SPOOR_OBJECTS_VERSION,
		.begin = begin,
		.count = count,
		.functions = functions,
		.address = address,
		.patch = patch,
		.set_handler = set_handler,
		.packed = packed,
	};

	return version == SPOOR_OBJECTS_VERSION ? &objects : NULL;
}
