/* SPDX-License-Identifier: MIT */
/* registry_apply.c - applies choices to sleds, and points slots at trampolines. */
#include "module/registry_apply.h"

#include <string.h>

#include "base/large.h"
#include "base/warning.h"
#include "event/event_path.h"
#include "event/processor.h"
#include "event/result_addresses.h"
#include "module/choice.h"
#include "module/hooked_modules.h"
#include "module/mixed_modules.h"
#include "module/module_bits.h"
#include "module/near_trampolines.h"
#include "module/observer.h"
#include "module/rules.h"
#include "patch/patch.h"
#include "patch/text_pages.h"

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

static void set_slot_to(const struct spoor_instance *instance, int slot, const void *trampoline)
{
	const void *best = spoor_near_trampolines_find(instance->dso, spoor_best_trampoline(trampoline));

	__atomic_store_n(&instance->dso->slots[slot], (void *)(uintptr_t)best, __ATOMIC_RELEASE);
}

static void set_slot(const struct spoor_instance *instance, int slot, const void *trampoline)
{
	set_slot_to(instance, slot, spoor_mixed_modules_find(instance, trampoline));
}

/* The stubs of library calls have no tail calls: they use the slot for exits without a result. */
static void set_tail_slot(const struct spoor_instance *instance)
{
	set_slot_to(instance, SPOOR_THUNK_TAIL, trampolines[instance->switch_functions ? SPOOR_THUNK_EXIT : SPOOR_THUNK_TAIL]);
}

/* No sled leads to the slot for unwinding: the slot is set while any sled of the module is patched. */
static void set_unwound_slot(const struct spoor_instance *instance)
{
	const struct spoor_sleds *sleds = spoor_sleds_at(instance->position);
	bool is_awake = sleds && sleds->enabled;

	if (spoor_dso_has_frames(instance->dso))
		set_slot(instance, SPOOR_SLOT_UNWOUND,
			 is_awake ? trampolines[SPOOR_SLOT_UNWOUND] : spoor_no_unwind);
}

static void set_entry_slots(struct spoor_instance *instance)
{
	const void *entry = trampolines[SPOOR_THUNK_ENTRY];

	if (instance->hooked && entry == (const void *)spoor_order_entry)
		entry = spoor_order_hooked;
	set_slot(instance, SPOOR_THUNK_ENTRY, entry);
	if (spoor_dso_has_frames(instance->dso))
		set_slot(instance, SPOOR_SLOT_FRAMED, trampolines[SPOOR_SLOT_FRAMED]);
}

/* When logging begins, the entry slots are set last, so that each call with a logged entry also logs its exit.
 * When it ends, they are set first. */
void spoor_instance_set_slots(struct spoor_instance *instance)
{
	bool logs = trampolines[SPOOR_THUNK_ENTRY] == (const void *)spoor_log_entry;

	if (!logs)
		set_entry_slots(instance);
	/* Tail before exit: a function that ends in a tail call ends after its callees. */
	set_tail_slot(instance);
	set_slot(instance, SPOOR_THUNK_EXIT, trampolines[SPOOR_THUNK_EXIT]);
	set_unwound_slot(instance);
	if (logs)
		set_entry_slots(instance);
}

void spoor_registry_set_trampolines(const void *entry, const void *exit, const void *tail)
{
	spoor_result_addresses_forget();
	trampolines[SPOOR_THUNK_ENTRY] = entry;
	trampolines[SPOOR_THUNK_EXIT] = exit;
	trampolines[SPOOR_THUNK_TAIL] = tail;
	/* Handlers receive entries and exits only. */
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

static bool can_patch(void)
{
	static bool warned;
	bool is_allowed = spoor_patch_is_allowed();

	if (!is_allowed && !warned) {
		warned = true;
		spoor_warning("the system does not allow this process to change its text; the program runs untraced");
	}
	return is_allowed;
}

/* Warns that the text could not be made writable: no sled of the module has changed. */
static void warn_unwritable(const struct spoor_instance *instance, struct spoor_sleds *sleds, int error)
{
	static struct spoor_module_bits warned SPOOR_LARGE;

	if (!spoor_module_bit(&warned, instance->position))
		spoor_warning("%s stays %s: cannot make its text writable: %s", instance->path,
			      sleds->enabled ? "traced as it is" : "untraced", strerror(error));
	spoor_module_bit_set(&warned, instance->position);
	if (!sleds->enabled)
		sleds->skipped_sleds.out_of_reach = sleds->first_sled[instance->count];
}

/* Wakes the functions in @target, and makes the others dormant. Returns how many changed. */
static long change_functions(struct spoor_instance *instance, struct spoor_sleds *sleds, const uint64_t *target)
{
	bool once = trampolines[SPOOR_THUNK_ENTRY] == (const void *)spoor_order_entry;
	long changed = 0;

	if (sleds->first_sled[instance->count] != 0)
		changed = spoor_patch_apply(sleds, target, once);
	else if (instance->switch_functions)
		changed = instance->switch_functions(instance, target);
	else if (instance->hooked)
		changed = spoor_hooked_apply(sleds, target);
	if (changed < 0) {
		warn_unwritable(instance, sleds, (int)-changed);
		return 0;
	}
	return changed;
}

/* Counts the functions that are patched now. */
static void count_enabled(struct spoor_sleds *sleds)
{
	uint32_t enabled = 0, counted = 0;

	for (size_t i = 0; i < spoor_sleds_words(sleds); i++) {
		uint64_t patched = sleds->awake.patched[i];

		enabled += (uint32_t)__builtin_popcountll(patched);
		/* A wrapper counts as its library's function. */
		counted += (uint32_t)__builtin_popcountll(sleds->aliased ? patched & ~sleds->aliased[i] : patched);
	}
	__atomic_fetch_add(&patched_functions, (uint64_t)counted - sleds->counted, __ATOMIC_RELAXED);
	sleds->enabled = enabled;
	sleds->counted = counted;
}

/* Modules of which functions have been awake. */
static struct spoor_module_bits woken SPOOR_LARGE;

/* Makes the sleds agree with the wanted functions. The module has an index. */
static long instance_apply(struct spoor_instance *instance)
{
	struct spoor_sleds *sleds = spoor_sleds_at(instance->position);
	const uint64_t *target = spoor_observers_allowed(instance, switched_on ? sleds->wanted : NULL);
	bool any = false, any_wakes = false;
	long changed;

	for (uint32_t i = 0; target && i < spoor_instance_words(instance); i++) {
		any |= target[i] != 0;
		any_wakes |= (target[i] & ~sleds->awake.patched[i]) != 0;
	}
	if (any && sleds->first_sled[instance->count] != 0 && !can_patch())
		return 0;
	if (any && spoor_observers_waking(instance, target) < 0)
		return 0;
	if (any_wakes && spoor_module_bit(&woken, instance->position))
		spoor_result_addresses_forget();
	if (any_wakes)
		spoor_module_bit_set(&woken, instance->position);
	changed = change_functions(instance, sleds, target);
	count_enabled(sleds);
	set_unwound_slot(instance);
	spoor_observers_changed(instance);
	return changed;
}

int spoor_instance_index(struct spoor_instance *instance)
{
	struct spoor_functions functions = spoor_instance_functions(instance);
	int error;

	if (spoor_sleds_at(instance->position))
		return 0;
	error = spoor_sleds_index(instance->position, &functions);
	if (error == 0 && instance->hooked && !instance->switch_functions)
		spoor_hooked_choose(instance);
	return error;
}

/* Tells if the module has an index, so that functions can be chosen. */
static bool has_index(struct spoor_instance *instance)
{
	int error = spoor_instance_index(instance);
	static bool warned;

	if (error < 0 && !warned) {
		warned = true;
		spoor_warning("%.500s with %zu sleds stays untraced, and other modules may as well: %s", instance->path,
			      (size_t)(instance->dso->sleds_end - instance->dso->sleds_begin), strerror(-error));
	}
	return error >= 0;
}

/* Modules that were adopted dormant: no choice so far has been applied to them. */
static struct spoor_module_bits held SPOOR_LARGE;
static uint32_t held_count;

static bool release_held(struct spoor_instance *instance)
{
	if (!spoor_module_bit(&held, instance->position))
		return false;
	__atomic_fetch_sub(&held_count, 1, __ATOMIC_RELAXED);
	spoor_module_bit_clear(&held, instance->position);
	return true;
}

void spoor_instance_hold(struct spoor_instance *instance)
{
	if (!spoor_module_bit(&held, instance->position))
		__atomic_fetch_add(&held_count, 1, __ATOMIC_RELAXED);
	spoor_module_bit_set(&held, instance->position);
}

bool spoor_instance_is_held(const struct spoor_instance *instance)
{
	return spoor_module_bit(&held, instance->position);
}

bool spoor_registry_holds(void)
{
	return __atomic_load_n(&held_count, __ATOMIC_RELAXED) != 0;
}

void spoor_registry_release(void)
{
	for (uint32_t i = 0; held_count && i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);

		if (release_held(instance) && instance->dso && spoor_rules_concern(instance) && has_index(instance))
			spoor_rules_follow(instance);
	}
}

void spoor_instance_begin(struct spoor_instance *instance)
{
	release_held(instance);
	if (!spoor_rules_concern(instance) || !has_index(instance))
		return;
	spoor_rules_follow(instance);
	instance_apply(instance);
}

void spoor_instance_end(struct spoor_instance *instance)
{
	struct spoor_sleds *sleds = spoor_sleds_at(instance->position);

	release_held(instance);
	if (!sleds)
		return;
	__atomic_fetch_sub(&patched_functions, sleds->counted, __ATOMIC_RELAXED);
	sleds->enabled = sleds->counted = 0;
}

static long instance_choose(struct spoor_instance *instance, enum spoor_choice choice)
{
	long changed;

	spoor_observers_choosing(instance, choice);
	changed = instance_apply(instance);
	spoor_observers_chosen(instance, choice);
	return changed;
}

long spoor_registry_choose(enum spoor_choice choice, const char *modules, const char *functions)
{
	const struct spoor_rule rule = { choice, modules, functions };
	static bool warned;
	long changed = 0;

	if (spoor_rules_add(&rule) < 0 && !warned) {
		spoor_warning("too many changes of the chosen functions: modules that are loaded later ignore '%.200s' "
			      "and later changes",
			      functions);
		warned = true;
	}
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);

		if (!instance->dso || !spoor_rule_concerns(&rule, instance) || !has_index(instance))
			continue;
		if (spoor_rule_follow(&rule, instance) > 0)
			changed += instance_choose(instance, choice);
	}
	spoor_observers_all_changed(true);
	return changed;
}

void spoor_registry_choose_as(const struct spoor_rule *rule)
{
	if (rule) {
		spoor_rules_save();
		spoor_choice_note_anew();
	} else {
		spoor_rules_take_back();
		spoor_choice_note_on();
	}
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);
		struct spoor_sleds *sleds = spoor_instance_sleds(instance);

		if (sleds)
			memset(sleds->wanted, 0, spoor_sleds_words(sleds) * sizeof(*sleds->wanted));
		if (rule)
			spoor_choice_forget(instance);
		else if (sleds)
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
	spoor_observers_all_changed(on);
	return changed;
}

void spoor_registry_apply(void)
{
	spoor_registry_switch(switched_on);
}

long spoor_registry_apply_to(struct spoor_instance *instance)
{
	return spoor_instance_sleds(instance) ? instance_apply(instance) : 0;
}

void spoor_registry_follow(struct spoor_instance *instance)
{
	struct spoor_sleds *sleds = spoor_instance_sleds(instance);

	if (!sleds || spoor_instance_is_held(instance))
		return;
	memset(sleds->wanted, 0, spoor_sleds_words(sleds) * sizeof(*sleds->wanted));
	spoor_rules_follow(instance);
	instance_apply(instance);
}
