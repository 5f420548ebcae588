/* SPDX-License-Identifier: MIT */
/* fuzz_unit_symbols.c - reads any bytes as a symbols file, or as an ELF file with symbols. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "reader/symbols/unit_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct unit_symbols symbols = { 0 };
	size_t half = size / 2;
	int fd = fuzz_file(bytes, size);

	/* Reads the bytes as a file, and as two messages. */
	unit_symbols_add_file(&symbols, fuzz_path(fd));
	close(fd);
	unit_symbols_add(&symbols, bytes, half);
	unit_symbols_add(&symbols, bytes + half, size - half);
	unit_symbols_sort(&symbols);
	for (size_t i = 0; i < symbols.count; i += symbols.list[i].same_key) {
		const struct unit_symbol *found = unit_symbols_find(&symbols, symbols.list[i].key);

		if (found != &symbols.list[i] || found->same_key == 0 || found->same_key > symbols.count - i)
			abort();
		if (strpbrk(unit_symbol_text(found->info->linkage_name), "\n\033"))
			abort();
	}
	unit_symbols_free(&symbols);
	return 0;
}
