/* SPDX-License-Identifier: MIT */
/* gcc_unit.c - what GCC's plugin knows of the unit that it compiles: options, filters and described functions. */
#define _GNU_SOURCE
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "pass/gcc/gcc_unit.h"

#include "format/registration.h"
#include "pass/options.h"
#include "pass/options_sources.h"
#include "pass/description/symbols.h"
#include "text/filters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct spoor_options options;
static struct filters filters;
static struct symbols symbols;
static XXH3_state_t content;
static char *unit_name;

static int explain(struct spoor_fault *fault, int error, const char *what, const char *path)
{
	snprintf(fault->text, sizeof fault->text, "%s%.600s: %s", what, path, strerror(-error));
	return error;
}

static int read_filters(struct spoor_fault *fault)
{
	struct spoor_fault found;
	int error = *options.filters_file ? filters_read(&filters, options.filters_file, &found) : 0;

	/* An error in the file itself already names its place. */
	if (error < 0)
		snprintf(fault->text, sizeof fault->text, "%.300s%s%.700s", error == -EINVAL ? "" : options.filters_file_source,
			 error == -EINVAL ? "" : ": ", found.text);
	return error;
}

int gcc_unit_begin(struct spoor_fault *fault)
{
	int error;

	XXH3_64bits_reset(&content);
	if (spoor_options_begin(&options) < 0)
		return explain(fault, -ENOMEM, "the options", "");
	error = spoor_options_read(&options, fault);
	if (error < 0)
		return error;
	if (options.mode == SPOOR_MEANS_CALL) {
		snprintf(fault->text, sizeof fault->text, "mode: GCC's plugin has no mode call: compile with "
			 "-finstrument-functions and without the plugin");
		return -EINVAL;
	}
	error = read_filters(fault);
	if (error < 0)
		return error;
	if (symbols_begin(&symbols, "", "") < 0) {
		snprintf(fault->text, sizeof fault->text, "SOURCE_DATE_EPOCH is not a number of seconds since 1970");
		return -EINVAL;
	}
	return 0;
}

void gcc_unit_name(const char *source)
{
	if (unit_name)
		return;
	unit_name = strdup(source);
	symbols.source_file = unit_name ? unit_name : "";
	symbols.module_id = *options.module_id ? options.module_id : symbols.source_file;
}

bool gcc_unit_is_instrumented(void)
{
	return options.inject_instrumentation;
}

bool gcc_unit_is_for_order(void)
{
	return options.mode == SPOOR_MEANS_ORDER;
}

uint32_t gcc_unit_asleep(void)
{
	return (options.initialize_runtime ? 0 : SPOOR_ASLEEP_NOT_INITIALIZED) |
	       (options.enable_runtime ? 0 : SPOOR_ASLEEP_NOT_ENABLED);
}

void gcc_unit_hash(const void *bytes, size_t size)
{
	XXH3_64bits_update(&content, bytes, size);
}

/* What a filter's condition asks about. */
struct asked {
	const struct gcc_function *function;
	struct description description;
	char *path;
};

static const char *source_path(struct asked *asked)
{
	const struct gcc_function *function = asked->function;

	if (!function->file)
		return symbols.source_file;
	if (function->file[0] == '/' || !function->folder)
		return function->file;
	if (!asked->path && asprintf(&asked->path, "%s/%s", function->folder, function->file) < 0)
		asked->path = NULL;
	return asked->path;
}

static const char *text(void *context, enum filter_text which)
{
	struct asked *asked = context;

	switch (which) {
	case FILTER_SOURCE_FILE_PATH:
		return source_path(asked);
	case FILTER_FUNCTION_DEMANGLED_NAME:
		return description_demangled(&asked->description);
	case FILTER_FUNCTION_LINKAGE_NAME:
		return asked->function->linkage_name;
	case FILTER_MODULE:
		return symbols.module_id;
	default:
		return NULL;
	}
}

static bool has_attribute(void *context, const char *name, const char *value)
{
	const struct gcc_function *function = ((struct asked *)context)->function;

	return function->has_attribute(function->context, name, value);
}

static bool has_loop(void *context)
{
	return ((struct asked *)context)->function->has_loop;
}

bool gcc_unit_allows(const struct gcc_function *function, const char **reason)
{
	struct asked asked = {.function = function, .description.linkage_name = function->linkage_name};
	struct filter_subject subject = {text, has_attribute, has_loop, function->statements, &asked};
	const struct filter_rule *rule;
	bool blocks;

	if (!filters.count)
		return true;
	blocks = filters_block(&filters, &subject, &rule);
	*reason = rule ? rule->name : NULL;
	description_free(&asked.description);
	free(asked.path);
	return !blocks;
}

int gcc_unit_add(const struct gcc_function *function)
{
	struct symbol symbol = {
		.id = symbols.count,
		.instrumented = function->instrumented,
		.in_section = options.inject_instrumentation,
		.has_loop = function->has_loop,
		.ruled = function->ruled,
		.reason = function->reason,
	};
	struct description *description = &symbol.description;

	/* GCC may free its own copies of the names. */
	description->linkage_name = strdup(function->linkage_name);
	description->file_name = function->file ? strdup(function->file) : NULL;
	description->directory = function->file ? strdup(function->folder ? function->folder : "") : NULL;
	description->line = function->line;
	description->instructions = function->statements;
	if (!description->linkage_name || (function->file && (!description->file_name || !description->directory)))
		return -ENOMEM;
	gcc_unit_hash(function->linkage_name, strlen(function->linkage_name) + 1);
	return symbols_add(&symbols, &symbol);
}

uint32_t gcc_unit_count(void)
{
	return (uint32_t)symbols.count;
}

static uint32_t compute_id(void)
{
	const char *base = strrchr(symbols.source_file, '/');
	uint64_t hash;

	base = base ? base + 1 : symbols.source_file;
	gcc_unit_hash(base, strlen(base) + 1);
	gcc_unit_hash(options.module_id, strlen(options.module_id) + 1);
	hash = XXH3_64bits_digest(&content);
	hash ^= hash >> 32;
	return (uint32_t)hash ? (uint32_t)hash : 1;
}

int gcc_unit_finish(uint32_t *unit, uint8_t **bytes, size_t *size, struct spoor_fault *fault)
{
	int error = 0;

	*unit = compute_id();
	for (size_t i = 0; i < symbols.count; i++)
		symbols.list[i].id |= (uint64_t)*unit << 32;
	if (*options.output_symbols_file)
		error = symbols_write(&symbols, options.output_symbols_file);
	if (error < 0)
		return explain(fault, error, "cannot write the symbols file ", options.output_symbols_file);
	error = symbols_pack(&symbols, true, bytes, size);
	return error < 0 ? explain(fault, error, "the symbols", "") : 0;
}
