/* SPDX-License-Identifier: MIT */
/* call_values.c - reads the arguments or the result of a call from the stream of bits in the trace. */
#include "reader/events/call_values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/trace_format.h"
#include "reader/files/capture_records.h"
#include "reader/symbols/functions.h"

static uint64_t take_bits(const uint64_t *words, uint32_t word_count, uint64_t *bit, uint32_t count)
{
	uint64_t value = 0;

	for (uint32_t done = 0; done < count;) {
		uint64_t word = *bit / SPOOR_VALUES_WORD_BITS;
		uint32_t at = (uint32_t)(*bit % SPOOR_VALUES_WORD_BITS), part = SPOOR_VALUES_WORD_BITS - at;
		uint64_t bits = word < word_count ? (words[word] & (SPOOR_USER_MARK - 1)) >> at : 0;

		part = part < count - done ? part : count - done;
		value |= (bits & ((1ull << part) - 1)) << done;
		done += part;
		*bit += part;
	}
	return value;
}

static uint64_t take(struct call_values_reader *reader, uint32_t count)
{
	return take_bits(reader->values->words, reader->values->word_count, &reader->bit, count);
}

int call_values_read(const struct process *process, const uint64_t *words, uint32_t count, struct call_values **values)
{
	const struct capture *capture;
	uint64_t bit = 0;
	uint32_t number = (uint32_t)take_bits(words, count, &bit, SPOOR_CAPTURE_NUMBER_BITS);
	bool is_result = take_bits(words, count, &bit, 1);

	capture = process_capture(process, number);
	*values = NULL;
	if (!capture)
		return 0;
	*values = malloc(sizeof(**values) + count * sizeof(*words));
	if (!*values)
		return -ENOMEM;
	**values = (struct call_values){ .owners = 1, .is_result = is_result, .word_count = count, .capture = capture };
	memcpy((*values)->words, words, count * sizeof(*words));
	return 0;
}

void call_values_set_function(struct call_values *values, const struct functions *functions, uint32_t number)
{
	const struct function *function = &functions->list[number];

	if (!number || function->is_scope || function->is_tracepoint)
		return;
	values->symbols = function->symbols;
	values->local = (uint32_t)function->id;
}

void call_values_add_owner(struct call_values *values)
{
	__atomic_fetch_add(&values->owners, 1, __ATOMIC_RELAXED);
}

void call_values_remove_owner(struct call_values *values)
{
	if (__atomic_sub_fetch(&values->owners, 1, __ATOMIC_ACQ_REL) == 0)
		free(values);
}

void call_values_begin(struct call_values_reader *reader, const struct call_values *values)
{
	*reader = (struct call_values_reader){ .values = values, .bit = SPOOR_VALUES_HEAD_BITS };
}

static void take_text(struct call_values_reader *reader, struct call_value *value)
{
	uint32_t state = (uint32_t)take(reader, 2);

	value->is_null = state == SPOOR_TEXT_NULL;
	value->is_unreadable = state == SPOOR_TEXT_UNREADABLE;
	value->is_cut = state == SPOOR_TEXT_CUT;
	if (value->is_unreadable)
		value->number[0] = take(reader, 64);
	if (state == SPOOR_TEXT_WHOLE || state == SPOOR_TEXT_CUT)
		value->bytes = (uint32_t)take(reader, 10);
	for (uint32_t i = 0; i < value->bytes; i++)
		value->text[i] = (char)take(reader, 8);
	value->text[value->bytes] = '\0';
}

static void take_value(struct call_values_reader *reader, struct call_value *value)
{
	uint32_t size = value->how->size;
	uint64_t address;

	value->bytes = 8;
	switch (value->how->storage) {
	case SPOOR_VALUE_BITS:
		value->number[0] = take(reader, size);
		value->bytes = (size + 7) / 8;
		break;
	case SPOOR_VALUE_INTEGER:
		if (take(reader, 1))
			value->number[0] = take(reader, 64);
		else
			value->number[0] = (uint64_t)(int64_t)(int32_t)take(reader, 32);
		break;
	case SPOOR_VALUE_ADDRESS:
		value->number[0] = take(reader, 1) ? take(reader, 64) : take(reader, 48);
		break;
	case SPOOR_VALUE_OBJECT:
		address = take(reader, 1) ? take(reader, 64) : take(reader, 48);
		value->bytes = 0;
		take_text(reader, value);
		value->object_bytes = value->bytes;
		value->bytes = 8;
		value->number[0] = address;
		break;
	case SPOOR_VALUE_BYTES:
		value->bytes = size < sizeof(value->number) ? size : sizeof(value->number);
		for (uint32_t i = 0; i < size; i++) {
			uint64_t byte = take(reader, 8);

			if (i < sizeof(value->number))
				value->number[i / 8] |= byte << (8 * (i % 8));
		}
		break;
	default:
		value->bytes = 0;
		take_text(reader, value);
	}
}

bool call_values_next(struct call_values_reader *reader, struct call_value *value)
{
	const struct capture *capture = reader->values->capture;
	bool is_result = reader->values->is_result;

	while (reader->next < capture->value_count && (!capture->values[reader->next].argument != is_result ||
						       capture->values[reader->next].storage == SPOOR_VALUE_NOTHING))
		reader->next++;
	if (reader->next == capture->value_count)
		return false;
	value->how = &capture->values[reader->next];
	value->name = capture->names[reader->next];
	memset(value->number, 0, sizeof(value->number));
	value->is_cut = value->is_unreadable = value->is_null = false;
	value->object_bytes = 0;
	reader->next++;
	take_value(reader, value);
	return true;
}

bool call_values_cpu_time(const struct call_values *values, uint64_t *cpu_ns)
{
	struct call_values_reader reader;
	struct call_value value;

	if (!values || !(values->capture->flags & SPOOR_CAPTURE_CPU_TIME))
		return false;
	call_values_begin(&reader, values);
	while (call_values_next(&reader, &value)) {
		if (value.how->place != SPOOR_PLACE_CPU_TIME)
			continue;
		*cpu_ns = value.number[0];
		return true;
	}
	return false;
}
