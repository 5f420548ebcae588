/* SPDX-License-Identifier: MIT */
/* trace_functions.c - numbers the functions of all processes of a trace. */
#include "walk/trace_functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/symbols/symbol_file.h"

void trace_functions_process_begin(struct trace_functions *table)
{
	free(table->number_of);
	table->number_of = NULL;
	table->number_of_count = 0;
}

void trace_functions_free(struct trace_functions *table)
{
	trace_functions_process_begin(table);
	map64_free(&table->of_symbol);
	name_table_free(&table->others);
	free(table->number_of_other);
	for (uint32_t i = 1; i <= table->count; i++)
		free(table->list[i].file);
	free(table->list);
	*table = (struct trace_functions){ 0 };
}

/* Makes room for @index in an array. Returns the array, zeroed after its old end; null if memory runs out. */
static uint32_t *make_room(uint32_t *array, uint32_t *count, uint32_t index)
{
	uint32_t more = index < 128 ? 256 : 2 * index;

	if (index < *count)
		return array;
	array = more > index ? reallocarray(array, more, sizeof(*array)) : NULL;
	if (!array)
		return NULL;
	memset(array + *count, 0, (more - *count) * sizeof(*array));
	*count = more;
	return array;
}

/* Returns the number of the function, or 0 if memory runs out. */
static uint32_t add(struct trace_functions *table, const struct trace_function *function)
{
	if (table->count + 1 >= table->capacity) {
		uint32_t capacity = table->capacity ? 2 * table->capacity : 256;
		struct trace_function *list = reallocarray(table->list, capacity, sizeof(*list));

		if (!list || capacity < table->capacity)
			return 0;
		table->list = list;
		table->capacity = capacity;
	}
	table->list[++table->count] = *function;
	return table->count;
}

/* Finds a function with symbols, which stay valid as long as the trace. */
static uint32_t find_symbol(struct trace_functions *table, struct functions *functions, uint32_t number)
{
	const struct function *function = &functions->list[number];
	uint32_t *at = map64_at(&table->of_symbol, (uint64_t)function->symbols->number << 32 | (uint32_t)function->id);
	struct trace_function known;
	struct symbol_place place;

	if (!at || *at)
		return at ? *at : 0;
	known = (struct trace_function){
		.name = function_name(functions, number),
		.library = function_library(functions, number),
		.linkage = symbol_file_linkage(function->symbols, (uint32_t)function->id),
		.id = function_id(functions, number),
	};
	place = function_place(functions, number);
	known.file = place.path;
	known.line = place.path ? place.line : 0;
	*at = add(table, &known);
	if (!*at)
		free(place.path);
	return *at;
}

/* Finds a function without symbols. Its texts are freed with the process, so they are copied. */
static uint32_t find_other(struct trace_functions *table, struct functions *functions, uint32_t number)
{
	const char *library = function_library(functions, number);
	size_t length = strlen(library);
	char *key = malloc(16 + length + 1);
	uint32_t other = 0, *numbers;
	struct trace_function known = { .id = function_id(functions, number) };
	struct symbol_place place;

	if (key) {
		/* Functions of one name with different IDs stay different. */
		snprintf(key, 17, "%016" PRIx64, known.id);
		memcpy(key + 16, library, length + 1);
		other = name_table_add(&table->others, function_name(functions, number), key);
	}
	free(key);
	numbers = other ? make_room(table->number_of_other, &table->other_capacity, other) : NULL;
	if (!numbers)
		return 0;
	table->number_of_other = numbers;
	if (!numbers[other]) {
		known.name = table->others.list[other].function;
		known.library = table->others.list[other].library + 16;
		place = function_place(functions, number);
		known.file = place.path;
		known.line = place.path ? place.line : 0;
		numbers[other] = add(table, &known);
		if (!numbers[other])
			free(place.path);
	}
	return numbers[other];
}

uint32_t trace_functions_named(struct trace_functions *table, const char *name)
{
	/* The keys of functions begin with an ID. */
	uint32_t other = name_table_add(&table->others, name, "");
	uint32_t *numbers = other ? make_room(table->number_of_other, &table->other_capacity, other) : NULL;

	if (!numbers)
		return 0;
	table->number_of_other = numbers;
	if (!numbers[other])
		numbers[other] = add(table, &(struct trace_function){ .name = table->others.list[other].function,
								      .library = table->others.list[other].library });
	return numbers[other];
}

uint32_t trace_functions_find(struct trace_functions *table, struct functions *functions, uint32_t number)
{
	uint32_t *numbers = make_room(table->number_of, &table->number_of_count, number);

	if (!numbers)
		return 0;
	table->number_of = numbers;
	if (functions->list[number].symbols)
		numbers[number] = find_symbol(table, functions, number);
	else
		numbers[number] = find_other(table, functions, number);
	return numbers[number];
}
