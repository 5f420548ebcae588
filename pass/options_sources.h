/* SPDX-License-Identifier: MIT */
/* options_sources.h - spoor_config.toml and SPOOR_INSTRUMENTATION_*. */
#ifndef SPOOR_PASS_OPTIONS_SOURCES_H
#define SPOOR_PASS_OPTIONS_SOURCES_H

#include "pass/options.h"

/*
 * spoor_options_read - takes what the file says, then what the environment says.
 *
 * The file is the first spoor_config.toml from the working directory up to and
 * including the root.
 *
 * Return: 0, or a negative errno and @fault says what is wrong.
 */
int spoor_options_read(struct spoor_options *options, struct spoor_fault *fault);

#endif
