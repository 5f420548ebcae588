/* SPDX-License-Identifier: MIT */
/* interface_xray.c - answers libspoor_xray.so: objects and functions by XRay's numbers. */
#include <errno.h>

#include "api/interface.h"
#include "api/runtime.h"
#include "base/libc_stack.h"
#include "handler/handler_library.h"
#include "handler/handler_slots.h"
#include "handler/xray_in_use.h"
#include "handler/xray_objects.h"
#include "module/adoption.h"
#include "module/registry_apply.h"

static void adopt_on_libc_stack(void *unused)
{
	(void)unused;
	spoor_adopt_modules_to_begin();
}

static bool has_no_modules(void)
{
	bool none;

	spoor_registry_lock();
	none = spoor_registry_count() == 0;
	spoor_registry_unlock();
	return none;
}

/* A tool that is a library of the program, or preloaded, calls this before the program's modules begin. */
static int begin(void)
{
	int saved;

	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	saved = errno;
	if (has_no_modules())
		spoor_libc_stack_call(adopt_on_libc_stack, NULL);
	errno = saved;
	return 0;
}

static int32_t count(void)
{
	uint32_t all;

	begin();
	spoor_registry_lock();
	all = spoor_registry_count();
	if (all && spoor_objects_executable() < 0)
		all++;
	spoor_registry_unlock();
	return all < SPOOR_OBJECTS_MAX ? (int32_t)all : SPOOR_OBJECTS_MAX;
}

/* A request about one object, answered on another stack. */
struct question {
	enum { ASK_FUNCTIONS, ASK_ADDRESS, ASK_PATCH } what;
	int32_t object, function;
	bool on;
	int error;
	uintptr_t answer;
};

/* Changes the wanted functions of an instance. @local: UINT32_MAX for all functions that have a number */
static void set_wanted(struct spoor_instance *instance, uint32_t local, bool on)
{
	const struct spoor_object *object = spoor_objects_numbers(instance);
	struct spoor_sleds *sleds = spoor_sleds_at(instance->position);

	if (local != UINT32_MAX) {
		if (on)
			sleds->wanted[local / 64] |= 1ull << (local % 64);
		else
			sleds->wanted[local / 64] &= ~(1ull << (local % 64));
		return;
	}
	for (uint32_t number = 1; number <= object->number_count; number++) {
		if (object->local[number] != UINT32_MAX)
			set_wanted(instance, object->local[number], on);
	}
}

static int patch_loaded(struct spoor_instance *instance, uint32_t number, bool on)
{
	const struct spoor_object *object = spoor_objects_numbers(instance);
	const struct spoor_sleds *sleds = spoor_sleds_at(instance->position);
	uint32_t local = number ? object->local[number] : UINT32_MAX;

	if (number && local == UINT32_MAX)
		return -EACCES;
	set_wanted(instance, local, on);
	spoor_registry_apply_to(instance);
	if (number)
		return (sleds->awake.patched[local / 64] >> (local % 64) & 1) == on ? 0 : -EACCES;
	for (uint32_t i = 0; on && i < spoor_instance_words(instance); i++) {
		if (sleds->wanted[i] && !sleds->awake.patched[i])
			return -EACCES;
	}
	return 0;
}

static void answer_on_libc_stack(void *argument)
{
	struct question *question = argument;
	const struct spoor_object *object;
	struct spoor_instance *instance;

	question->error = -ENOENT;
	spoor_registry_lock();
	instance = spoor_objects_instance(question->object);
	if (instance && spoor_instance_index(instance) == 0)
		spoor_objects_number(instance);
	object = instance ? spoor_objects_numbers(instance) : NULL;
	if (object && question->function >= 0 && (uint32_t)question->function <= object->number_count) {
		uint32_t number = (uint32_t)question->function;

		question->error = 0;
		if (question->what == ASK_FUNCTIONS)
			question->answer = object->number_count;
		else if (question->what == ASK_ADDRESS && number)
			question->answer = spoor_object_function(instance->dso, object->sled[number]);
		else if (question->what == ASK_PATCH)
			question->error = patch_loaded(instance, number, question->on);
	}
	spoor_registry_unlock();
}

static int answer(struct question *question)
{
	int saved;

	question->error = begin();
	if (question->error < 0)
		return question->error;
	saved = errno;
	spoor_libc_stack_call(answer_on_libc_stack, question);
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
		.packed = spoor_objects_packed,
	};

	return version == SPOOR_OBJECTS_VERSION ? &objects : NULL;
}
