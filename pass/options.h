/* SPDX-License-Identifier: MIT */
/*
 * options.h - what the pass and spoor_opt can be asked for: Spoor's options, by
 * Spoor's names, with Spoor's defaults.
 *
 * A value comes from spoor_config.toml, from the environment, which wins over
 * it, and in spoor_opt from the command line, which wins over both.
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
	bool enable_runtime;
	bool force_binary_output;
	bool initialize_runtime;
	bool inject_instrumentation;
	enum spoor_means mode;
	enum spoor_language output_language;
	/* "" for none. */
	char *filters_file;
	char *module_id;
	char *output_file;	/* "-" is standard output */
	char *output_symbols_file;
	char *filters_file_source;	/* who named it, as a setting has it */
};

enum spoor_option_kind { SPOOR_OPTION_BOOLEAN, SPOOR_OPTION_TEXT, SPOOR_OPTION_PATH, SPOOR_OPTION_WORD };

struct spoor_option {
	const char *name;		/* as in the file */
	enum spoor_option_kind kind;
	const char *standard;		/* the default, as it is shown */
	const char *meaning;		/* in few words */
	size_t offset;			/* in struct spoor_options */
	const char *const *words;	/* of a word: by the numbers of its enum, then null */
};

struct spoor_option_setting {
	const char *source;		/* "SPOOR_INSTRUMENTATION_MODE", "/a/spoor_config.toml:3: mode" */
	const char *key;
	const char *value;
	/* What a file says of the value; elsewhere all is text. */
	bool is_typed, is_string, is_boolean;
	bool is_expanded;		/* by a shell: '~' and '$' are themselves */
	const char *folder;		/* what paths are relative to; null: the working directory */
};

/* Return: 0 or -ENOMEM. Free them in both cases. */
int spoor_options_begin(struct spoor_options *options);
void spoor_options_free(struct spoor_options *options);

/* The option at a position, from 0; null behind the last. */
const struct spoor_option *spoor_option_at(size_t position);
/* Null for none of that name. */
const struct spoor_option *spoor_option_find(const char *name);

/*
 * spoor_options_set - takes one setting.
 *
 * Return: 0, -EINVAL and @fault says what is wrong, or -ENOMEM and @fault says so.
 */
int spoor_options_set(struct spoor_options *options, const struct spoor_option_setting *setting,
		      struct spoor_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
