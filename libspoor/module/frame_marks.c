/* SPDX-License-Identifier: MIT */
/*
 * frame_marks.c - the functions of a module that log their frames.
 *
 * Linkers lay marks out in the order of the text, like the function table, so one
 * walk joins them. Where that does not hold, a function may be missed, or
 * log a frame that is not asked for.
 */
#include "module/frame_marks.h"

#include "base/memory.h"
#include "patch/sled_index.h"

static void set(struct spoor_instance *instance, uint32_t local)
{
	instance->framed[local / 64] |= 1ull << (local % 64);
}

/* Whether @address may be in function @local: its size is not always known. */
static bool is_within(const struct spoor_instance *instance, uint32_t local, uintptr_t address)
{
	uintptr_t begin = spoor_function_address(instance, local);
	uint32_t size = instance->dso->functions_begin[local].size;

	return address >= begin && (!size || address - begin < size);
}

void spoor_framed_find(struct spoor_instance *instance)
{
	const struct spoor_dso *dso = instance->dso;
	uint32_t local = 0, count = instance->count;

	/* Where there is no mark nobody asks for a frame. */
	if (!spoor_dso_has_frames(dso) || dso->marks_begin == dso->marks_end || !count)
		return;
	for (uint32_t i = 0; i < count; i++)
		if (dso->functions_begin[i].position & SPOOR_FUNCTION_LANDING_PADS)
			set(instance, i);
	for (const int32_t *mark = dso->marks_begin; mark < dso->marks_end; mark++) {
		uintptr_t address = (uintptr_t)mark + (uintptr_t)(intptr_t)*mark;

		while (local + 1 < count && spoor_function_address(instance, local + 1) <= address)
			local++;
		if (is_within(instance, local, address))
			set(instance, local);
	}
}
