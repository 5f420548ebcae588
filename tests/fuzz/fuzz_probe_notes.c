/* SPDX-License-Identifier: MIT */
/* fuzz_probe_notes.c - the runtime reads tracepoints from any bytes as an ELF file. All results must lie within
 * the bytes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "elf/tracepoint_notes.h"
#include "elf/tracepoint_placement.h"

static void is_within(const struct spoor_elf_file *file, const char *text)
{
	const char *begin = (const char *)file->bytes, *end = begin + file->size;

	if (text < begin || text >= end || !memchr(text, 0, (size_t)(end - text)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct spoor_elf_file file = { .size = size };
	uint8_t *copy = malloc(size + 1);	/* exactly this size, for sanitizers */
	struct spoor_probe_notes notes;
	struct stapsdt_note note;
	uint64_t address;

	if (!copy)
		abort();
	memcpy(copy, bytes, size);
	file.bytes = copy;
	if (spoor_elf_file_check(&file) == 0 && spoor_probe_notes_begin(&notes, &file)) {
		while (spoor_probe_notes_next(&notes, &note)) {
			is_within(&file, note.provider);
			is_within(&file, note.name);
			is_within(&file, note.operands);
			spoor_probe_semaphore_is_ours(&file, note.semaphore);
			spoor_probe_obstacle(&file, &note);
			spoor_elf_file_symbol(&file, note.name, strlen(note.name), &address);
			if (spoor_elf_file_loaded(&file, note.address, 5) &&
			    (const uint8_t *)spoor_elf_file_loaded(&file, note.address, 5) + 5 > copy + size)
				abort();
		}
	}
	free(copy);
	return 0;
}
