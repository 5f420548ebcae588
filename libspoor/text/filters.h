/* SPDX-License-Identifier: MIT */
/*
 * filters.h - the rules that choose which functions are instrumented.
 *
 * A rule applies if all of its conditions hold. A function is not instrumented if a rule blocks it and
 * no rule allows it. Without rules, all functions are instrumented.
 */
#ifndef SPOOR_FILTERS_H
#define SPOOR_FILTERS_H

#include "text/fault.h"

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

/* The texts of a function that conditions look at. A text is null if it is unknown. */
enum filter_text {
	FILTER_SOURCE_FILE_PATH,
	FILTER_FUNCTION_DEMANGLED_NAME,
	FILTER_FUNCTION_LINKAGE_NAME,
	FILTER_MODULE,
	FILTER_TEXT_COUNT,
};

/* Answers the questions of the conditions about one function. The filter asks only the needed questions. */
struct filter_subject {
	const char *(*text)(void *context, enum filter_text which);
	bool (*has_attribute)(void *context, const char *name, const char *value);	/* null: any value */
	bool (*has_loop)(void *context);
	uint32_t instructions;	/* number of instructions in LLVM's IR */
	void *context;
};

enum filter_kind {
	FILTER_EXPRESSION,
	FILTER_GLOB,
	FILTER_FEWER,	/* fewer instructions than @number */
	FILTER_MORE,	/* more instructions than @number */
	FILTER_LOOP,
	FILTER_ATTRIBUTE,
};

struct filter_condition {
	enum filter_kind kind;
	enum filter_text of;
	char *text;		/* a glob, or an attribute */
	char *literal;		/* a string that occurs in each text that the expression matches, or null */
	regex_t expression;
	uint64_t number;
	bool truth;		/* FILTER_LOOP: required answer; FILTER_EXPRESSION: @expression is compiled */
};

struct filter_rule {
	bool allows;
	uint32_t line;		/* in the file */
	char *name;		/* null: none */
	struct filter_condition *conditions;
	size_t count;
};

struct filters {
	struct filter_rule *rules;	/* in the order of the file */
	size_t count;
};

/*
 * filters_read - reads rules from a file: in TOML, or one of XRay's attribute lists.
 * @fault: out: describes an error, with its line
 *
 * Return: 0, or a negative errno. The caller frees @filters in both cases.
 */
int filters_read(struct filters *filters, const char *path, struct spoor_fault *fault);

/* Parses rules in memory. @path: for messages */
int filters_parse(struct filters *filters, const char *path, const char *bytes, size_t size,
		  struct spoor_fault *fault);

void filters_free(struct filters *filters);

/*
 * filters_block - whether the rules exclude a function from instrumentation.
 * @rule: out: the first rule that allows the function, or else the first that blocks it, or null
 */
bool filters_block(const struct filters *filters, const struct filter_subject *subject,
		   const struct filter_rule **rule);

/* For the parsers: append a rule, or a condition. They return null without memory. */
struct filter_rule *filters_add(struct filters *filters, bool allows, uint32_t line);
struct filter_condition *filter_rule_add(struct filter_rule *rule);

/* Tells if a file is one of XRay's attribute lists. */
bool xray_list_is_one(const char *bytes, size_t size);

/* Parses an attribute list. Returns 0 or -EINVAL. */
int xray_list_parse(struct filters *filters, const char *path, const char *bytes, size_t size,
		    struct spoor_fault *fault);

#endif
