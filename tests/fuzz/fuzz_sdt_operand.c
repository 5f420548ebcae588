/* SPDX-License-Identifier: MIT */
/*
 * fuzz_sdt_operand.c - any text as the operands of a tracepoint, for both machines: each is read
 * within the text, and the last one ends it.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "reader/sdt_operand.h"

static void read_all(const char *text, uint16_t machine)
{
	const char *end = text + strlen(text), *rest = text + strspn(text, " ");

	while (*rest) {
		const char *before = rest;
		struct sdt_operand operand;
		bool good = sdt_operand_parse(&operand, rest, machine, &rest);

		if (rest <= before || rest > end || operand.text < before || operand.text + operand.length > rest)
			abort();
		if (!good)
			continue;
		if (operand.size != 1 && operand.size != 2 && operand.size != 4 && operand.size != 8)
			abort();
		if (operand.kind == SDT_REGISTER && (operand.base == SDT_NO_REGISTER || operand.shift > 8))
			abort();
		if (operand.kind == SDT_MEMORY && operand.shift > 4)
			abort();
		if (operand.symbol && (operand.symbol < operand.text || !operand.symbol_length ||
				       operand.symbol + operand.symbol_length > operand.text + operand.length))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, bytes, size);
	text[size] = '\0';
	read_all(text, EM_X86_64);
	read_all(text, EM_AARCH64);
	free(text);
	return 0;
}
