/* SPDX-License-Identifier: MIT */
/* configuration.h - what SPOOR_RUNTIME_* asks for, read once. */
#ifndef SPOOR_CONFIGURATION_H
#define SPOOR_CONFIGURATION_H

#include <limits.h>
#include <stdint.h>

enum spoor_mode { SPOOR_MODE_LOG, SPOOR_MODE_OFF };

struct spoor_configuration {
	enum spoor_mode mode;
	char modules[4096];		/* patterns; "*" by default */
	char functions[4096];
	char trace_path[PATH_MAX];	/* absolute */
	char recorder[108];		/* name of a recorder's abstract socket; "" for none */
	uint64_t session_id;
	uint64_t pool_events;		/* the pool's capacity */
};

/*
 * spoor_configuration_read - from the environment.
 *
 * Return: 0, or -EINVAL after a message that names the key: then the program
 * goes on untraced rather than wrongly traced.
 *
 * Context: before main, or the first registration. Not signal-safe.
 */
int spoor_configuration_read(struct spoor_configuration *configuration);

#endif
