/* SPDX-License-Identifier: MIT */
/* recorded_modules.c - writes the blocks of the process file that describe modules. */
#define _GNU_SOURCE
#include "trace/recorded_modules.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/large.h"
#include "base/permanent.h"
#include "base/process_end.h"
#include "base/time_source.h"
#include "capture/captured_libraries.h"
#include "mode/mode.h"
#include "config/configuration.h"
#include "module/module_bits.h"
#include "trace/recorded_captures.h"
#include "trace/records.h"
#include "trace/recorder_client.h"

#define HEAD sizeof(struct spoor_block)
#define BODY_MAX (2 * PATH_MAX + 1024)

static struct spoor_module_bits recorded SPOOR_LARGE;
static struct spoor_module_bits sent SPOOR_LARGE;	/* their files were sent to the recorder */
/* The last written value of each module, by its position; null if there is none. */
static struct spoor_skipped_sleds *written[SPOOR_MODULES_MAX] SPOOR_LARGE;

static uint16_t kind_of(const struct spoor_instance *instance)
{
	if (instance->switch_functions)
		return SPOOR_BLOCK_LIBRARY_MODULE;
	return instance->hooked ? SPOOR_BLOCK_HOOKED_MODULE : SPOOR_BLOCK_MODULE;
}

static void write_module(const struct spoor_instance *instance)
{
	uint8_t bytes[HEAD + BODY_MAX];
	uint8_t *at = bytes + HEAD;
	struct spoor_module_record record = {
		.module_id = instance->module_id,
		.base = instance->base,
		.count = instance->count,
		.build_id_bytes = instance->build_id_bytes,
		.load_bias = instance->load_bias,
		.counter = spoor_counter(),
	};

	memcpy(at, &record, sizeof(record));
	at += sizeof(record);
	memcpy(at, instance->build_id, instance->build_id_bytes);
	at += instance->build_id_bytes;
	at = (uint8_t *)stpncpy((char *)at, instance->path, PATH_MAX - 1) + 1;
	at[-1] = '\0';
	at = (uint8_t *)stpncpy((char *)at, instance->soname, PATH_MAX - 1) + 1;
	at[-1] = '\0';
	spoor_trace_append(kind_of(instance), 0, bytes, (size_t)(at - bytes) - HEAD);
}

void spoor_trace_module_gone(const struct spoor_instance *instance)
{
	uint8_t bytes[HEAD + sizeof(struct spoor_module_gone)];
	struct spoor_module_gone gone = {
		.base = instance->base,
		.count = instance->count,
		.counter = spoor_counter(),
	};

	memcpy(bytes + HEAD, &gone, sizeof(gone));
	spoor_trace_append(SPOOR_BLOCK_MODULE_GONE, 0, bytes, sizeof(gone));
}

void spoor_trace_skipped_sleds(const struct spoor_instance *instance, struct spoor_skipped_sleds skipped_sleds)
{
	uint8_t bytes[HEAD + sizeof(struct spoor_skipped_sleds)];

	skipped_sleds.base = instance->base;
	memcpy(bytes + HEAD, &skipped_sleds, sizeof(skipped_sleds));
	spoor_trace_append(SPOOR_BLOCK_SKIPPED_SLEDS, 0, bytes, sizeof(skipped_sleds));
}

static bool is_any(const struct spoor_skipped_sleds *skipped_sleds)
{
	return skipped_sleds->other_kind | skipped_sleds->unexpected_bytes | skipped_sleds->conditional_jump |
	       skipped_sleds->stack_operand | skipped_sleds->no_function | skipped_sleds->out_of_reach;
}

/* Writes skipped_sleds only if it changed: a program may switch functions on and off often. */
static void write_changes(const struct spoor_instance *instance)
{
	const struct spoor_skipped_sleds *now = &spoor_sleds_at(instance->position)->skipped_sleds;
	struct spoor_skipped_sleds **last = &written[instance->position];

	if (*last ? memcmp(*last, now, sizeof(*now)) == 0 : !is_any(now))
		return;
	if (!*last)
		*last = spoor_permanent_alloc(sizeof(**last));
	if (*last)
		**last = *now;
	if (is_any(now))
		spoor_trace_skipped_sleds(instance, *now);
}

bool spoor_module_is_recorded(const struct spoor_instance *instance)
{
	return spoor_module_bit(&recorded, instance->position);
}

static void record(struct spoor_instance *instance)
{
	struct spoor_skipped_sleds *last = written[instance->position];

	if (spoor_module_is_recorded(instance))
		return;
	write_module(instance);
	spoor_trace_captures(instance);
	if (last)
		memset(last, 0, sizeof(*last));
	spoor_module_bit_set(&recorded, instance->position);
}

void spoor_module_record(struct spoor_instance *instance)
{
	record(instance);
	write_changes(instance);
}

void spoor_module_records_forget(void)
{
	spoor_module_bits_clear(&recorded);
}

/* The number of seccomp filters of this process; 0 if it is unknown. */
static long seccomp_filters(void)
{
	static const char name[] = "\nSeccomp_filters:\t";
	int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	char text[2048];
	ssize_t length = file < 0 ? 0 : read(file, text, sizeof(text) - 1);
	const char *at;

	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = '\0';
	at = strstr(text, name);
	return at ? atol(at + strlen(name)) : 0;
}

/*
 * Sends the module's file to the recorder while the file is at its path. Sends nothing from a process that has
 * added a seccomp filter since its pool was sent, because the filter may end the process for a socket.
 */
static void send_file(const struct spoor_instance *instance)
{
	static char recorder[sizeof(spoor_configuration.recorder)];
	static long filters;

	if (strcmp(recorder, spoor_configuration.recorder) != 0) {
		strcpy(recorder, spoor_configuration.recorder);
		spoor_module_bits_clear(&sent);
		filters = seccomp_filters();
	}
	if (!recorder[0] || spoor_module_bit(&sent, instance->position) || filters < 0)
		return;
	spoor_module_bit_set(&sent, instance->position);
	/* After an error nothing more is sent: a stopped recorder costs a fifth of a second each time. */
	if (seccomp_filters() != filters || spoor_recorder_send_module(recorder, instance->path) == -EAGAIN)
		filters = -1;
}

static int waking(struct spoor_instance *instance, const uint64_t *target)
{
	(void)target;
	send_file(instance);
	if (spoor_mode_is_elsewhere())
		return 0;
	/* Functions of a library are captured when they are first called, and then their captures are written again. */
	if (spoor_captured_library_take_change(instance) && spoor_module_is_recorded(instance))
		spoor_trace_captures(instance);
	record(instance);
	return 0;
}

static void changed(struct spoor_instance *instance)
{
	if (spoor_module_is_recorded(instance))
		write_changes(instance);
}

/* While the process ends, other threads may still close libraries. These closings are not recorded. */
static bool removed(struct spoor_instance *instance)
{
	spoor_module_bit_clear(&sent, instance->position);
	if (spoor_module_is_recorded(instance) && !spoor_process_is_ending()) {
		spoor_trace_module_gone(instance);
		spoor_module_bit_clear(&recorded, instance->position);
	}
	return false;
}

const struct spoor_module_observer spoor_record_modules = {
	.waking = waking,
	.changed = changed,
	.removed = removed,
};
