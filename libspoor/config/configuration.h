/* SPDX-License-Identifier: MIT */
/*
 * configuration.h - what SPOOR_RUNTIME_* and the file that it names ask for.
 *
 * A key is `trace_path` in the file and SPOOR_RUNTIME_TRACE_PATH in the
 * environment, which wins. Read once.
 */
#ifndef SPOOR_CONFIGURATION_H
#define SPOOR_CONFIGURATION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spoor_mode { SPOOR_MODE_LOG, SPOOR_MODE_RING, SPOOR_MODE_COUNT, SPOOR_MODE_OFF, SPOOR_MODE_ORDER };

/* Where a value comes from: a line of the file, or one of these. */
#define SPOOR_ORIGIN_DEFAULT 0u
#define SPOOR_ORIGIN_ENVIRONMENT UINT32_MAX

#define SPOOR_CONFIGURATION_KEYS_MAX 32u

/* Patterns of tracepoints that mean none at all. */
#define SPOOR_TRACEPOINTS_NONE "none"

struct spoor_configuration {
	enum spoor_mode mode;
	char modules[4096];		/* patterns; "*" by default */
	char functions[4096];
	char tracepoints[4096];		/* over "provider:name"; "none" by default */
	char trace_path[PATH_MAX];	/* absolute */
	char flush_signal[24];		/* signal_name.h; "none" by default */
	char trigger[256];		/* trigger_text.h; "none" by default */
	uint64_t trigger_before_ms, trigger_after_ms, trigger_count;
	char handler[PATH_MAX];		/* a library; "" for none */
	char recorder[108];		/* name of a recorder's abstract socket; "" for none */
	uint64_t start_ns;		/* CLOCK_MONOTONIC: what begins before is dormant until it is woken */
	uint64_t session_id;
	bool packed;			/* compression_strategy */
	bool flush_all_events;
	bool time_stamp_counter;
	uint64_t thread_events;		/* thread_event_buffer_capacity; 0: no limit */
	uint64_t reserved_events;	/* of the pool's reserved part */
	uint64_t pool_events;		/* of its dynamic part; at most, where that is the default */
	uint64_t reserved_slice_events;
	uint64_t dynamic_slice_events;
	uint64_t borrow_attempts;	/* 0: no limit */
	uint64_t flush_attempts;	/* 0: no limit */
	uint64_t retention_ns;		/* of an ended thread's events, in circular mode */

	char config_file[PATH_MAX];	/* "" for none */
	uint32_t origins[SPOOR_CONFIGURATION_KEYS_MAX];	/* by the key's position */
};

/* The configuration in force in this process. */
extern struct spoor_configuration spoor_configuration;

enum spoor_key_kind { SPOOR_KEY_TEXT, SPOOR_KEY_NUMBER, SPOOR_KEY_BOOLEAN };

struct spoor_key {
	const char *name;		/* as in the file */
	enum spoor_key_kind kind;
	uint64_t least, most;		/* of a number */
	const char *meaning;		/* with the unit, in few words */
};

/*
 * spoor_configuration_read - from the file and the environment.
 *
 * Return: 0, or -EINVAL after a message that names the source and the key: then
 * the program goes on untraced rather than wrongly traced.
 *
 * Context: before main, or the first registration. Not signal-safe.
 */
int spoor_configuration_read(struct spoor_configuration *configuration);

/* What spoor_mode_set takes besides these: events go to the handler again. */
#define SPOOR_MODE_HANDLER "handler"

/* The mode of this name; -EINVAL for none. Any context. */
int spoor_configuration_mode(const char *name);
const char *spoor_configuration_mode_name(enum spoor_mode mode);

/* The key at a position, from 0; null behind the last. Any context. */
const struct spoor_key *spoor_configuration_key(uint32_t position);

/*
 * spoor_configuration_text - the value of a key, in words.
 * @text: at most @size bytes of it with the NUL; may be null where @size is 0
 *
 * Return: the whole text's length.
 */
size_t spoor_configuration_text(const struct spoor_configuration *configuration, uint32_t position, char *text,
				size_t size);

/* How many slices the pool's two parts have. */
uint32_t spoor_configuration_reserved_slices(const struct spoor_configuration *configuration);
uint32_t spoor_configuration_dynamic_slices(const struct spoor_configuration *configuration);

#endif
