/* SPDX-License-Identifier: MIT */
/* fuzz_elf_image.c - the runtime's ELF reader reads any bytes. */
#include <string.h>

#include "elf/source_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool wants(void *context, uint64_t begin, uint64_t end)
{
	*(uint64_t *)context += end - begin;
	return true;
}

static void each_line(void *context, uint64_t begin, uint64_t end, const struct spoor_source_place *place)
{
	char path[256];

	spoor_source_path(place, path, sizeof(path));
	*(uint64_t *)context += begin + end + strlen(path) + place->line;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct spoor_elf_file file = { bytes, size };
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	struct spoor_elf_symbols symbols;
	const char *name;
	uint64_t address, sum = 0;

	if (spoor_elf_file_check(&file) < 0)
		return 0;
	spoor_elf_file_build_id(&file, build_id);
	spoor_elf_file_has_section(&file, "xray_instr_map", &sum);
	if (spoor_elf_symbols_begin(&symbols, &file) == 0)
		while ((name = spoor_elf_symbols_next(&symbols, &address)))
			sum += address + strlen(name);
	spoor_source_lines(&file, &(struct spoor_source_visitor){ &sum, wants, each_line });
	return 0;
}
