/* SPDX-License-Identifier: MIT */
/* recorded_captures.c - writes to the process file which functions' arguments and results are stored. */
#include "trace/recorded_captures.h"

#include <string.h>

#include "base/memory.h"
#include "base/time_source.h"
#include "capture/plans.h"
#include "trace/records.h"

#define HEAD sizeof(struct spoor_block)
#define RUNS_MAX 4096u
#define NAMES_MAX 4096u
#define BODY_MAX (sizeof(struct spoor_capture_record) + SPOOR_CAPTURE_VALUES_MAX * sizeof(struct spoor_capture_value) + \
		  RUNS_MAX * sizeof(struct spoor_index_run) + NAMES_MAX)

#define NUMBER(action) ((action) & SPOOR_ACTION_NUMBER)

static const char cpu_name[] = SPOOR_CPU_TIME_NAME;

/* Writes the names that the user gave to the values, each with its NUL. */
static uint8_t *put_names(uint8_t *at, const uint8_t *end, const struct spoor_plan *plan)
{
	for (uint32_t i = 0; i < plan->value_count; i++) {
		const char *rest = plan->items;
		struct spoor_capture_item item = { .length = 0 };

		if (plan->values[i].place == SPOOR_PLACE_CPU_TIME)
			item = (struct spoor_capture_item){ .name = cpu_name, .length = strlen(cpu_name) };
		for (uint32_t n = 0; n < plan->values[i].argument && plan->values[i].place != SPOOR_PLACE_CPU_TIME; n++)
			if (!spoor_capture_item_next(&rest, plan->items_end, &item))
				item.length = 0;
		if (item.length >= (size_t)(end - at) - (plan->value_count - i))
			item.length = 0;
		memcpy(at, item.name, item.length);
		at += item.length;
		*at++ = '\0';
	}
	return at;
}

/* Returns the first local ID from @local on that may have an action: one in a chunk that exists. */
static uint32_t next_with_action(const struct spoor_instance *instance, uint32_t local)
{
	while (local < instance->count) {
		uint32_t chunk = (instance->base + local) >> SPOOR_ACTION_CHUNK_SHIFT;

		if (spoor_actions[chunk])
			return local;
		local = ((chunk + 1) << SPOOR_ACTION_CHUNK_SHIFT) - instance->base;
	}
	return instance->count;
}

/* Collects the functions from @local on that have capture @number. Returns the number of runs. */
static uint32_t find_runs(const struct spoor_instance *instance, uint32_t number, uint32_t *local,
			  struct spoor_index_run *runs)
{
	uint32_t count = 0;

	for (; *local < instance->count; *local = next_with_action(instance, *local + 1)) {
		uint32_t index = instance->base + *local;

		if (NUMBER(spoor_action_of(index)) != number)
			continue;
		if (count && runs[count - 1].first + runs[count - 1].count == index) {
			runs[count - 1].count++;
			continue;
		}
		if (count == RUNS_MAX)
			return count;
		runs[count++] = (struct spoor_index_run){ index, 1 };
	}
	return count;
}

static void write_capture(uint8_t *bytes, const struct spoor_plan *plan, uint32_t number,
			  const struct spoor_index_run *runs, uint32_t run_count)
{
	struct spoor_capture_record record = {
		.counter = spoor_counter(),
		.run_count = run_count,
		.number = (uint16_t)number,
		.value_count = plan->value_count,
		.flags = plan->flags,
	};
	uint8_t *at = bytes + HEAD;

	memcpy(at, &record, sizeof(record));
	at += sizeof(record);
	memcpy(at, plan->values, plan->value_count * sizeof(plan->values[0]));
	at += plan->value_count * sizeof(plan->values[0]);
	memcpy(at, runs, run_count * sizeof(*runs));
	at += run_count * sizeof(*runs);
	at = put_names(at, at + NAMES_MAX, plan);
	spoor_trace_append(SPOOR_BLOCK_CAPTURE, 0, bytes, (size_t)(at - bytes) - HEAD);
}

void spoor_trace_captures(const struct spoor_instance *instance)
{
	size_t seen_bytes = SPOOR_CAPTURES_MAX / 8, runs_bytes = RUNS_MAX * sizeof(struct spoor_index_run);
	uint8_t *memory = NULL;

	for (uint32_t first = next_with_action(instance, 0); first < instance->count;
	     first = next_with_action(instance, first + 1)) {
		uint32_t number = NUMBER(spoor_action_of(instance->base + first)), local = first, count;
		const struct spoor_plan *plan = spoor_plan_at(number);
		struct spoor_index_run *runs;

		if (!plan)
			continue;
		if (!memory)
			memory = spoor_memory_map(seen_bytes + runs_bytes + HEAD + BODY_MAX);
		if (!memory)
			return;
		if (memory[number / 8] >> (number % 8) & 1)
			continue;
		memory[number / 8] |= (uint8_t)(1u << (number % 8));
		runs = (struct spoor_index_run *)(memory + seen_bytes);
		while ((count = find_runs(instance, number, &local, runs)))
			write_capture(memory + seen_bytes + runs_bytes, plan, number, runs, count);
	}
	spoor_memory_unmap(memory, seen_bytes + runs_bytes + HEAD + BODY_MAX);
}
