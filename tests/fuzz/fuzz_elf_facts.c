/* SPDX-License-Identifier: MIT */
/* fuzz_elf_facts.c - spoor doctor examines any bytes as a program. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "reader/symbols/elf_facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = fuzz_file(bytes, size);
	struct elf_facts facts;
	const char *wrong = elf_facts_read(&facts, fd);

	close(fd);
	if (wrong ? strlen(wrong) > 200 : !facts.is_elf || !facts.is_64_bit)
		abort();
	if (facts.of_other_kind + facts.conditional + facts.on_stack + facts.unexpected > facts.sleds)
		abort();
	if (strlen(facts.runtime) > SPOOR_NOTE_VERSION_BYTES)
		abort();
	elf_facts_free(&facts);
	return 0;
}
