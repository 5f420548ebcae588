/* SPDX-License-Identifier: MIT */
/* options_sources.h - reads options from spoor_config.toml and SPOOR_INSTRUMENTATION_*. */
#ifndef SPOOR_PASS_OPTIONS_SOURCES_H
#define SPOOR_PASS_OPTIONS_SOURCES_H

#include "pass/options.h"

/*
 * spoor_options_read - applies the settings of the file, then the environment's settings.
 *
 * The file is the first spoor_config.toml in the working directory or a folder above
 * it, up to the root.
 *
 * Returns 0, or a negative errno with the error in @fault.
 */
int spoor_options_read(struct spoor_options *options, struct spoor_fault *fault);

#endif
