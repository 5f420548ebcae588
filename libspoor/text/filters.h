/* SPDX-License-Identifier: MIT */
/*
 * filters.h - rules that say which functions are instrumented.
 *
 * Conditions of a rule must all hold; of several rules one is enough; a rule that
 * allows counts for more than those that block. Without a rule, all are instrumented.
 */
#ifndef SPOOR_FILTERS_H
#define SPOOR_FILTERS_H

#include "text/fault.h"

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

/* What of a function rules look at. A text may be null where it is not known. */
enum filter_text {
	FILTER_SOURCE_FILE_PATH,
	FILTER_FUNCTION_DEMANGLED_NAME,
	FILTER_FUNCTION_LINKAGE_NAME,
	FILTER_MODULE,
	FILTER_TEXT_COUNT,
};

/* Asked for what rules want to know, and nothing else. */
struct filter_subject {
	const char *(*text)(void *context, enum filter_text which);
	bool (*has_attribute)(void *context, const char *name, const char *value);	/* value may be null */
	bool (*has_loop)(void *context);
	uint32_t instructions;
	void *context;
};

enum filter_kind {
	FILTER_EXPRESSION,
	FILTER_GLOB,
	FILTER_FEWER,	/* instructions than number */
	FILTER_MORE,
	FILTER_LOOP,
	FILTER_ATTRIBUTE,
};

struct filter_condition {
	enum filter_kind kind;
	enum filter_text of;
	char *text;		/* a glob, or an attribute */
	char *literal;		/* what any text that an expression matches has in it, or null */
	regex_t expression;
	uint64_t number;
	bool truth;
};

struct filter_rule {
	bool allows;
	uint32_t line;
	char *name;		/* null for none */
	struct filter_condition *conditions;
	size_t count;
};

struct filters {
	struct filter_rule *rules;	/* those that block, and those that allow, as they stand */
	size_t count;
};

/*
 * filters_read - from a file: rules in TOML, or one of XRay's lists.
 *
 * Return: 0, or a negative errno and @fault says what is wrong, with the line. Free
 * them in both cases.
 */
int filters_read(struct filters *filters, const char *path, struct spoor_fault *fault);

/* The same from memory. @path: for messages */
int filters_parse(struct filters *filters, const char *path, const char *bytes, size_t size,
		  struct spoor_fault *fault);

void filters_free(struct filters *filters);

/*
 * filters_block - whether a function is not to be instrumented.
 * @rule: gets the first rule that allows it, or else the first that blocks it, or null
 */
bool filters_block(const struct filters *filters, const struct filter_subject *subject,
		   const struct filter_rule **rule);

/* For those who read files: makes room for a rule, or a condition. Null without memory. */
struct filter_rule *filters_add(struct filters *filters, bool allows, uint32_t line);
struct filter_condition *filter_rule_add(struct filter_rule *rule);

/* Whether a file is one of XRay's lists; the rules of one. */
bool xray_list_is_one(const char *bytes, size_t size);
int xray_list_parse(struct filters *filters, const char *path, const char *bytes, size_t size,
		    struct spoor_fault *fault);

#endif
