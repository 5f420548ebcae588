/* SPDX-License-Identifier: MIT */
/* filters_file.c - parses rules in TOML: tables [[block]] and [[allow]], whose keys are conditions. */
#define _GNU_SOURCE
#include "text/filters.h"

#include "text/file_bytes.h"
#include "text/toml.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct key {
	const char *name;
	enum filter_kind kind;
	enum filter_text of;
};

static const struct key keys[] = {
	{"source_file_path", FILTER_EXPRESSION, FILTER_SOURCE_FILE_PATH},
	{"source_file_path_glob", FILTER_GLOB, FILTER_SOURCE_FILE_PATH},
	{"function_demangled_name", FILTER_EXPRESSION, FILTER_FUNCTION_DEMANGLED_NAME},
	{"function_demangled_name_glob", FILTER_GLOB, FILTER_FUNCTION_DEMANGLED_NAME},
	{"function_linkage_name", FILTER_EXPRESSION, FILTER_FUNCTION_LINKAGE_NAME},
	{"function_linkage_name_glob", FILTER_GLOB, FILTER_FUNCTION_LINKAGE_NAME},
	{"module", FILTER_EXPRESSION, FILTER_MODULE},
	{"module_glob", FILTER_GLOB, FILTER_MODULE},
	{"function_ir_instruction_count_lt", FILTER_FEWER, 0},
	{"function_ir_instruction_count_gt", FILTER_MORE, 0},
	{"function_has_loop", FILTER_LOOP, 0},
	{"function_attribute", FILTER_ATTRIBUTE, 0},
};
#define KEY_COUNT (sizeof keys / sizeof *keys)

/* The state of the parser. */
struct reading {
	struct filters *filters;
	const char *path;
	struct spoor_toml toml;
	struct spoor_toml_pair pair;
	struct filter_rule *rule;	/* the current rule */
	bool has_name;
	uint32_t lines[KEY_COUNT];	/* line of each key in the current rule; 0: not used */
	struct spoor_fault *fault;
};

static int __attribute__((format(printf, 2, 3))) refuse(const struct reading *reading, const char *format, ...)
{
	int used = snprintf(reading->fault->text, sizeof reading->fault->text, "%.600s:%u: ", reading->path,
			    reading->toml.line);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reading->fault->text + used, sizeof reading->fault->text - (size_t)used, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static int no_memory(const struct reading *reading)
{
	snprintf(reading->fault->text, sizeof reading->fault->text, "out of memory");
	return -ENOMEM;
}

static int begin_rule(struct reading *reading)
{
	bool allows = strcmp(reading->pair.key, "allow") == 0;

	if (!allows && strcmp(reading->pair.key, "block") != 0)
		return refuse(reading, "unknown table [[%s]]: use [[block]] or [[allow]]", reading->pair.key);
	reading->rule = filters_add(reading->filters, allows, reading->toml.line);
	reading->has_name = false;
	memset(reading->lines, 0, sizeof reading->lines);
	return reading->rule ? 0 : no_memory(reading);
}

/* Returns the text after a set of characters [...] that begins at @at, or the end of the text. */
static const char *skip_set(const char *at)
{
	at += at[1] == '^' ? 2 : 1;
	/* A ']' as the first character belongs to the set. */
	at += *at == ']';
	for (; *at && *at != ']'; at++) {
		char kind = at[0] == '[' ? at[1] : '\0';

		if (kind != ':' && kind != '.' && kind != '=')
			continue;
		for (at += 2; *at && !(at[0] == kind && at[1] == ']'); at++)
			;
		if (*at)
			at++;
		else
			break;
	}
	return *at ? at + 1 : at;
}

/* Returns the text after the parentheses or braces that begin at @at, or the end of the text. */
static const char *skip_group(const char *at)
{
	int depth = 0;

	if (*at == '{')
		return at + strcspn(at, "}") + (strchr(at, '}') != NULL);
	while (*at) {
		if (*at == '[') {
			at = skip_set(at);
			continue;
		}
		if (*at == '\\' && at[1])
			at++;
		else
			depth += (*at == '(') - (*at == ')');
		at++;
		if (depth == 0)
			break;
	}
	return at;
}

/* Returns the longest string that occurs in each text that an expression matches, or null. Ignores sets,
 * groups, and expressions with alternatives. */
static char *find_literal(const char *at)
{
	static const char special[] = ".[]\\()*+?{}|^$";
	char run[256], best[256] = "";
	size_t length = 0;

	while (*at) {
		bool escaped = *at == '\\' && at[1];
		char byte = at[escaped];
		bool plain = escaped ? strchr(special, byte) != NULL : strchr(special, byte) == NULL;
		const char *next = at + 1 + escaped;

		if (*at == '|')
			return NULL;
		/* Before these a character may be missing. */
		plain = plain && *next != '*' && *next != '?' && *next != '{' && length + 1 < sizeof run;
		if (plain)
			run[length++] = byte;
		run[length] = '\0';
		if (length > strlen(best))
			strcpy(best, run);
		if (!plain || *next == '+')
			length = 0;
		at = *at == '[' ? skip_set(at) : *at == '(' || *at == '{' ? skip_group(at) : next;
	}
	return *best ? strdup(best) : NULL;
}

static int set_expression(struct reading *reading, struct filter_condition *condition)
{
	char *whole, why[200];
	int error;

	if (asprintf(&whole, "^(%s)$", reading->pair.text) < 0)
		return no_memory(reading);
	/* Compile the text alone first: "a)(b" is invalid, but would be valid between parentheses. */
	error = regcomp(&condition->expression, reading->pair.text, REG_EXTENDED | REG_NOSUB);
	if (error == 0) {
		regfree(&condition->expression);
		error = regcomp(&condition->expression, whole, REG_EXTENDED | REG_NOSUB);
	}
	free(whole);
	condition->truth = error == 0;
	if (error) {
		regerror(error, NULL, why, sizeof why);
		return refuse(reading, "%s: \"%.200s\" is not a valid regular expression: %s", reading->pair.key,
			      reading->pair.text, why);
	}
	condition->literal = find_literal(reading->pair.text);
	return 0;
}

static int set_condition(struct reading *reading, const struct key *key)
{
	const struct spoor_toml_pair *pair = &reading->pair;
	bool is_number = key->kind == FILTER_FEWER || key->kind == FILTER_MORE;
	enum spoor_toml_kind wanted = is_number ? SPOOR_TOML_INTEGER :
				      key->kind == FILTER_LOOP ? SPOOR_TOML_BOOLEAN : SPOOR_TOML_STRING;
	struct filter_condition *condition;

	if (pair->kind != wanted || (is_number && pair->negative && pair->number))
		return refuse(reading, "%s: must be %s", pair->key, is_number ? "a whole number, 0 or more" :
			      wanted == SPOOR_TOML_BOOLEAN ? "true or false" : "a string, in quotes");
	condition = filter_rule_add(reading->rule);
	if (!condition)
		return no_memory(reading);
	condition->kind = key->kind;
	condition->of = key->of;
	condition->number = pair->number;
	if (key->kind == FILTER_EXPRESSION)
		return set_expression(reading, condition);
	if (key->kind == FILTER_LOOP)
		condition->truth = pair->boolean;
	else if (!is_number && !(condition->text = strdup(pair->text)))
		return no_memory(reading);
	return 0;
}

static int take_key(struct reading *reading)
{
	const struct spoor_toml_pair *pair = &reading->pair;

	if (!reading->rule)
		return refuse(reading, "%s: must follow a [[block]] or [[allow]]", pair->key);
	if (strcmp(pair->key, "rule_name") == 0) {
		if (pair->kind != SPOOR_TOML_STRING)
			return refuse(reading, "rule_name: must be a string, in quotes");
		if (reading->has_name)
			return refuse(reading, "rule_name: duplicate; a rule has one name");
		reading->has_name = true;
		reading->rule->name = strdup(pair->text);
		return reading->rule->name ? 0 : no_memory(reading);
	}
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (strcmp(pair->key, keys[i].name) != 0)
			continue;
		if (reading->lines[i])
			return refuse(reading, "%s: duplicate of line %u", pair->key, reading->lines[i]);
		reading->lines[i] = reading->toml.line;
		return set_condition(reading, &keys[i]);
	}
	return refuse(reading, "unknown condition '%s': spoor_opt(1) lists the conditions", pair->key);
}

int filters_parse(struct filters *filters, const char *path, const char *bytes, size_t size,
		  struct spoor_fault *fault)
{
	struct reading reading = {.filters = filters, .path = path, .fault = fault};
	int more, result = 0;

	*filters = (struct filters){NULL, 0};
	if (xray_list_is_one(bytes, size))
		return xray_list_parse(filters, path, bytes, size, fault);
	spoor_toml_begin(&reading.toml, bytes, size);
	reading.toml.tables = true;
	while (result == 0 && (more = spoor_toml_next(&reading.toml, &reading.pair)) != 0) {
		if (more < 0)
			return refuse(&reading, "%s", reading.toml.fault);
		result = reading.pair.kind == SPOOR_TOML_TABLE ? begin_rule(&reading) : take_key(&reading);
	}
	return result;
}

int filters_read(struct filters *filters, const char *path, struct spoor_fault *fault)
{
	size_t size;
	char *bytes;
	int error = file_bytes_read(path, FILE_BYTES_TEXT_MAX, &bytes, &size);

	*filters = (struct filters){NULL, 0};
	if (error < 0) {
		snprintf(fault->text, sizeof fault->text, "cannot read the filters file %.600s: %s", path,
			 strerror(-error));
		return error;
	}
	error = filters_parse(filters, path, bytes, size, fault);
	free(bytes);
	return error;
}
