/* SPDX-License-Identifier: MIT */
#include "near.h"

#include "event_path.h"
#include "registry.h"

static struct spoor_near *near_of(const struct spoor_dso *dso)
{
	return spoor_dso_has_near(dso) && dso->near->layout == SPOOR_NEAR_LAYOUT ? dso->near : NULL;
}

static void tell(struct spoor_near *near)
{
	near->function_ids = spoor_function_ids;
	__atomic_store_n(&near->bare_handler, spoor_bare_handler, __ATOMIC_RELEASE);
	__atomic_store_n(&near->saving_handler, spoor_saving_handler, __ATOMIC_RELEASE);
}

const void *spoor_near_trampoline(const struct spoor_dso *dso, const void *trampoline)
{
	struct spoor_near *near = near_of(dso);
	const struct {
		const void *far, *near;
	} pairs[] = {
		{ spoor_bare_entry, near ? near->bare[0] : NULL },
		{ spoor_bare_exit, near ? near->bare[1] : NULL },
		{ spoor_saving_entry, near ? near->saving[0] : NULL },
		{ spoor_saving_exit, near ? near->saving[1] : NULL },
	};

	for (size_t i = 0; near && i < sizeof(pairs) / sizeof(*pairs); i++) {
		if (trampoline == pairs[i].far) {
			tell(near);
			return pairs[i].near;
		}
	}
	return trampoline;
}

void spoor_near_update(void)
{
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		const struct spoor_instance *instance = spoor_registry_at(i);
		struct spoor_near *near = instance->dso ? near_of(instance->dso) : NULL;

		if (near)
			tell(near);
	}
}
