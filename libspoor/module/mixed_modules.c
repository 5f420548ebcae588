/* SPDX-License-Identifier: MIT */
/* mixed_modules.c - keeps which modules have captured functions, and finds their trampolines. */
#include "module/mixed_modules.h"

#include "base/large.h"
#include "event/capture_path.h"
#include "module/module_bits.h"

static struct spoor_module_bits mixed SPOOR_LARGE;

bool spoor_mixed_modules_add(const struct spoor_instance *instance)
{
	if (spoor_module_bit(&mixed, instance->position))
		return false;
	spoor_module_bit_set(&mixed, instance->position);
	return true;
}

bool spoor_mixed_modules_has(const struct spoor_instance *instance)
{
	return spoor_module_bit(&mixed, instance->position);
}

const void *spoor_mixed_modules_find(const struct spoor_instance *instance, const void *trampoline)
{
	static const char *const pairs[][2] = {
		{ spoor_log_entry, spoor_mixed_entry },
		{ spoor_log_exit, spoor_mixed_exit },
		{ spoor_log_framed, spoor_mixed_framed },
	};

	if (!spoor_mixed_modules_has(instance))
		return trampoline;
	if (instance->switch_functions && trampoline == (const void *)spoor_log_entry)
		return spoor_mixed_library_entry;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (trampoline == (const void *)pairs[i][0])
			return pairs[i][1];
	return trampoline;
}
