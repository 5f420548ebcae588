/* SPDX-License-Identifier: MIT */
/* fuzz_unit_symbols.c - any bytes at all as a symbols file, or as an ELF file with symbols. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "reader/unit_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct unit_symbols symbols = { 0 };
	size_t half = size / 2, count;
	int fd = fuzz_file(bytes, size);

	/* As a file, and as two messages. */
	unit_symbols_add_file(&symbols, fuzz_path(fd));
	close(fd);
	unit_symbols_add(&symbols, bytes, half);
	unit_symbols_add(&symbols, bytes + half, size - half);
	unit_symbols_sort(&symbols);
	for (size_t i = 0; i < symbols.count; i += count) {
		const struct unit_symbol *found = unit_symbols_find(&symbols, symbols.list[i].key, &count);

		if (found != &symbols.list[i] || count != unit_symbols_same_key(&symbols, i))
			abort();
		unit_symbols_clash(found, count);
		if (strpbrk(unit_symbol_text(found->info->linkage_name), "\n\033"))
			abort();
	}
	unit_symbols_free(&symbols);
	return 0;
}
