/* SPDX-License-Identifier: MIT */
/* registry_apply.c - choices become sleds that are awake, and slots that lead somewhere. */
#include "module/registry_apply.h"

#include <string.h>

#include "trace/status_page.h"
#include "module/choice.h"
#include "base/time_source.h"
#include "module/disabled_functions.h"
#include "event/event_path.h"
#include "module/order_modules.h"
#include "handler/handler_library.h"
#include "module/hooked_modules.h"
#include "base/memory.h"
#include "base/warning.h"
#include "mode/mode.h"
#include "module/near_trampolines.h"
#include "handler/xray_in_use.h"
#include "mode/first_uses.h"
#include "patch/patch.h"
#include "patch/text_pages.h"
#include "base/processor.h"
#include "module/rules.h"
#include "patch/sled_index.h"
#include "trace/trace.h"
#include "mode/trigger.h"

static bool switched_on = true;
static const void *trampolines[SPOOR_SLOT_COUNT] = {
	spoor_log_entry, spoor_log_exit, spoor_log_tail, spoor_log_framed, spoor_log_unwind,
};
static uint64_t patched_functions;

bool spoor_registry_is_on(void)
{
	return __atomic_load_n(&switched_on, __ATOMIC_RELAXED);
}

uint64_t spoor_registry_patched(void)
{
	return __atomic_load_n(&patched_functions, __ATOMIC_RELAXED);
}

static void set_slot(struct spoor_dso *dso, int slot, const void *trampoline)
{
	const void *best = spoor_near_trampoline(dso, spoor_best_trampoline(trampoline));

	__atomic_store_n(&dso->slots[slot], (void *)(uintptr_t)best, __ATOMIC_RELEASE);
}

/* No sled leads to the slot for what was unwound: it is set while any is patched. */
static void set_unwound_slot(struct spoor_instance *instance)
{
	if (spoor_dso_has_frames(instance->dso))
		set_slot(instance->dso, SPOOR_SLOT_UNWOUND,
			 instance->awake ? trampolines[SPOOR_SLOT_UNWOUND] : spoor_no_unwind);
}

static void set_entry_slots(struct spoor_instance *instance)
{
	const void *entry = trampolines[SPOOR_THUNK_ENTRY];

	if (instance->hooked && entry == (const void *)spoor_order_entry)
		entry = spoor_order_hooked;
	set_slot(instance->dso, SPOOR_THUNK_ENTRY, entry);
	if (spoor_dso_has_frames(instance->dso))
		set_slot(instance->dso, SPOOR_SLOT_FRAMED, trampolines[SPOOR_SLOT_FRAMED]);
}

/* Where logging begins a call whose entry is logged needs its exit: entries come last. */
void spoor_instance_set_slots(struct spoor_instance *instance)
{
	bool logs = trampolines[SPOOR_THUNK_ENTRY] == (const void *)spoor_log_entry;

	if (!logs)
		set_entry_slots(instance);
	/* What calls and jumps away ends after what it has called. */
	set_slot(instance->dso, SPOOR_THUNK_TAIL, trampolines[SPOOR_THUNK_TAIL]);
	set_slot(instance->dso, SPOOR_THUNK_EXIT, trampolines[SPOOR_THUNK_EXIT]);
	set_unwound_slot(instance);
	if (logs)
		set_entry_slots(instance);
}

void spoor_registry_set_trampolines(const void *entry, const void *exit, const void *tail)
{
	trampolines[SPOOR_THUNK_ENTRY] = entry;
	trampolines[SPOOR_THUNK_EXIT] = exit;
	trampolines[SPOOR_THUNK_TAIL] = tail;
	/* Handlers are told of entries and exits alone. */
	trampolines[SPOOR_SLOT_FRAMED] = entry == spoor_log_entry ? (const void *)spoor_log_framed : entry;
	trampolines[SPOOR_SLOT_UNWOUND] = entry == spoor_log_entry ? spoor_log_unwind : spoor_no_unwind;
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		if (spoor_registry_at(i)->dso)
			spoor_instance_set_slots(spoor_registry_at(i));
	}
}

bool spoor_registry_logs(void)
{
	return switched_on && trampolines[SPOOR_THUNK_ENTRY] == (const void *)spoor_log_entry;
}

/* Makes the sleds agree with what is wanted. */
static long instance_apply(struct spoor_instance *instance)
{
	const uint64_t *target = spoor_handler_library_target(instance, switched_on ? instance->wanted : NULL);
	bool traced = !spoor_handler_library_is_used() && !spoor_objects_are_used();
	bool has_sleds = instance->first_sled[instance->count] != 0;
	struct spoor_left_alone told = instance->left_alone;
	uint64_t before = 0, after = 0;
	bool any = false, first;
	long changed;

	for (uint32_t i = 0; i < (instance->count + 63) / 64; i++) {
		any |= target && target[i];
		before += (uint64_t)__builtin_popcountll(instance->patched[i]);
	}
	if (any && has_sleds && !spoor_patch_is_allowed()) {
		static bool told;

		if (!told)
			spoor_message("no text can be made writable in this process; nothing is traced");
		told = true;
		return 0;
	}
	if (any && traced && spoor_trace_begin() < 0)
		return 0;
	if (any && traced && (changed = spoor_mode_cover(spoor_mode_now(), instance)) < 0) {
		spoor_message("%s stays untraced: there is no room for what is noted of its functions: %s", instance->path,
			      strerror((int)-changed));
		return 0;
	}
	if (any)
		spoor_objects_number(instance);
	first = !instance->recorded;
	if (any && traced && first) {
		spoor_trace_module(instance);
		spoor_trigger_module(instance);
		instance->recorded = true;
	}
	if (any && traced)
		spoor_trigger_chosen(instance, target);
	instance->once = trampolines[SPOOR_THUNK_ENTRY] == (const void *)spoor_order_entry;
	changed = has_sleds ? spoor_patch_apply(instance, target) :
		  instance->hooked ? spoor_hooked_apply(instance, target) : 0;
	if (changed < 0) {
		if (!instance->refused)
			spoor_message("%s stays %s: its text cannot be made writable: %s", instance->path,
				      before ? "as it is, traced" : "untraced", strerror((int)-changed));
		instance->refused = true;
		if (!before)
			instance->left_alone.out_of_reach = instance->first_sled[instance->count];
		changed = 0;
	}
	/* Not each time that a program switches its functions on and off. */
	if (any && (first || memcmp(&told, &instance->left_alone, sizeof(told)) != 0))
		spoor_trace_left_alone(instance);
	for (uint32_t i = 0; i < (instance->count + 63) / 64; i++)
		after += (uint64_t)__builtin_popcountll(instance->patched[i]);
	__atomic_fetch_add(&patched_functions, after - before, __ATOMIC_RELAXED);
	instance->awake = after != 0;
	instance->enabled = (uint32_t)after;
	set_unwound_slot(instance);
	spoor_board_module(instance);
	return changed;
}

/* Whether the module's functions can be chosen from. */
static bool has_index(struct spoor_instance *instance)
{
	int error = spoor_sled_index_build(instance);
	static bool told;

	if (error < 0 && !told) {
		told = true;
		spoor_message("%.500s, with %zu sleds, and perhaps others stay untraced: %s", instance->path,
			      (size_t)(instance->dso->sleds_end - instance->dso->sleds_begin), strerror(-error));
	}
	return error >= 0;
}

void spoor_instance_begin(struct spoor_instance *instance)
{
	if (!spoor_rules_concern(instance) || !has_index(instance))
		return;
	spoor_rules_follow(instance);
	instance_apply(instance);
}

void spoor_instance_end(struct spoor_instance *instance)
{
	for (uint32_t i = 0; instance->patched && i < (instance->count + 63) / 64; i++)
		__atomic_fetch_sub(&patched_functions, (uint64_t)__builtin_popcountll(instance->patched[i]),
				   __ATOMIC_RELAXED);
	instance->enabled = 0;
}

static size_t bitmap_bytes(const struct spoor_instance *instance)
{
	return (instance->count + 63) / 64 * sizeof(uint64_t);
}

/* Makes the sleds agree, and has the trace know which functions have no exits from now on. Without memory for that
 * calls that are open last, there, until one around them returns. */
static long instance_disable(struct spoor_instance *instance)
{
	bool tells = instance->recorded && instance->awake && spoor_registry_logs();
	uint64_t *patched = tells ? spoor_memory_map(bitmap_bytes(instance)) : NULL, asked = spoor_counter();
	long changed;

	if (patched)
		memcpy(patched, instance->patched, bitmap_bytes(instance));
	changed = instance_apply(instance);
	if (patched)
		spoor_disabled_tell(instance, patched, asked);
	spoor_memory_unmap(patched, bitmap_bytes(instance));
	return changed;
}

static long instance_enable(struct spoor_instance *instance)
{
	if (instance->recorded && spoor_registry_logs())
		spoor_disabled_waking(instance);
	return instance_apply(instance);
}

long spoor_registry_choose(enum spoor_choice choice, const char *modules, const char *functions)
{
	const struct spoor_rule rule = { choice, modules, functions };
	static bool told;
	long changed = 0;

	if (spoor_rules_add(&rule) < 0 && !told) {
		spoor_message("too many choices of functions: modules loaded later do not follow '%.200s' and others",
			      functions);
		told = true;
	}
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);

		if (!instance->dso || !spoor_choice_module(instance, modules) || !has_index(instance))
			continue;
		if (spoor_rule_follow(&rule, instance) > 0)
			changed += choice == SPOOR_CHOICE_DISABLE ? instance_disable(instance) : instance_enable(instance);
	}
	spoor_first_runs_add_all();
	return changed;
}

void spoor_registry_choose_as(const struct spoor_rule *rule)
{
	if (rule) {
		spoor_rules_set_aside();
		spoor_choice_note_anew();
	} else {
		spoor_rules_take_back();
		spoor_choice_note_on();
	}
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);

		if (instance->dso && instance->wanted)
			memset(instance->wanted, 0, bitmap_bytes(instance));
		if (rule)
			spoor_choice_forget(instance);
		if (instance->dso && !rule && instance->wanted)
			spoor_rules_follow(instance);
	}
	if (rule)
		spoor_registry_choose(rule->choice, rule->modules, rule->functions);
}

long spoor_registry_switch(bool on)
{
	long changed = 0;

	__atomic_store_n(&switched_on, on, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		changed += spoor_registry_apply_to(spoor_registry_at(i));
	}
	if (on)
		spoor_first_runs_add_all();
	spoor_board_mode();
	return changed;
}

void spoor_registry_apply(void)
{
	spoor_registry_switch(switched_on);
}

long spoor_registry_apply_to(struct spoor_instance *instance)
{
	return instance->dso && instance->wanted ? instance_apply(instance) : 0;
}
