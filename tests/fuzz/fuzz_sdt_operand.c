/* SPDX-License-Identifier: MIT */
/*
 * fuzz_sdt_operand.c - reads any text as operands of a tracepoint, for both machines. Each operand lies within the
 * text, the last one ends it, and an operand with a place has a value for any registers.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "elf/operand_value.h"

/* Half of the memory is readable. */
static bool read_memory(const struct sdt_state *state, uint64_t address, void *to, size_t bytes)
{
	(void)state;
	memset(to, (int)address, bytes);
	return address % 2;
}

static void value_of(struct sdt_operand operand, uint16_t machine)
{
	struct sdt_state state = { .read = read_memory };
	uint64_t value = 1;
	bool there;

	memset(state.general, 0xa5, sizeof(state.general));
	memset(state.vectors, 0x5a, sizeof(state.vectors));
	if (operand.symbol)
		sdt_operand_place(&operand, 0xfffffffffffffff0);
	if (!sdt_operand_is_placed(&operand, machine))
		return;
	there = sdt_value(&operand, machine, &state, &value);
	if ((!there && (value || operand.kind != SDT_MEMORY)) || (operand.size < 8 && value >> 8 * operand.size))
		abort();
}

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
		value_of(operand, machine);
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
