/* SPDX-License-Identifier: MIT */
/* configuration_sources.h - passes each setting of the file and of the environment to the configuration. */
#ifndef SPOOR_CONFIGURATION_SOURCES_H
#define SPOOR_CONFIGURATION_SOURCES_H

#include "config/configuration.h"

struct spoor_setting {
	const char *source;	/* for messages: "SPOOR_RUNTIME_MODE", "/etc/x.toml:3: mode" */
	const char *assignment;	/* for messages, between source and value: "=", " = " */
	const char *key;	/* in lower case */
	const char *value;
	bool has_value;		/* false: do not print it */
	bool any_kind;		/* the source does not know kinds: the environment has only strings */
	enum spoor_key_kind kind;	/* unless any_kind */
	uint32_t origin;	/* line of the file, or SPOOR_ORIGIN_ENVIRONMENT */
};

/*
 * spoor_configuration_set - applies one setting. Defined in configuration.c.
 *
 * Return: 0, or -EINVAL after printing a message.
 */
int spoor_configuration_set(struct spoor_configuration *configuration, const struct spoor_setting *setting);

/*
 * spoor_sources_read - passes all settings to spoor_configuration_set: first the file's settings.
 *
 * Return: 0, or -EINVAL after printing a message.
 */
int spoor_sources_read(struct spoor_configuration *configuration);

#endif
