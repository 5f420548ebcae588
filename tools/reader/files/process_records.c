/* SPDX-License-Identifier: MIT */
/*
 * process_records.c - reads the blocks of a process file, with one function for each kind.
 * module_blocks.c reads those of modules.
 *
 * A right checksum means that the file has the bytes that the writer wrote, not that the bytes make
 * sense: every length is checked.
 */
#include "reader/files/process_records.h"

#include <errno.h>

#include "reader/files/capture_records.h"
#include "reader/files/printable_text.h"
#include "reader/events/root_calls.h"
#include "spoor/scope.h"	/* spoor_scope_counter_type */

static int take_facts(struct process *process, const struct block *block)
{
	const uint8_t *at = block->body, *end = at + block->body_bytes;

	while (at < end) {
		const char *fact = record_string(&at, end);
		char **slot;

		if (!fact)
			return -EBADMSG;
		slot = ARRAY_ADD(process->facts, process->fact_count);
		if (!slot)
			return -ENOMEM;
		*slot = clean_name(strdup(fact));
		if (!*slot)
			return -ENOMEM;
	}
	return 0;
}

static int take_thread_name(struct process *process, const struct block *block)
{
	struct thread_name *name = ARRAY_ADD(process->names, process->name_count);

	if (!name)
		return -ENOMEM;
	name->thread_id = block->header.thread_id;
	name->counter = block->extension.counter;
	name->given = false;
	name->name = clean_name(strndup((const char *)block->body, block->body_bytes));
	return name->name ? 0 : -ENOMEM;
}

static int take_losses(struct process *process, const struct block *block)
{
	for (size_t at = 0; block->body_bytes - at >= sizeof(struct spoor_loss_record);
	     at += sizeof(struct spoor_loss_record)) {
		struct spoor_loss_record record;
		uint32_t *place;

		memcpy(&record, block->body + at, sizeof(record));
		if (record.cause == SPOOR_LOSS_FILE_BYTES) {
			process->events_bytes = record.events;
			continue;
		}
		place = map64_at(&process->loss_at, (uint64_t)record.cause << 32 | record.thread_id);
		if (!place || (!*place && !ARRAY_ADD(process->losses, process->loss_count)))
			return -ENOMEM;
		if (!*place)
			*place = (uint32_t)process->loss_count;
		process->losses[*place - 1] = record;
	}
	return 0;
}

/* Returns the bytes after a record of @bytes in a block, as a string. */
static char *rest_of(const struct block *block, size_t bytes)
{
	return clean_name(strndup((const char *)block->body + bytes, block->body_bytes - bytes));
}

static int take_named_thread(struct process *process, const struct block *block)
{
	struct spoor_named_thread record;
	struct thread_name *name;

	if (block->body_bytes < sizeof(record))
		return -EBADMSG;
	memcpy(&record, block->body, sizeof(record));
	name = ARRAY_ADD(process->names, process->name_count);
	if (!name)
		return -ENOMEM;
	*name = (struct thread_name){
		.thread_id = (uint32_t)block->header.thread_id,
		.given = true,
		.serial = record.thread_serial,
		.counter = block->extension.counter,
		.name = rest_of(block, sizeof(record)),
	};
	return name->name ? 0 : -ENOMEM;
}

/* Uses the name from the program, before clean_name replaces its control characters. */
static bool is_counter(const struct spoor_event_type *record, const struct block *block)
{
	char *name = strndup((const char *)block->body + sizeof(*record), block->body_bytes - sizeof(*record));
	bool is_one = name && record->payload_1 != 1 && spoor_scope_counter_type(name) == record->type;

	free(name);
	return is_one;
}

static int take_event_type(struct process *process, const struct block *block)
{
	struct spoor_event_type record;
	struct event_type *type;

	if (block->body_bytes < sizeof(record))
		return -EBADMSG;
	memcpy(&record, block->body, sizeof(record));
	type = ARRAY_ADD(process->event_types, process->event_type_count);
	if (!type)
		return -ENOMEM;
	*type = (struct event_type){ record.type, record.payload_1 == 1, is_counter(&record, block),
				     rest_of(block, sizeof(record)) };
	return type->name ? 0 : -ENOMEM;
}

static int take_tracepoint(struct process *process, const struct block *block)
{
	struct spoor_tracepoint record;
	struct tracepoint *tracepoint;
	size_t path;

	if (block->body_bytes < sizeof(record))
		return -EBADMSG;
	memcpy(&record, block->body, sizeof(record));
	path = sizeof(record) + strnlen((const char *)block->body + sizeof(record), block->body_bytes - sizeof(record)) + 1;
	if (path > block->body_bytes)
		return -EBADMSG;
	tracepoint = ARRAY_ADD(process->tracepoints, process->tracepoint_count);
	if (!tracepoint)
		return -ENOMEM;
	*tracepoint = (struct tracepoint){ record.number, rest_of(block, sizeof(record)), rest_of(block, path) };
	return tracepoint->name && tracepoint->path ? 0 : -ENOMEM;
}

static int take_interned(struct process *process, const struct block *block)
{
	struct spoor_string record;
	struct interned *string;

	if (block->body_bytes < sizeof(record))
		return -EBADMSG;
	memcpy(&record, block->body, sizeof(record));
	string = ARRAY_ADD(process->strings, process->string_count);
	if (!string)
		return -ENOMEM;
	*string = (struct interned){ record.id, rest_of(block, sizeof(record)) };
	return string->text ? 0 : -ENOMEM;
}

static int take_trigger(struct process *process, const struct block *block)
{
	struct noticed_call *call;

	if (block->body_bytes < sizeof(call->record))
		return -EBADMSG;
	call = ARRAY_ADD(process->triggers, process->trigger_count);
	if (!call)
		return -ENOMEM;
	memcpy(&call->record, block->body, sizeof(call->record));
	call->record.index &= SPOOR_INDEX_MAX;
	call->thread_id = (uint32_t)block->header.thread_id;
	return 0;
}

static int take_dormant(struct process *process, const struct block *block)
{
	struct spoor_dormant *dormant;

	if (block->body_bytes < sizeof(*dormant))
		return -EBADMSG;
	dormant = ARRAY_ADD(process->dormant, process->dormant_count);
	if (!dormant)
		return -ENOMEM;
	memcpy(dormant, block->body, sizeof(*dormant));
	dormant->index &= SPOOR_INDEX_MAX;
	return 0;
}

static int take_disabled(struct process *process, const struct block *block)
{
	struct disabling *disabled;
	struct spoor_disabled record;
	struct spoor_index_run *runs;
	size_t bytes;

	if (block->body_bytes < sizeof(record) + sizeof(*runs))
		return -EBADMSG;
	memcpy(&record, block->body, sizeof(record));
	bytes = block->body_bytes - sizeof(record);
	runs = malloc(bytes);
	disabled = runs ? ARRAY_ADD(process->disabled, process->disabled_count) : NULL;
	if (!disabled) {
		free(runs);
		return -ENOMEM;
	}
	memcpy(runs, block->body + sizeof(record), bytes);
	/* Times ascend except in a damaged record. */
	if (disabled > process->disabled && record.counter < disabled[-1].counter)
		record.counter = disabled[-1].counter;
	*disabled = (struct disabling){
		.asked = record.asked < record.counter ? record.asked : record.counter,
		.counter = record.counter,
		.runs = runs,
		.run_count = bytes / sizeof(*runs),
	};
	return 0;
}

static int take_mode(struct process *process, const struct block *block)
{
	struct spoor_mode_record record;
	struct mode_change *change;

	if (block->body_bytes < sizeof(record))
		return -EBADMSG;
	memcpy(&record, block->body, sizeof(record));
	change = ARRAY_ADD(process->modes, process->mode_count);
	if (!change)
		return -ENOMEM;
	*change = (struct mode_change){ record.mode, record.counter };
	return 0;
}

static int take_thread_lost(struct process *process, const struct block *block)
{
	struct spoor_thread_lost record;

	if (block->body_bytes < sizeof(record))
		return -EBADMSG;
	memcpy(&record, block->body, sizeof(record));
	return thread_index_add_lost(&process->threads, record.thread_serial, (uint32_t)block->header.thread_id,
				     block->extension.counter, record.events);
}

static int take_roots(struct process *process, const struct block *block)
{
	struct thread_roots **slot, *roots;
	int error = roots_read(block, &roots);

	if (error)
		return error;
	slot = ARRAY_ADD(process->roots, process->root_count);
	if (!slot) {
		free(roots);
		return -ENOMEM;
	}
	*slot = roots;
	return 0;
}

static int take_outside(struct process *process, const struct block *block)
{
	for (size_t at = 0; block->body_bytes - at >= sizeof(struct spoor_outside); at += sizeof(struct spoor_outside)) {
		struct spoor_outside pair;
		uint32_t *place;

		memcpy(&pair, block->body + at, sizeof(pair));
		place = pair.inside && pair.outside ? map64_at(&process->outer_ids, pair.inside) : NULL;
		if (!place)
			return pair.inside && pair.outside ? -ENOMEM : -EBADMSG;
		*place = pair.outside;
	}
	return 0;
}

int process_take_record(struct process *process, const struct block *block, struct symbol_cache *symbols)
{
	switch (block->extension.kind) {
	case SPOOR_BLOCK_PROCESS:
		return take_facts(process, block);
	case SPOOR_BLOCK_MODULE:
	case SPOOR_BLOCK_HOOKED_MODULE:
	case SPOOR_BLOCK_LIBRARY_MODULE:
	case SPOOR_BLOCK_MODULE_GONE:
	case SPOOR_BLOCK_SKIPPED_SLEDS:
	case SPOOR_BLOCK_FOREIGN:
		return process_take_module_record(process, block, symbols);
	case SPOOR_BLOCK_THREAD:
		return take_thread_name(process, block);
	case SPOOR_BLOCK_LOSS:
		return take_losses(process, block);
	case SPOOR_BLOCK_NAMED_THREAD:
		return take_named_thread(process, block);
	case SPOOR_BLOCK_EVENT_TYPE:
		return take_event_type(process, block);
	case SPOOR_BLOCK_TRACEPOINT:
		return take_tracepoint(process, block);
	case SPOOR_BLOCK_CAPTURE:
		return process_take_capture(process, block);
	case SPOOR_BLOCK_MODE:
		return take_mode(process, block);
	case SPOOR_BLOCK_STRING:
		return take_interned(process, block);
	case SPOOR_BLOCK_TRIGGER:
		return take_trigger(process, block);
	case SPOOR_BLOCK_DORMANT:
		return take_dormant(process, block);
	case SPOOR_BLOCK_DISABLED:
		return take_disabled(process, block);
	case SPOOR_BLOCK_THREAD_LOST:
		return take_thread_lost(process, block);
	case SPOOR_BLOCK_ROOTS:
		return take_roots(process, block);
	case SPOOR_BLOCK_OUTSIDE:
		return take_outside(process, block);
	case SPOOR_BLOCK_END:
		process->ended = true;
		return 0;
	default:
		return 0;	/* a later version of the format may add kinds */
	}
}
