/* SPDX-License-Identifier: MIT */
/* near_trampolines.c - points the slots of a module at its copies of handler trampolines. */
#include "module/near_trampolines.h"

#include "event/event_path.h"
#include "module/registry.h"

static struct spoor_near *near_of(const struct spoor_dso *dso)
{
	return spoor_dso_has_near(dso) && dso->near->layout == SPOOR_NEAR_LAYOUT ? dso->near : NULL;
}

static void update_handlers(struct spoor_near *near)
{
	near->function_ids = spoor_function_ids;
	__atomic_store_n(&near->bare_handler, spoor_bare_handler, __ATOMIC_RELEASE);
	__atomic_store_n(&near->saving_handler, spoor_saving_handler, __ATOMIC_RELEASE);
}

const void *spoor_near_trampolines_find(const struct spoor_dso *dso, const void *trampoline)
{
	static const char *const far[] = { spoor_bare_entry, spoor_bare_exit, spoor_saving_entry, spoor_saving_exit };
	struct spoor_near *near = near_of(dso);

	for (int i = 0; near && i < 4; i++) {
		if (trampoline == far[i]) {
			update_handlers(near);
			return (i < 2 ? near->bare : near->saving)[i % 2];
		}
	}
	return trampoline;
}

void spoor_near_trampolines_update(void)
{
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		const struct spoor_instance *instance = spoor_registry_at(i);
		struct spoor_near *near = instance->dso ? near_of(instance->dso) : NULL;

		if (near)
			update_handlers(near);
	}
}
