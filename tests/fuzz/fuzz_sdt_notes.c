/* SPDX-License-Identifier: MIT */
/* fuzz_sdt_notes.c - reads the tracepoints of any bytes as an ELF file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "reader/symbols/sdt_notes.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = fuzz_file(bytes, size);
	struct sdt_notes notes;
	const char *wrong = sdt_notes_read(&notes, fd);

	close(fd);
	if (wrong && strlen(wrong) > 200)
		abort();
	for (size_t i = 0; i < notes.count; i++)
		if (!*notes.list[i].provider || !*notes.list[i].name || !notes.list[i].operands)
			abort();
	sdt_notes_free(&notes);
	return 0;
}
