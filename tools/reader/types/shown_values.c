/* SPDX-License-Identifier: MIT */
/* shown_values.c - joins the values of a call to the parameters of the source. */
#include "reader/types/shown_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/files/capture_records.h"
#include "reader/files/printable_text.h"
#include "reader/types/symbol_types.h"
#include "reader/types/typed_text.h"

/* The most bytes of a parameter that are captured. */
#define PARAMETER_BYTES 64u

static void advance(struct shown_values *shown)
{
	shown->has_next = call_values_next(&shown->reader, &shown->next);
}

void shown_values_begin(struct shown_values *shown, const struct call_values *values)
{
	shown->values = values;
	shown->types = values->symbols ? symbol_file_types(values->symbols, values->local) : NULL;
	if (shown->types)
		value_owners_find(shown->types, values->capture->values, values->capture->value_count, shown->owners);
	call_values_begin(&shown->reader, values);
	advance(shown);
}

/* The owner of the next value; null without types. */
static const struct value_owner *owner_of_next(const struct shown_values *shown)
{
	const struct value_owner *owner = &shown->owners[shown->next.how - shown->values->capture->values];

	return shown->types && owner->parameter != VALUE_NO_OWNER ? owner : NULL;
}

static bool is_part(const struct call_value *value)
{
	return value->how->part && value->how->type != SPOOR_TYPE_BYTES;
}

static void take_number(const struct call_value *value, struct shown_value *shown)
{
	uint32_t width = value->how->storage == SPOOR_VALUE_BITS ? value->how->size : 64, type = value->how->type;
	bool is_unsigned = type == SPOOR_TYPE_UNSIGNED || type == SPOOR_TYPE_POINTER || strchr("uxpcb", value->how->format ? value->how->format : '.');
	uint64_t upwards = value->number[0] << (64 - width);
	double real;
	float single;

	shown->is_number = value->bytes <= 8 && type <= SPOOR_TYPE_REAL;
	if (type == SPOOR_TYPE_REAL) {
		memcpy(&real, &value->number[0], sizeof(real));
		memcpy(&single, &value->number[0], sizeof(single));
		shown->is_number = value->bytes == 8 || value->bytes == 4;
		shown->number = value->bytes == 8 ? (long double)real : (long double)single;
	} else if (is_unsigned || width == 1) {
		shown->number = value->number[0];
	} else {
		shown->number = (int64_t)upwards >> (64 - width);
	}
}

static void take_string(const struct call_value *value, struct shown_value *shown)
{
	shown->is_string = value->how->type == SPOOR_TYPE_TEXT && !value->is_null && !value->is_unreadable;
	if (shown->is_string)
		memcpy(shown->string, value->text, value->bytes + 1);
}

/* A value that needs no type, as the trace has it. */
static void take_plain(struct shown_values *shown, struct shown_value *value)
{
	call_value_text(&shown->next, value->text);
	if (shown->next.how->type == SPOOR_TYPE_TEXT)
		take_string(&shown->next, value);
	else
		take_number(&shown->next, value);
	advance(shown);
}

/* The parts of an argument without a known type. */
static void take_parts(struct shown_values *shown, struct shown_value *value)
{
	uint32_t argument = shown->next.how->argument;
	size_t used = 0;

	do {
		char text[CALL_VALUE_TEXT_MAX];
		int added;

		call_value_text(&shown->next, text);
		added = snprintf(value->text + used, sizeof(value->text) - used, "%s%s", used ? ", " : "{", text);
		used = used + (size_t)added < sizeof(value->text) - 2 ? used + (size_t)added : used;
		value->text[used] = '\0';
		advance(shown);
	} while (shown->has_next && is_part(&shown->next) && shown->next.how->argument == argument && !owner_of_next(shown));
	strcpy(value->text + used, "}");
}

static const struct value_type *type_of(const struct shown_values *shown, const struct value_owner *owner)
{
	return owner->parameter == VALUE_OWNER_RESULT ? shown->types->result : shown->types->parameters[owner->parameter].type;
}

/* All values of a parameter of which only one decides the text. */
static void take_single(struct shown_values *shown, struct value_owner owner, struct shown_value *value)
{
	const struct value_type *type = type_of(shown, &owner);

	if (!owner.size && shown->next.object_bytes) {
		typed_text(type, (const uint8_t *)shown->next.text, shown->next.object_bytes, value->text, sizeof(value->text));
		advance(shown);
		return;
	}
	if (shown->next.how->format || shown->next.how->type == SPOOR_TYPE_TEXT || !owner.size || owner.offset) {
		take_plain(shown, value);
		return;
	}
	typed_text(type, (const uint8_t *)shown->next.number, owner.size, value->text, sizeof(value->text));
	value->is_number = typed_number(type, (const uint8_t *)shown->next.number, owner.size, &value->number);
	if (type->kind == TYPE_ENUM) {
		value->is_string = strlen(value->text) < sizeof(value->string);
		memcpy(value->string, value->text, value->is_string ? strlen(value->text) + 1 : 0);
	}
	advance(shown);
}

static void take_typed(struct shown_values *shown, struct shown_value *value)
{
	struct value_owner owner = *owner_of_next(shown);
	uint8_t data[PARAMETER_BYTES + 16] = { 0 };
	const struct value_owner *next = &owner;
	size_t bytes = 0;

	if (owner.parts == 1) {
		take_single(shown, owner, value);
		return;
	}
	for (; next && next->parameter == owner.parameter; next = shown->has_next ? owner_of_next(shown) : NULL) {
		/* Parts that the user left out end the known bytes. */
		if ((next->offset == (bytes + 7) / 8 * 8 || next->offset == bytes) &&
		    next->size <= PARAMETER_BYTES && next->offset <= PARAMETER_BYTES - next->size) {
			memcpy(data + next->offset, shown->next.number, next->size);
			bytes = next->offset + next->size;
		}
		advance(shown);
	}
	typed_text(type_of(shown, &owner), data, bytes, value->text, sizeof(value->text));
}

static void take_name(const struct shown_values *shown, const struct value_owner *owner, struct shown_value *value)
{
	const char *name = owner && owner->parameter != VALUE_OWNER_RESULT ? shown->types->parameters[owner->parameter].name : "";

	if (*shown->next.name)
		name = shown->next.name;
	if (*name)
		snprintf(value->name, sizeof(value->name), "%s", name);
	else if (shown->next.how->argument)
		snprintf(value->name, sizeof(value->name), "arg%u", shown->next.how->argument);
	else
		strcpy(value->name, "result");
	clean_name(value->name);
}

bool shown_values_next(struct shown_values *shown, struct shown_value *value)
{
	const struct value_owner *owner;

	if (!shown->has_next)
		return false;
	owner = owner_of_next(shown);
	value->is_number = value->is_string = false;
	take_name(shown, owner, value);
	if (owner)
		take_typed(shown, value);
	else if (is_part(&shown->next))
		take_parts(shown, value);
	else
		take_plain(shown, value);
	return true;
}

char *shown_values_text(const struct call_values *values, bool with_cpu_time)
{
	struct shown_values shown;
	struct shown_value value;
	bool is_first = true;
	char *all = NULL;
	size_t size;
	FILE *out = open_memstream(&all, &size);

	if (!out)
		return NULL;
	shown_values_begin(&shown, values);
	while (shown_values_next(&shown, &value)) {
		bool is_cpu_time = strcmp(value.name, SPOOR_CPU_TIME_NAME) == 0;

		if (is_cpu_time && !with_cpu_time)
			continue;
		fputs(is_first ? "" : ", ", out);
		if (!values->is_result || is_cpu_time)
			fprintf(out, "%s=", value.name);
		fputs(value.text, out);
		is_first = false;
	}
	if (fclose(out) == 0)
		return all;
	free(all);
	return NULL;
}
