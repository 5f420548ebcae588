/* SPDX-License-Identifier: MIT */
/* order_modules.c - starts reporting first runs of modules that were compiled for order mode. */
#include "mode/order_modules.h"

#include <string.h>

#include "event/event_path.h"
#include "mode/mode.h"
#include "module/hooked_modules.h"

void spoor_order_modules_add(struct spoor_dso *dso)
{
	if (!spoor_dso_has_seen(dso) || spoor_mode_now() != SPOOR_MODE_ORDER)
		return;
	__atomic_store_n(&dso->first_runs, spoor_hooked_find((uintptr_t)dso, NULL), __ATOMIC_RELEASE);
	__atomic_store_n(&dso->slots[SPOOR_SLOT_FIRST], (void *)(uintptr_t)spoor_first_entry, __ATOMIC_RELEASE);
	/* A thread that finds a cleared byte uses that slot. Pairs with the fence in the thunk. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memset(dso->seen_begin, 0, (size_t)(dso->seen_end - dso->seen_begin));
}

static void add_all_modules(bool is_on)
{
	for (uint32_t i = 0; is_on && i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);

		if (instance->dso && !instance->hooked)
			spoor_order_modules_add(instance->dso);
	}
}

const struct spoor_module_observer spoor_order_observer = {
	.registered = spoor_order_modules_add,
	.all_changed = add_all_modules,
};
