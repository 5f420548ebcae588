/* SPDX-License-Identifier: MIT */
/*
 * fuzz_dwarf_types.c - reads the types of functions from any bytes as a file with debug information, and writes values of
 * these types.
 *
 * The functions of the seeds (type_seeds.c) begin at multiples of 16 from 0x10000 on.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "reader/types/dwarf_types.h"
#include "reader/types/passing.h"
#include "reader/types/typed_text.h"
#include "reader/types/value_owners.h"

#define TEXT_BEGIN 0x10000u
#define FUNCTIONS 40u

/* Writes values of the type of which all bytes are known, or fewer. */
static void write_values(const struct value_type *type)
{
	static const size_t known[] = { 0, 1, 3, 4, 8, 16, 31, 64 };
	long double number;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		uint8_t *data = malloc(known[i] ? known[i] : 1);
		char *text = malloc(100);

		memset(data, (int)(i * 77), known[i]);
		memset(text, 'x', 100);
		typed_text(type, data, known[i], text, 100);
		if (!memchr(text, '\0', 100))
			abort();
		typed_number(type, data, known[i], &number);
		free(data);
		free(text);
	}
}

static void check_passing(const struct passing *passing)
{
	if (!passing->is_known)
		return;
	if (passing->part_count > PASSED_PARTS_MAX)
		abort();
	for (uint32_t i = 0; i < passing->part_count; i++)
		if (passing->parts[i].argument >= passing->argument_count + 1 || passing->parts[i].class > PASSED_ADDRESS)
			abort();
}

/* Finds the owners of a few values: of structures in parts, and of single arguments. */
static void find_owners(const struct function_types *function)
{
	struct spoor_capture_value values[SPOOR_CAPTURE_VALUES_MAX] = { 0 };
	struct value_owner owners[SPOOR_CAPTURE_VALUES_MAX];

	for (uint32_t i = 0; i < SPOOR_CAPTURE_VALUES_MAX; i++)
		values[i] = (struct spoor_capture_value){
			.place = (uint16_t)(i < 6 ? i : SPOOR_PLACE_STACK + i), .storage = SPOOR_VALUE_BITS, .size = 64,
			.type = (uint8_t)(SPOOR_TYPE_INTEGER + i % 5), .argument = (uint8_t)((i + 1) % SPOOR_CAPTURE_VALUES_MAX),
			.part = i % 7 == 3,
		};
	value_owners_find(function, values, SPOOR_CAPTURE_VALUES_MAX, owners);
	for (uint32_t i = 0; i < SPOOR_CAPTURE_VALUES_MAX; i++)
		if (owners[i].parameter < VALUE_OWNER_RESULT && owners[i].parameter >= function->count)
			abort();
}

static void use(const struct function_types *function)
{
	struct passing_registers used = { 0 };
	struct passing passing;

	for (uint32_t i = 0; i < function->count; i++) {
		if (!function->parameters[i].name || !function->parameters[i].type)
			abort();
		write_values(function->parameters[i].type);
		passing_of_parameter(function, function->parameters[i].type, &used, &passing);
		check_passing(&passing);
	}
	if (function->result) {
		write_values(function->result);
		passing_of_result(function, function->result, &passing);
		check_passing(&passing);
	}
	find_owners(function);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = fuzz_file(bytes, size);
	const char *path = fuzz_path(fd);
	struct symbol_file *file = symbol_file_new(path, "", NULL, 0, 1, 1, false);
	struct dwarf_types *types;

	if (!file)
		abort();
	types = dwarf_types_open(file, path);
	for (uint32_t i = 0; types && i < FUNCTIONS; i++) {
		const struct function_types *function = dwarf_types_function(types, TEXT_BEGIN + 16 * i, i % 2 ? "f.isra.0" : "f");

		if (function)
			use(function);
	}
	dwarf_types_close(types);
	symbol_file_free(file);
	close(fd);
	return 0;
}
