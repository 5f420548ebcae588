/* SPDX-License-Identifier: MIT */
/*
 * adoption.c - finds, by their ELF notes, the stubs of modules that were loaded before
 * libspoor.so or whose constructors have not run.
 *
 * A module that is being closed leaves SPOOR_DSO_GONE in the field that its destructor reads.
 * One atomic exchange decides: either the module is not adopted, or its destructor calls us.
 */
#define _GNU_SOURCE
#include "module/adoption.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "elf/elf_note.h"
#include "format/registration.h"
#include "elf/loaded_object.h"
#include "module/observer.h"

/* Returns the registration that spoor's note points to, or null if the segment has no such note. */
static struct spoor_dso *stub_of(const struct dl_phdr_info *object, const char *at, uint64_t bytes, uint64_t align)
{
	int64_t offset;
	const char *content = spoor_note_find(at, bytes, align, SPOOR_NOTE_DSO, sizeof(offset));

	if (!content)
		return NULL;
	memcpy(&offset, content, sizeof(offset));
	content += offset;
	return spoor_object_holds(object, (uint64_t)content, SPOOR_DSO_SIZE_MIN) ? (struct spoor_dso *)(uintptr_t)content : NULL;
}

static bool holds(const struct dl_phdr_info *object, const void *begin, const void *end)
{
	return end >= begin && spoor_object_holds(object, (uint64_t)begin, (uint64_t)((const char *)end - (const char *)begin));
}

/* An empty array may be at null: a module that was compiled for call or order mode has no sleds. */
static bool holds_array(const struct dl_phdr_info *object, const void *begin, const void *end)
{
	return begin == end || holds(object, begin, end);
}

/* Returns whether the dynamic loader has relocated the registration. Another thread may be loading the module now. */
static bool is_ready(const struct dl_phdr_info *object, const struct spoor_dso *dso)
{
	bool ready = holds_array(object, dso->sleds_begin, dso->sleds_end) &&
		     holds_array(object, dso->functions_begin, dso->functions_end) &&
		     holds(object, dso->slots, dso->slots + SPOOR_THUNK_COUNT) &&
		     (!dso->image || holds(object, dso->image, dso->image));

	for (int i = 0; i < SPOOR_THUNK_COUNT; i++)
		ready &= holds(object, dso->thunks[i], dso->thunks[i]);
	if (spoor_dso_has_frames(dso))
		ready &= holds(object, dso->framed_thunk, dso->framed_thunk) &&
			 holds_array(object, dso->marks_begin, dso->marks_end);
	if (spoor_dso_has_seen(dso))
		ready &= holds_array(object, dso->seen_begin, dso->seen_end);
	if (spoor_dso_has_near(dso))
		ready &= holds(object, dso->near, dso->near + 1);
	return ready;
}

/* The objects that a search visits, and its state. */
struct wanted {
	bool dormant;
	bool to_begin;	/* only modules whose constructors have not run */
	bool looked;
	bool only_asks, found;	/* only looks at the executable: the first object */
};

static bool is_adoptable(const struct dl_phdr_info *object, const struct spoor_dso *dso)
{
	return dso->size >= SPOOR_DSO_SIZE_MIN && dso->version == SPOOR_DSO_VERSION &&
	       (dso->sleds_begin != dso->sleds_end || dso->functions_begin != dso->functions_end ||
		spoor_dso_has_seen(dso)) && is_ready(object, dso);
}

static void adopt(struct spoor_dso *dso, bool dormant)
{
	void (*unset)(struct spoor_dso *dso) = NULL;

	/* A thread that closes the module after the exchange waits for the lock. */
	spoor_registry_lock();
	if (__atomic_compare_exchange_n(&dso->unregister, &unset, spoor_registry_remove, false, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED)) {
		if (dormant && !spoor_dso_is_to_begin(dso))
			spoor_registry_add_dormant(dso);
		else
			spoor_registry_add(dso);
	}
	spoor_registry_unlock();
	spoor_observers_registered(dso);
}

/* The dynamic loader holds its lock, so no module is unmapped meanwhile. */
static int visit_object(struct dl_phdr_info *object, size_t size, void *context)
{
	static unsigned long long loaded;	/* dlpi_adds at the last search */
	struct wanted *wanted = context;

	(void)size;
	if (wanted->to_begin && !wanted->looked) {
		if (object->dlpi_adds == loaded)
			return 1;
		loaded = object->dlpi_adds;
		wanted->looked = true;
	}
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		struct spoor_dso *dso = NULL;

		if (segment->p_type == PT_NOTE)
			dso = stub_of(object, (const char *)(object->dlpi_addr + segment->p_vaddr), segment->p_filesz,
				      segment->p_align);
		if (!dso || !is_adoptable(object, dso))
			continue;
		if (wanted->only_asks) {
			wanted->found |= spoor_dso_is_to_begin(dso);
		} else if (!wanted->to_begin) {
			adopt(dso, wanted->dormant);
		} else if (spoor_dso_is_to_begin(dso)) {
			/* No destructor can run yet. */
			spoor_registry_add(dso);
			spoor_observers_registered(dso);
		}
	}
	return wanted->only_asks;
}

void spoor_adopt_modules(bool dormant)
{
	struct wanted all = { .dormant = dormant };

	dl_iterate_phdr(visit_object, &all);
}

void spoor_adopt_modules_to_begin(void)
{
	struct wanted to_begin = { .to_begin = true };

	dl_iterate_phdr(visit_object, &to_begin);
}

bool spoor_executable_is_to_begin(void)
{
	struct wanted executable = { .only_asks = true };

	dl_iterate_phdr(visit_object, &executable);
	return executable.found;
}
