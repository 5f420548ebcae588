/* SPDX-License-Identifier: MIT */
/* options_sources.h - spoor_config.toml and SPOOR_INSTRUMENTATION_*. */
#ifndef SPOOR_PASS_OPTIONS_SOURCES_H
#define SPOOR_PASS_OPTIONS_SOURCES_H

#include "options.h"

/*
 * spoor_options_read - takes what the file says, then what the environment says.
 *
 * The file is the first spoor_config.toml from the working directory up to and
 * including the root.
 *
 * Return: 0, or a negative errno and @fault says what is wrong.
 */
int spoor_options_read(struct spoor_options *options, struct spoor_fault *fault);

/*
 * spoor_file_read - reads a file of text that is not larger than 16 MiB.
 * @bytes: gets what is to be freed
 *
 * Return: 0, or a negative errno.
 */
int spoor_file_read(const char *path, char **bytes, size_t *size);

#endif
