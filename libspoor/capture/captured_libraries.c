/* SPDX-License-Identifier: MIT */
/* captured_libraries.c - keeps which functions of libraries have been decided about. */
#include "capture/captured_libraries.h"

#include <string.h>

#include "base/large.h"
#include "base/permanent.h"
#include "event/capture_path.h"
#include "module/module_bits.h"

/* Of one library. Two bitmaps by local ID: the functions that have been decided about, and the result. */
struct decided {
	struct decided *next;
	const struct spoor_instance *library;
	uint64_t bits[];
};

static struct decided *all;
static struct spoor_module_bits changed SPOOR_LARGE;

static struct decided *find_or_make(const struct spoor_instance *library)
{
	struct decided *decided = all;

	while (decided && decided->library != library)
		decided = decided->next;
	if (decided)
		return decided;
	decided = spoor_permanent_alloc(sizeof(*decided) + 2 * spoor_instance_words(library) * sizeof(uint64_t));
	if (!decided)
		return NULL;
	decided->library = library;
	decided->next = all;
	all = decided;
	return decided;
}

const uint64_t *spoor_captured_library_new_calls(struct spoor_instance *library)
{
	struct decided *decided = find_or_make(library);
	uint32_t words = spoor_instance_words(library);
	struct spoor_library_function function;
	uint64_t *result = decided ? decided->bits + words : NULL;
	bool any = false;

	if (!decided)
		return NULL;
	memset(result, 0, words * sizeof(*result));
	for (uint32_t local = 0; local < library->count; local++) {
		uint64_t bit = 1ull << (local % 64);

		if (decided->bits[local / 64] & bit || !library->describe(library, local, &function))
			continue;
		decided->bits[local / 64] |= bit;
		result[local / 64] |= bit;
		any = true;
	}
	return any ? result : NULL;
}

bool spoor_captured_library_is_called(const struct spoor_instance *caller)
{
	const struct spoor_sleds *sleds = spoor_instance_sleds(caller);

	for (uint32_t i = 0; sleds && sleds->aliased && i < caller->count; i++)
		if (spoor_sleds_bit(sleds->aliased, i) && spoor_action_of(spoor_sleds_index_of(sleds, i)))
			return true;
	return false;
}

void spoor_captured_library_changed(const struct spoor_instance *library)
{
	spoor_module_bit_set(&changed, library->position);
}

bool spoor_captured_library_take_change(const struct spoor_instance *library)
{
	bool has_changed = spoor_module_bit(&changed, library->position);

	spoor_module_bit_clear(&changed, library->position);
	return has_changed;
}

void spoor_captured_libraries_renew(void)
{
	for (struct decided *decided = all; decided; decided = decided->next)
		memset(decided->bits, 0, spoor_instance_words(decided->library) * sizeof(uint64_t));
}
