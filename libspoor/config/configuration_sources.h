/* SPDX-License-Identifier: MIT */
/* configuration_sources.h - the file and the environment, one setting at a time. */
#ifndef SPOOR_CONFIGURATION_SOURCES_H
#define SPOOR_CONFIGURATION_SOURCES_H

#include "config/configuration.h"

struct spoor_setting {
	const char *source;	/* "SPOOR_RUNTIME_MODE", "/etc/x.toml:3: mode" */
	const char *assignment;	/* between source and value: "=", " = " */
	const char *key;	/* in lower case; null where the source has no such spelling */
	const char *value;
	bool has_value;		/* it is fit to be shown */
	bool any_kind;		/* the environment has strings alone */
	enum spoor_key_kind kind;
	uint32_t origin;
};

/*
 * spoor_configuration_set - takes one setting; configuration.c's.
 *
 * Return: 0, or -EINVAL after a message.
 */
int spoor_configuration_set(struct spoor_configuration *configuration, const struct spoor_setting *setting);

/*
 * spoor_sources_read - hands over all settings: the file's, then the environment's.
 *
 * Return: 0, or -EINVAL after a message.
 */
int spoor_sources_read(struct spoor_configuration *configuration);

#endif
