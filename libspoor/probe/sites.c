/* SPDX-License-Identifier: MIT */
/* sites.c - reads the notes of static tracepoints in a file, and says what to read at each site. */
#define _GNU_SOURCE
#include <string.h>

#include "elf/elf_image.h"
#include "base/permanent.h"
#include "base/warning.h"
#include "probe/probe.h"
#include "elf/tracepoint_notes.h"
#include "elf/tracepoint_placement.h"

static struct spoor_probe_site *site_new(const struct stapsdt_note *note, const struct spoor_elf_file *file)
{
	struct spoor_probe_operands operands = { 0 };
	const char *obstacle = spoor_probe_operands_read(&operands, note->operands, file);
	struct spoor_probe_site *site = spoor_permanent_alloc(sizeof(*site) + operands.count * sizeof(site->operands[0]));

	if (!site)
		return NULL;
	site->address = note->address;
	site->semaphore = (uint16_t *)(uintptr_t)note->semaphore;
	site->types = operands.types;
	site->count = operands.count;
	site->relative = operands.relative;
	site->uses_vectors = operands.uses_vectors;
	memcpy(site->operands, operands.list, operands.count * sizeof(operands.list[0]));
	site->nop_bytes = spoor_probe_nop(file, note->address);
	site->obstacle = obstacle ? obstacle : site->nop_bytes ? NULL : SPOOR_PROBE_NO_NOP;
	site->probe.size = sizeof(site->probe);
	site->probe.semaphore = &site->gate;
	site->probe.provider = spoor_permanent_text(note->provider);
	site->probe.name = spoor_permanent_text(note->name);
	return site->probe.provider && site->probe.name ? site : NULL;
}

struct spoor_probe_site *spoor_probe_sites_read(const struct spoor_elf_file *file, const char *path)
{
	struct spoor_probe_site *first = NULL, **last = &first;
	struct spoor_probe_notes notes;
	struct stapsdt_note note;

	if (!spoor_probe_notes_begin(&notes, file))
		return NULL;
	while (spoor_probe_notes_next(&notes, &note)) {
		struct spoor_probe_site *site;

		if (spoor_probe_semaphore_is_ours(file, note.semaphore))
			continue;
		site = site_new(&note, file);
		if (!site) {
			spoor_warning("cannot record all tracepoints of %.500s: out of memory", path);
			break;
		}
		*last = site;
		last = &site->next;
	}
	if (notes.wrong)
		spoor_warning("%.500s: %u descriptions of tracepoints (.note.stapsdt) are damaged and skipped",
			      path, notes.wrong);
	return first;
}
