/* SPDX-License-Identifier: MIT */
/*
 * options.h - the options of the pass and spoor_opt, with Spoor's names and defaults.
 *
 * A value comes from spoor_config.toml, from the environment, which takes precedence over
 * the file, and in spoor_opt from the command line, which takes precedence over both.
 */
#ifndef SPOOR_PASS_OPTIONS_H
#define SPOOR_PASS_OPTIONS_H

#include "text/fault.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum spoor_means { SPOOR_MEANS_SLED, SPOOR_MEANS_CALL, SPOOR_MEANS_ORDER };
enum spoor_language { SPOOR_LANGUAGE_BITCODE, SPOOR_LANGUAGE_IR };

struct spoor_options {
	bool before_inlining;
	bool enable_runtime;
	bool force_binary_output;
	bool initialize_runtime;
	bool inject_instrumentation;
	enum spoor_means mode;
	enum spoor_language output_language;
	/* "" if not set. */
	char *filters_file;
	char *keep;		/* patterns */
	char *library_calls;	/* patterns */
	char *module_id;
	char *output_file;	/* "-" means standard output */
	char *output_symbols_file;
	char *filters_file_source;	/* the source of the setting, as in struct spoor_option_setting */
};

enum spoor_option_kind { SPOOR_OPTION_BOOLEAN, SPOOR_OPTION_TEXT, SPOOR_OPTION_PATH, SPOOR_OPTION_WORD };

struct spoor_option {
	const char *name;		/* as in the file */
	enum spoor_option_kind kind;
	const char *standard;		/* the default, as displayed */
	const char *meaning;		/* a short description */
	size_t offset;			/* in struct spoor_options */
	const char *const *words;	/* the values of a word option, indexed by its enum; ends with null */
};

struct spoor_option_setting {
	const char *source;		/* for messages: "SPOOR_INSTRUMENTATION_MODE", "/a/spoor_config.toml:3:
					 * mode" */
	const char *key;
	const char *value;
	/* The type of the value in a file; other sources have only text. */
	bool is_typed, is_string, is_boolean;
	bool is_expanded;		/* by a shell: '~' and '$' are taken literally */
	const char *folder;		/* the base of relative paths; null: the working directory */
};

/* Returns 0, or -ENOMEM. Free the options in both cases. */
int spoor_options_begin(struct spoor_options *options);
void spoor_options_free(struct spoor_options *options);

/* The option at a position, counted from 0; null after the last. */
const struct spoor_option *spoor_option_at(size_t position);
/* Returns null if no option has this name. */
const struct spoor_option *spoor_option_find(const char *name);

/*
 * spoor_options_set - applies one setting.
 *
 * Returns 0, or -EINVAL or -ENOMEM with the error in @fault.
 */
int spoor_options_set(struct spoor_options *options, const struct spoor_option_setting *setting,
		      struct spoor_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
