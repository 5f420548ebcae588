/* SPDX-License-Identifier: MIT */
/*
 * library_signatures.c - finds the descriptions of functions of a library whose calls are recorded.
 *
 * A wrapper passes its arguments on, so it has the places of the function's. The tables come first, because they have names.
 */
#include "capture/library_signatures.h"

#include <string.h>

#include "base/memory.h"
#include "capture/signature_file.h"

/* The local ID of the library's function that a wrapper calls; UINT32_MAX: of another library. */
static uint32_t callee_of(const struct spoor_sleds *sleds, uint32_t wrapper, const struct spoor_instance *library)
{
	uint32_t local = spoor_sleds_index_of(sleds, wrapper) - library->base;

	return spoor_sleds_bit(sleds->aliased, wrapper) && local < library->count ? local : UINT32_MAX;
}

/* Finds the wrappers whose descriptions are needed. Returns whether there are any. */
static bool find_wrappers(const struct spoor_library_signatures *signatures, const struct spoor_instance *caller,
			  const uint64_t *wanted, uint64_t *wrappers)
{
	const struct spoor_sleds *sleds = spoor_sleds_at(caller->position);
	struct spoor_library_function function;
	bool any = false;

	for (uint32_t i = 0; i < caller->count; i++) {
		uint32_t local = callee_of(sleds, i, signatures->library);

		if (local == UINT32_MAX || !spoor_sleds_bit(wanted, local) || signatures->wrappers[local][0] ||
		    !signatures->library->describe(signatures->library, local, &function) || function.bytes)
			continue;
		wrappers[i / 64] |= 1ull << (i % 64);
		any = true;
	}
	return any;
}

static void read_wrappers(struct spoor_library_signatures *signatures, const struct spoor_instance *caller,
			  const uint64_t *wrappers)
{
	const struct spoor_sleds *sleds = spoor_sleds_at(caller->position);
	struct spoor_signature_file file;

	if (spoor_signature_file_open(&file, caller, wrappers) < 0)
		return;
	for (uint32_t i = 0; i < caller->count; i++) {
		size_t length;
		const uint8_t *signature = spoor_sleds_bit(wrappers, i) ? spoor_signature_file_find(&file, i, &length) : NULL;
		uint8_t *copy = signature ? signatures->wrappers[callee_of(sleds, i, signatures->library)] : NULL;

		if (!copy)
			continue;
		copy[0] = (uint8_t)length;
		memcpy(copy + 1, signature, length);
	}
	spoor_signature_file_close(&file);
}

void spoor_library_signatures_open(struct spoor_library_signatures *signatures, struct spoor_instance *library,
				   const uint64_t *wanted)
{
	*signatures = (struct spoor_library_signatures){ .library = library, .bytes = library->count * sizeof(*signatures->wrappers) };
	signatures->wrappers = library->has_slots ? spoor_memory_map(signatures->bytes) : NULL;
	for (uint32_t i = 0; signatures->wrappers && i < spoor_registry_count(); i++) {
		const struct spoor_instance *caller = spoor_registry_at(i);
		const struct spoor_sleds *sleds = spoor_instance_sleds(caller);
		size_t bytes = spoor_instance_words(caller) * sizeof(uint64_t);
		uint64_t *wrappers = sleds && sleds->aliased ? spoor_memory_map(bytes) : NULL;

		if (wrappers && find_wrappers(signatures, caller, wanted, wrappers))
			read_wrappers(signatures, caller, wrappers);
		spoor_memory_unmap(wrappers, bytes);
	}
}

void spoor_library_signatures_find(const struct spoor_library_signatures *signatures, uint32_t local,
				   struct spoor_library_function *function)
{
	signatures->library->describe(signatures->library, local, function);
	if (function->bytes || !signatures->wrappers)
		return;
	function->bytes = signatures->wrappers[local][0];
	memcpy(function->signature, signatures->wrappers[local] + 1, function->bytes);
}

void spoor_library_signatures_close(struct spoor_library_signatures *signatures)
{
	spoor_memory_unmap(signatures->wrappers, signatures->bytes);
}
