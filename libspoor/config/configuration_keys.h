/* SPDX-License-Identifier: MIT */
/* configuration_keys.h - the configuration's keys, with their limits and their fields. */
#ifndef SPOOR_CONFIGURATION_KEYS_H
#define SPOOR_CONFIGURATION_KEYS_H

#include <stddef.h>

#include "config/configuration.h"
#include "format/pool_format.h"

#define POOL_EVENTS_LEAST (64 * SPOOR_SLICE_WORDS)
#define POOL_EVENTS_DEFAULT ((256ull << 20) / sizeof(uint64_t))
#define POOL_EVENTS_MOST ((uint64_t)SPOOR_POOL_SLICE_COUNT_MAX * SPOOR_SLICE_WORDS)
#define SLICE_EVENTS_LEAST 64u

enum spoor_key_position {
	KEY_MODE,
	KEY_MODULES,
	KEY_FUNCTIONS,
	KEY_TRACEPOINTS,
	KEY_ARGS,
	KEY_RETVAL,
	KEY_LIBRARY_CALLS,
	KEY_CPU_TIME,
	KEY_TRACE_PATH,
	KEY_HANDLER,
	KEY_COMPRESSION,
	KEY_SESSION_ID,
	KEY_FLUSH_ALL,
	KEY_THREAD_EVENTS,
	KEY_RESERVED_SLICE,
	KEY_DYNAMIC_SLICE,
	KEY_RESERVED_POOL,
	KEY_DYNAMIC_POOL,
	KEY_BORROW_ATTEMPTS,
	KEY_FLUSH_ATTEMPTS,
	KEY_RETENTION,
	KEY_TIME_STAMP_COUNTER,
	KEY_FLUSH_SIGNAL,
	KEY_TRIGGER,
	KEY_TRIGGER_BEFORE,
	KEY_TRIGGER_AFTER,
	KEY_TRIGGER_COUNT,
	KEY_RECORDER,
	KEY_START,
	KEY_COUNT,
};

_Static_assert(KEY_COUNT <= SPOOR_CONFIGURATION_KEYS_MAX, "configuration.h");

/* A key with the place of its value in struct spoor_configuration; a size of 0: not a text, or not a field of its own. */
struct spoor_key_field {
	struct spoor_key key;
	size_t field, size;
};

extern const struct spoor_key_field spoor_key_fields[KEY_COUNT];

#endif
