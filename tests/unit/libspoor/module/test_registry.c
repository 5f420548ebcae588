/* SPDX-License-Identifier: MIT */
/* test_registry.c - modules register and deregister; the choice of functions holds for all of them. */
#include "module/registry.h"

#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "event/event_path.h"
#include "tests/unit/support/hand_module.h"
#include "event/processor.h"
#include "tests/unit/support/reading.h"
#include "api/runtime.h"
#include "spoor.h"

#define MODULES 4

static struct hand_module modules[MODULES];
static char folder[64];

/* Begins a runtime whose trace is in a new folder. */
static void begin(void)
{
	strcpy(folder, reading_folder());
	snprintf(spoor_configuration.trace_path, sizeof(spoor_configuration.trace_path), "%s/trace", folder);
}

static void end(void)
{
	for (int i = 0; i < MODULES; i++)
		if (modules[i].dso && modules[i].dso->unregister && modules[i].dso->instance)
			modules[i].dso->unregister(modules[i].dso);
	reading_remove(folder);
}

static struct spoor_instance *load(int number, const char *build_id, uint32_t functions)
{
	struct hand_module *module = &modules[number];

	hand_module_begin(module, HAND_PAGES);
	hand_module_functions(module, 64, functions);
	if (build_id)
		hand_module_build_id(module, build_id, (uint32_t)strlen(build_id));
	hand_module_finish(module);
	spoor_dso_register(module->dso);
	return module->dso->instance;
}

static void unload(int number)
{
	modules[number].dso->unregister(modules[number].dso);
	hand_module_end(&modules[number]);
	modules[number] = (struct hand_module){ 0 };
}

/* Returns the function ID that the trace will give to a dense index. */
static uint64_t id_of_index(uint32_t index)
{
	return spoor_function_ids[index >> SPOOR_ID_CHUNK_SHIFT] + index;
}

static bool overlap(const struct spoor_instance *a, const struct spoor_instance *b)
{
	return a->base < b->base + b->count && b->base < a->base + a->count;
}

START_TEST(a_module_that_registers_is_patched_and_logs)
{
	struct spoor_instance *instance;

	begin();
	instance = load(0, "one", 300);
	ck_assert_ptr_nonnull(instance);
	ck_assert_uint_eq(instance->module_id, (uint32_t)XXH3_64bits("one", 3));
	ck_assert_uint_eq(spoor_registry_patched(), 300);
	ck_assert_uint_eq(hand_module_call(&modules[0], 299), 2);
	ck_assert_ptr_eq(modules[0].dso->slots[SPOOR_THUNK_EXIT], (void *)(uintptr_t)spoor_best_trampoline(spoor_log_exit));
	ck_assert_uint_eq(id_of_index(instance->base + 299), (uint64_t)instance->module_id << 32 | 299);
	unload(0);
	ck_assert_uint_eq(spoor_registry_patched(), 0);
	end();
}
END_TEST

START_TEST(two_copies_of_one_file_are_one_module_at_two_bases)
{
	struct spoor_instance *a, *b;

	begin();
	a = load(0, "same", 300);
	b = load(1, "same", 300);
	ck_assert_ptr_ne(a, b);
	ck_assert_uint_eq(a->module_id, b->module_id);
	ck_assert(!overlap(a, b));
	ck_assert_uint_eq(id_of_index(a->base + 7), id_of_index(b->base + 7));
	end();
}
END_TEST

/* Finds two build-ids with the same hash: there are some among 2^18. */
static void find_clash(char a[16], char b[16])
{
	enum { IDS = 1 << 18 };
	uint32_t *seen = calloc(4 * IDS, sizeof(*seen));

	for (uint32_t i = 1; i < IDS; i++) {
		uint32_t hash, at;

		snprintf(b, 16, "id%08x", i);
		hash = (uint32_t)XXH3_64bits(b, strlen(b));
		for (at = hash % (4 * IDS); seen[at]; at = (at + 1) % (4 * IDS)) {
			snprintf(a, 16, "id%08x", seen[at]);
			if ((uint32_t)XXH3_64bits(a, strlen(a)) == hash) {
				free(seen);
				return;
			}
		}
		seen[at] = i;
	}
	ck_abort_msg("no two build-ids have one hash");
}

START_TEST(a_clash_of_hashes_is_two_modules)
{
	struct spoor_instance *a, *b, *again;
	char first[16], second[16];

	find_clash(first, second);
	begin();
	a = load(0, first, 10);
	b = load(1, second, 10);
	ck_assert_uint_ne(a->module_id, b->module_id);
	ck_assert_uint_eq(b->module_id, a->module_id + 1);
	ck_assert_uint_ne(id_of_index(a->base), id_of_index(b->base));
	/* The second module keeps its ID too when it is loaded again. */
	unload(1);
	again = load(1, second, 10);
	ck_assert_ptr_eq(again, b);
	end();
}
END_TEST

START_TEST(a_module_that_is_loaded_again_gets_its_base_and_no_other_module_gets_it)
{
	struct spoor_instance *first, *other, *again;

	begin();
	first = load(0, "first", 300);
	unload(0);
	other = load(1, "other", 300);
	ck_assert_ptr_ne(other, first);
	ck_assert(!overlap(first, other));
	again = load(0, "first", 300);
	ck_assert_ptr_eq(again, first);
	ck_assert_uint_eq(hand_module_call(&modules[0], 0), 2);
	/* A copy that is loaded at the same time is another instance. */
	ck_assert(!overlap(load(2, "first", 300), first));
	end();
}
END_TEST

START_TEST(a_module_without_a_build_id_is_identified_by_its_function_table)
{
	struct spoor_instance *a, *b, *c;

	begin();
	a = load(0, NULL, 10);
	b = load(1, NULL, 10);
	c = load(2, NULL, 11);
	ck_assert_uint_eq(a->module_id, b->module_id);
	ck_assert_uint_ne(a->module_id, c->module_id);
	end();
}
END_TEST

START_TEST(a_struct_of_another_version_or_size_is_not_registered)
{
	begin();
	hand_module_begin(&modules[0], HAND_PAGES);
	hand_module_functions(&modules[0], 64, 10);
	hand_module_finish(&modules[0]);
	modules[0].dso->version++;
	spoor_dso_register(modules[0].dso);
	ck_assert_ptr_null(modules[0].dso->instance);
	modules[0].dso->version--;
	modules[0].dso->size = 16;
	spoor_dso_register(modules[0].dso);
	ck_assert_ptr_null(modules[0].dso->instance);
	ck_assert_uint_eq(hand_module_call(&modules[0], 0), 0);
	end();
}
END_TEST

START_TEST(a_choice_returns_how_many_functions_changed_and_holds_for_later_modules)
{
	begin();
	load(0, "one", 300);
	ck_assert_int_eq(spoor_functions_disable("*", "*"), 300);
	ck_assert_int_eq(spoor_functions_disable(NULL, NULL), 0);
	load(1, "two", 200);
	ck_assert_uint_eq(hand_module_call(&modules[1], 0), 0);
	ck_assert_int_eq(spoor_functions_enable(NULL, NULL), 500);
	load(2, "three", 100);
	ck_assert_uint_eq(hand_module_call(&modules[2], 0), 2);
	ck_assert_uint_eq(spoor_registry_patched(), 600);
	end();
}
END_TEST

START_TEST(disabling_and_enabling_all_keeps_the_choice)
{
	begin();
	load(0, "one", 300);
	ck_assert_int_eq(spoor_disable(), 300);
	ck_assert_int_eq(spoor_is_enabled(), 0);
	ck_assert_int_eq(spoor_disable(), 0);
	load(1, "two", 200);
	ck_assert_uint_eq(hand_module_call(&modules[1], 0), 0);
	ck_assert_int_eq(spoor_enable(), 500);
	ck_assert_int_eq(spoor_is_enabled(), 1);
	end();
}
END_TEST

START_TEST(one_thread_may_lock_the_registry_twice)
{
	ck_assert(!spoor_registry_is_held());
	spoor_registry_lock();
	spoor_registry_lock();
	ck_assert(spoor_registry_is_held());
	spoor_registry_unlock();
	ck_assert(spoor_registry_is_held());
	spoor_registry_unlock();
	ck_assert(!spoor_registry_is_held());
}
END_TEST

static void handler(uint64_t id, int event)
{
	(void)id, (void)event;
}

static void other_handler(uint64_t id, int event)
{
	(void)id, (void)event;
}

START_TEST(the_thunks_of_all_modules_lead_to_the_handler)
{
	begin();
	load(0, "one", 10);
	ck_assert_int_eq(spoor_set_handler(handler, SPOOR_HANDLER_GENERAL_REGISTERS_ONLY), 0);
	load(1, "two", 10);
	for (int i = 0; i < 2; i++)
		ck_assert_ptr_eq(modules[i].dso->slots[SPOOR_THUNK_TAIL], (void *)(uintptr_t)spoor_bare_tail);
	ck_assert_int_eq(spoor_set_handler(NULL, 0), 0);
	for (int i = 0; i < 2; i++)
		ck_assert_ptr_eq(modules[i].dso->slots[SPOOR_THUNK_TAIL], (void *)(uintptr_t)spoor_best_trampoline(spoor_log_tail));
	ck_assert_int_lt(spoor_set_handler(handler, ~0u), 0);
	end();
}
END_TEST

/* The first module's stub has trampolines for handlers. The second one's have another layout of IDs. */
START_TEST(a_handler_without_vector_registers_is_called_from_near_trampolines_of_a_known_layout)
{
	static struct spoor_near near[2] = {
		{ SPOOR_NEAR_LAYOUT, { "bare entry", "bare exit" }, { "saving entry", "saving exit" }, NULL, NULL, NULL },
		{ SPOOR_NEAR_LAYOUT + 1, { "?", "?" }, { "?", "?" }, NULL, NULL, NULL },
	};
	void **slots;

	begin();
	for (int i = 0; i < 2; i++) {
		load(i, i ? "two" : "one", 10);
		modules[i].dso->near = &near[i];
	}
	slots = modules[0].dso->slots;
	ck_assert_int_eq(spoor_set_handler(handler, SPOOR_HANDLER_GENERAL_REGISTERS_ONLY), 0);
	ck_assert_ptr_eq(slots[SPOOR_THUNK_ENTRY], near[0].bare[0]);
	ck_assert_ptr_eq(slots[SPOOR_THUNK_EXIT], near[0].bare[1]);
	ck_assert_ptr_eq(slots[SPOOR_THUNK_TAIL], (void *)(uintptr_t)spoor_bare_tail);
	ck_assert_ptr_eq(slots[SPOOR_SLOT_FRAMED], near[0].bare[0]);
	ck_assert_ptr_eq(near[0].function_ids, spoor_function_ids);
	ck_assert(near[0].bare_handler == handler && !near[0].saving_handler);
	ck_assert_ptr_eq(modules[1].dso->slots[SPOOR_THUNK_ENTRY], (void *)(uintptr_t)spoor_bare_entry);
	ck_assert(!near[1].bare_handler && !near[1].function_ids);
	/* A thread inside a trampoline of the first kind still calls the first handler. */
	ck_assert_int_eq(spoor_set_handler(other_handler, SPOOR_HANDLER_SAVES_REGISTERS), 0);
	ck_assert_ptr_eq(slots[SPOOR_THUNK_ENTRY], near[0].saving[0]);
	ck_assert_ptr_eq(slots[SPOOR_THUNK_EXIT], near[0].saving[1]);
	ck_assert(near[0].bare_handler == handler && near[0].saving_handler == other_handler);
	ck_assert_int_eq(spoor_set_handler(other_handler, SPOOR_HANDLER_GENERAL_REGISTERS_ONLY), 0);
	ck_assert(near[0].bare_handler == other_handler);
	ck_assert_int_eq(spoor_set_handler(NULL, 0), 0);
	ck_assert_ptr_eq(slots[SPOOR_THUNK_ENTRY], (void *)(uintptr_t)spoor_best_trampoline(spoor_log_entry));
	end();
}
END_TEST

UNIT_MAIN("registry", a_module_that_registers_is_patched_and_logs,
	  two_copies_of_one_file_are_one_module_at_two_bases, a_clash_of_hashes_is_two_modules,
	  a_module_that_is_loaded_again_gets_its_base_and_no_other_module_gets_it,
	  a_module_without_a_build_id_is_identified_by_its_function_table,
	  a_struct_of_another_version_or_size_is_not_registered,
	  a_choice_returns_how_many_functions_changed_and_holds_for_later_modules,
	  disabling_and_enabling_all_keeps_the_choice, one_thread_may_lock_the_registry_twice,
	  the_thunks_of_all_modules_lead_to_the_handler,
	  a_handler_without_vector_registers_is_called_from_near_trampolines_of_a_known_layout)
