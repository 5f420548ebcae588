/* SPDX-License-Identifier: MIT */
/*
 * configuration.h - the runtime's configuration, from SPOOR_RUNTIME_* and the file that one of these
 * variables names.
 *
 * A key is `trace_path` in the file and SPOOR_RUNTIME_TRACE_PATH in the environment, which takes
 * precedence. The configuration is read once.
 */
#ifndef SPOOR_CONFIGURATION_H
#define SPOOR_CONFIGURATION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spoor_mode { SPOOR_MODE_LOG, SPOOR_MODE_RING, SPOOR_MODE_COUNT, SPOOR_MODE_OFF, SPOOR_MODE_ORDER };

/* The origin of a value: a line number of the file, or one of these. */
#define SPOOR_ORIGIN_DEFAULT 0u
#define SPOOR_ORIGIN_ENVIRONMENT UINT32_MAX

#define SPOOR_CONFIGURATION_KEYS_MAX 32u

/* The value of `tracepoints` that chooses no tracepoint. */
#define SPOOR_TRACEPOINTS_NONE "none"

struct spoor_configuration {
	enum spoor_mode mode;
	char modules[4096];		/* patterns; default "*" */
	char functions[4096];		/* patterns; default "*" */
	char tracepoints[4096];		/* patterns for "provider:name"; default "none" */
	char args[4096], retval[4096], cpu_time[4096];	/* capture_text.h; default "": none */
	char library_calls[4096];	/* patterns for "library" or "library:function"; default "": none */
	char trace_path[PATH_MAX];	/* absolute */
	char flush_signal[24];		/* signal_name.h; default "none" */
	char trigger[256];		/* trigger_text.h; default "none" */
	uint64_t trigger_before_ms, trigger_after_ms, trigger_count;
	char handler[PATH_MAX];		/* path of a library; "": none */
	char recorder[108];		/* name of a recorder (recorder_protocol.h); "": none */
	uint64_t start_ns;		/* CLOCK_MONOTONIC: a runtime that starts before begins in mode 'off' */
	uint64_t session_id;
	bool packed;			/* compression_strategy */
	bool flush_all_events;
	bool time_stamp_counter;
	uint64_t thread_events;		/* thread_event_buffer_capacity; 0: no limit */
	uint64_t reserved_events;	/* in the pool's reserved part */
	uint64_t pool_events;		/* in its dynamic part; the default is an upper limit */
	uint64_t reserved_slice_events;
	uint64_t dynamic_slice_events;
	uint64_t borrow_attempts;	/* 0: no limit */
	uint64_t flush_attempts;	/* 0: no limit */
	uint64_t retention_ns;		/* how long a ring keeps an ended thread's events */

	char config_file[PATH_MAX];	/* "": none */
	uint32_t origins[SPOOR_CONFIGURATION_KEYS_MAX];	/* by position of the key */
};

/* The configuration of this process. */
extern struct spoor_configuration spoor_configuration;

enum spoor_key_kind { SPOOR_KEY_TEXT, SPOOR_KEY_NUMBER, SPOOR_KEY_BOOLEAN };

struct spoor_key {
	const char *name;		/* as in the file */
	enum spoor_key_kind kind;
	uint64_t least, most;		/* limits of a number */
	const char *meaning;		/* a short description, with the unit */
};

/*
 * spoor_configuration_read - reads the file and the environment.
 *
 * Return: 0, or -EINVAL after printing a message with the source and the key: then the program runs
 * untraced.
 *
 * Context: before main, or at the first registration. Not signal-safe.
 */
int spoor_configuration_read(struct spoor_configuration *configuration);

/* spoor_mode_set also accepts this name: the handler gets the events again. */
#define SPOOR_MODE_HANDLER "handler"

/* Returns the mode of this name; -EINVAL if there is none. Any context. */
int spoor_configuration_mode(const char *name);
const char *spoor_configuration_mode_name(enum spoor_mode mode);

/* Returns the key at a position from 0; null after the last one. Any context. */
const struct spoor_key *spoor_configuration_key(uint32_t position);

/*
 * spoor_configuration_text - formats the value of a key.
 * @text: out: at most @size bytes with the NUL; may be null if @size is 0
 *
 * Return: the length of the whole text.
 */
size_t spoor_configuration_text(const struct spoor_configuration *configuration, uint32_t position, char *text,
				size_t size);

/* Number of slices in the two parts of the pool. */
uint32_t spoor_configuration_reserved_slices(const struct spoor_configuration *configuration);
uint32_t spoor_configuration_dynamic_slices(const struct spoor_configuration *configuration);

#endif
