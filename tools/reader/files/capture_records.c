/* SPDX-License-Identifier: MIT */
/* capture_records.c - reads which values of functions a trace has. */
#include "reader/files/capture_records.h"

#include <errno.h>

#include "reader/files/process_records.h"

/* Makes room for a capture with this number. */
static struct capture **make_place(struct process *process, uint32_t number)
{
	if (number >= process->capture_count) {
		struct capture **larger = reallocarray(process->captures, number + 1, sizeof(*larger));

		if (!larger)
			return NULL;
		memset(larger + process->capture_count, 0, (number + 1 - process->capture_count) * sizeof(*larger));
		process->captures = larger;
		process->capture_count = number + 1;
	}
	return &process->captures[number];
}

static bool is_valid(const struct spoor_capture_value *value)
{
	switch (value->storage) {
	case SPOOR_VALUE_BITS:
		return value->size - 1u < 64 && value->type != SPOOR_TYPE_TEXT;
	case SPOOR_VALUE_INTEGER:
	case SPOOR_VALUE_ADDRESS:
		return value->type != SPOOR_TYPE_TEXT;
	case SPOOR_VALUE_TEXT:
	case SPOOR_VALUE_NOTHING:
	case SPOOR_VALUE_TEXT_LAYOUT + SPOOR_LAYOUT_C ... SPOOR_VALUE_TEXT_LAYOUT + SPOOR_LAYOUT_LENGTH_BEFORE:
		return true;
	case SPOOR_VALUE_BYTES:
	case SPOOR_VALUE_OBJECT:
		return value->size && value->type != SPOOR_TYPE_TEXT;
	default:
		return false;
	}
}

/* Reads the values and their names. @names: [names, end) is the rest of the block */
static int read_values(struct capture *capture, const uint8_t *values, const uint8_t *names, const uint8_t *end)
{
	char *at;

	capture->names_text = malloc((size_t)(end - names) + 1);
	if (!capture->names_text)
		return -ENOMEM;
	memcpy(capture->names_text, names, (size_t)(end - names));
	capture->names_text[end - names] = '\0';
	at = capture->names_text;
	for (uint32_t i = 0; i < capture->value_count; i++) {
		memcpy(&capture->values[i], values + i * sizeof(capture->values[0]), sizeof(capture->values[0]));
		if (!is_valid(&capture->values[i]))
			return -EBADMSG;
		capture->names[i] = at;
		/* The last NUL is ours: missing names are "". */
		if (at + strlen(at) < capture->names_text + (end - names))
			at += strlen(at) + 1;
	}
	return 0;
}

static int add_runs(struct capture *capture, const uint8_t *bytes, uint32_t count)
{
	struct spoor_index_run *larger = reallocarray(capture->runs, capture->run_count + count + 1, sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	capture->runs = larger;
	memcpy(larger + capture->run_count, bytes, count * sizeof(*larger));
	capture->run_count += count;
	return 0;
}

static void free_capture(struct capture *capture)
{
	if (!capture)
		return;
	free(capture->names_text);
	free(capture->runs);
	free(capture);
}

int process_take_capture(struct process *process, const struct block *block)
{
	const uint8_t *at = block->body, *end = at + block->body_bytes;
	struct spoor_capture_record record;
	struct capture **place, *capture;
	size_t values_bytes, runs_bytes;
	int error = 0;

	if (block->body_bytes < sizeof(record))
		return -EBADMSG;
	memcpy(&record, at, sizeof(record));
	at += sizeof(record);
	values_bytes = record.value_count * sizeof(struct spoor_capture_value);
	runs_bytes = (size_t)record.run_count * sizeof(struct spoor_index_run);
	if (record.value_count > SPOOR_CAPTURE_VALUES_MAX || !record.number || record.number >= SPOOR_CAPTURES_MAX ||
	    (size_t)(end - at) < values_bytes || (size_t)(end - at) - values_bytes < runs_bytes)
		return -EBADMSG;
	place = make_place(process, record.number);
	if (!place)
		return -ENOMEM;
	if (*place)
		return add_runs(*place, at + values_bytes, record.run_count);
	capture = calloc(1, sizeof(*capture));
	if (!capture)
		return -ENOMEM;
	capture->number = record.number;
	capture->value_count = record.value_count;
	capture->flags = record.flags;
	capture->counter = record.counter;
	error = read_values(capture, at, at + values_bytes + runs_bytes, end);
	if (!error)
		error = add_runs(capture, at + values_bytes, record.run_count);
	if (error)
		free_capture(capture);
	else
		*place = capture;
	return error;
}

void process_free_captures(struct process *process)
{
	for (uint32_t i = 0; i < process->capture_count; i++)
		free_capture(process->captures[i]);
	free(process->captures);
}
