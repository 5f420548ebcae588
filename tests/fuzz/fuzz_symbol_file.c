/* SPDX-License-Identifier: MIT */
/*
 * fuzz_symbol_file.c - reads any bytes as the ELF file of a module.
 *
 * The expected build-id and number of functions come from the sample library of the tests, so
 * that valid files are read deeply. The bytes are also packed for a trace, with some of the functions, and read again.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "reader/packed/symbol_pack.h"
#include "reader/packed/symbol_subset.h"
#include "reader/symbols/symbol_places.h"

/* Packs some functions of @file, and reads the names from the packed file. */
static void pack_some(struct symbol_file *file, int packed)
{
	struct symbol_file *again;

	if (ftruncate(packed, 0) < 0 || lseek(packed, 0, SEEK_SET) < 0 || symbol_subset_begin(file))
		abort();
	symbol_subset_add(file, 1);
	symbol_subset_add(file, 8);
	if (symbol_pack(file, packed))
		return;
	again = symbol_file_new(fuzz_path(packed), "", file->build_id, file->build_id_bytes, 1, 9, true);
	again->hooked = file->hooked;
	for (uint32_t i = 0; i < 10; i++) {
		if (!*symbol_file_name(again, i))
			abort();
		free(symbol_file_place(again, i).path);
	}
	symbol_file_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const uint8_t build_id[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };
	int fd = fuzz_file(bytes, size), packed = fuzz_file(NULL, 0);

	/* First by the function table, then by the unwind table. */
	for (int hooked = 0; hooked < 2; hooked++) {
		struct symbol_file *file = symbol_file_new(fuzz_path(fd), "", build_id, sizeof(build_id), 1, 9, true);

		file->hooked = hooked;
		for (uint32_t i = 0; i < 10; i++) {
			if (!*symbol_file_name(file, i))
				abort();
			free(symbol_file_place(file, i).path);
		}
		if (ftruncate(packed, 0) < 0 || lseek(packed, 0, SEEK_SET) < 0)
			abort();
		symbol_pack(file, packed);
		pack_some(file, packed);
		symbol_file_free(file);
	}
	close(packed);
	close(fd);
	return 0;
}
