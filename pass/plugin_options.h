/* SPDX-License-Identifier: MIT */
/* plugin_options.h - the options of the plugin in a compiler. */
#ifndef SPOOR_PLUGIN_OPTIONS_H
#define SPOOR_PLUGIN_OPTIONS_H

#include "pass/options.h"

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * spoor_plugin_options - the settings of spoor_config.toml and the environment, which are read once.
 *
 * Returns null after an error that ends the compilation of @module.
 */
const struct spoor_options *spoor_plugin_options(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif

#endif
