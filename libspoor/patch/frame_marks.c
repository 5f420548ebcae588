/* SPDX-License-Identifier: MIT */
/*
 * frame_marks.c - finds the functions of a module that log their frames.
 *
 * Linkers place marks in the order of the text, like the function table, so one pass over both finds the
 * function of each mark. If a linker uses another order, a function may be missed, or may log a frame
 * that is not needed.
 */
#include "patch/frame_marks.h"

#include "base/memory.h"
#include "patch/sled_index.h"

static void set(struct spoor_sleds *sleds, uint32_t local)
{
	sleds->framed[local / 64] |= 1ull << (local % 64);
}

/* Tells if @address may be in function @local, whose size may be unknown. */
static bool is_within(const struct spoor_sleds *sleds, uint32_t local, uintptr_t address)
{
	uintptr_t begin = spoor_function_address(&sleds->functions, local);
	uint32_t size = sleds->functions.dso->functions_begin[local].size;

	return address >= begin && (!size || address - begin < size);
}

void spoor_frame_marks_find(struct spoor_sleds *sleds)
{
	const struct spoor_dso *dso = sleds->functions.dso;
	uint32_t local = 0, count = sleds->functions.count;

	/* Without marks no unwind needs a frame. */
	if (!spoor_dso_has_frames(dso) || dso->marks_begin == dso->marks_end || !count)
		return;
	for (uint32_t i = 0; i < count; i++)
		if (dso->functions_begin[i].position & SPOOR_FUNCTION_LANDING_PADS)
			set(sleds, i);
	for (const int32_t *mark = dso->marks_begin; mark < dso->marks_end; mark++) {
		uintptr_t address = (uintptr_t)mark + (uintptr_t)(intptr_t)*mark;

		while (local + 1 < count && spoor_function_address(&sleds->functions, local + 1) <= address)
			local++;
		if (is_within(sleds, local, address))
			set(sleds, local);
	}
}
