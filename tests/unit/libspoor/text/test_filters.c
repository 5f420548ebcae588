/* SPDX-License-Identifier: MIT */
/* test_filters.c - rules decide whether a function gets sleds; wrong files are rejected with the line. */
#define _GNU_SOURCE
#include "text/filters.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/support/unit.h"

static struct filters filters;
static struct spoor_fault fault;
static const struct filter_rule *rule;

/* The texts of the test's function. */
static const char *texts[FILTER_TEXT_COUNT];
static bool loops;

static const char *text(void *unused, enum filter_text which)
{
	(void)unused;
	return texts[which];
}

static bool has_attribute(void *unused, const char *name, const char *value)
{
	(void)unused;
	return strcmp(name, "cold") == 0 || (strcmp(name, "target-cpu") == 0 && (!value || strcmp(value, "x86-64") == 0));
}

static bool has_loop(void *unused)
{
	(void)unused;
	return loops;
}

static struct filter_subject subject = { text, has_attribute, has_loop, 10, NULL };

static void read_rules(const char *rules)
{
	ck_assert_msg(filters_parse(&filters, "f", rules, strlen(rules), &fault) == 0, "%s: %s", rules, fault.text);
}

static bool blocks(const char *rules)
{
	bool result;

	texts[FILTER_SOURCE_FILE_PATH] = "/src/a.c";
	texts[FILTER_FUNCTION_DEMANGLED_NAME] = "n::f(int)";
	texts[FILTER_FUNCTION_LINKAGE_NAME] = "_ZN1n1fEi";
	texts[FILTER_MODULE] = "libn";
	read_rules(rules);
	result = filters_block(&filters, &subject, &rule);
	rule = NULL;
	filters_free(&filters);
	return result;
}

static void refused(const char *rules, const char *why)
{
	ck_assert_msg(filters_parse(&filters, "f", rules, strlen(rules), &fault) == -EINVAL, "accepted: %s", rules);
	ck_assert_msg(strstr(fault.text, why) != NULL, "%s: %s", rules, fault.text);
	filters_free(&filters);
}

START_TEST(no_rule_blocks_no_function_and_an_empty_rule_blocks_all)
{
	ck_assert(!blocks(""));
	ck_assert(!blocks("[[allow]]"));
	ck_assert(blocks("[[block]]"));
}
END_TEST

START_TEST(expressions_match_the_whole)
{
	ck_assert(blocks("[[block]]\nfunction_linkage_name = '_ZN1n1fEi'"));
	ck_assert(!blocks("[[block]]\nfunction_linkage_name = '_ZN1n1f'"));
	ck_assert(!blocks("[[block]]\nfunction_linkage_name = 'ZN1n1fEi'"));
	ck_assert(blocks("[[block]]\nfunction_linkage_name = '_ZN.*'"));
	ck_assert(blocks("[[block]]\nfunction_linkage_name = '^_ZN1n1fEi$'"));
	/* Each alternative of an expression must match the whole text, too. */
	ck_assert(!blocks("[[block]]\nfunction_linkage_name = '_ZN|x'"));
	ck_assert(blocks("[[block]]\nfunction_linkage_name = 'x|_ZN.*'"));
	ck_assert(blocks("[[block]]\nfunction_demangled_name = 'n::[a-z]\\(int\\)'"));
	ck_assert(blocks("[[block]]\nsource_file_path = '.*/a\\.c'"));
	ck_assert(!blocks("[[block]]\nsource_file_path = '.*/a\\.cc'"));
	ck_assert(blocks("[[block]]\nmodule = 'lib.'"));
}
END_TEST

/* The quick search for fixed text before the regular expression must never miss a match. */
START_TEST(optional_text_is_not_part_of_the_quick_search)
{
	static const char *const matching[] = {
		"_ZN1n1fEix?", "_ZN1n1fEix*", "_ZN1n1fEi(xyz)*", "_ZN1n1fEix{0,1}", "_ZN1n1fEi()", "(_ZN1n1fEi)", "_ZN1n1f+Ei",
		"_+ZN1n1fEi", "_ZN1n1f{1}Ei", "(_|x)ZN1n1fEi", "[_]ZN1n1fEi", "_ZN1n1fEi((abc)?def)?", "_?_?ZN1n1fEi",
		"_ZN1n1fEi[]x]*", "_ZN1n1fEi[^]x]*", "_ZN1n1fE[[:alpha:]|x]", "_ZN1n1fE[i([]", "_ZN1n1fE([(]|i)", "(x|_)ZN(1|2)n1fEi",
		"x|_ZN1n1fEi", "_ZN1n1fEi(x|y){0,3}", "_ZN1n1fEi(\\(\\))?", "_ZN1n1fE(i[)]*)", ".ZN1n1f.i",
	};

	for (size_t i = 0; i < sizeof(matching) / sizeof(*matching); i++) {
		char rules[200];

		snprintf(rules, sizeof(rules), "[[block]]\nfunction_linkage_name = '%s'", matching[i]);
		ck_assert_msg(blocks(rules), "%s", matching[i]);
	}
}
END_TEST

START_TEST(globs_match_the_whole)
{
	ck_assert(blocks("[[block]]\nfunction_demangled_name_glob = 'n::*'"));
	ck_assert(!blocks("[[block]]\nfunction_demangled_name_glob = 'n::'"));
	ck_assert(blocks("[[block]]\nsource_file_path_glob = '/src/?.c'"));
	ck_assert(blocks("[[block]]\nfunction_linkage_name_glob = '_ZN1[a-z]*'"));
	ck_assert(blocks("[[block]]\nmodule_glob = 'lib*'"));
}
END_TEST

START_TEST(sizes_are_compared_strictly)
{
	ck_assert(blocks("[[block]]\nfunction_ir_instruction_count_lt = 11"));
	ck_assert(!blocks("[[block]]\nfunction_ir_instruction_count_lt = 10"));
	ck_assert(blocks("[[block]]\nfunction_ir_instruction_count_gt = 9"));
	ck_assert(!blocks("[[block]]\nfunction_ir_instruction_count_gt = 10"));
}
END_TEST

START_TEST(loops_and_attributes_are_conditions)
{
	loops = false;
	ck_assert(blocks("[[block]]\nfunction_has_loop = false"));
	ck_assert(!blocks("[[block]]\nfunction_has_loop = true"));
	loops = true;
	ck_assert(blocks("[[block]]\nfunction_has_loop = true"));
	ck_assert(blocks("[[block]]\nfunction_attribute = 'cold'"));
	ck_assert(!blocks("[[block]]\nfunction_attribute = 'hot'"));
	ck_assert(blocks("[[block]]\nfunction_attribute = 'target-cpu=x86-64'"));
	ck_assert(!blocks("[[block]]\nfunction_attribute = 'target-cpu=other'"));
}
END_TEST

START_TEST(a_rule_needs_all_its_conditions_and_an_allowing_rule_wins)
{
	ck_assert(!blocks("[[block]]\nfunction_attribute = 'cold'\nmodule = 'other'"));
	ck_assert(blocks("[[block]]\nfunction_attribute = 'cold'\nmodule = 'libn'"));
	ck_assert(blocks("[[block]]\nmodule = 'other'\n[[block]]\nmodule = 'libn'"));
	ck_assert(!blocks("[[allow]]\nmodule = 'libn'\n[[block]]"));
	ck_assert(!blocks("[[block]]\n[[allow]]\nmodule = 'libn'\n[[block]]\nmodule = 'libn'"));
	ck_assert(blocks("[[block]]\n[[allow]]\nmodule = 'other'"));
}
END_TEST

START_TEST(the_deciding_rule_is_named)
{
	blocks("");	/* sets the texts */
	read_rules("[[block]]\nmodule = 'x'\n[[block]]\nrule_name = 'b'\n[[block]]\nrule_name = 'c'\n");
	ck_assert(filters_block(&filters, &subject, &rule));
	ck_assert_str_eq(rule->name, "b");
	ck_assert_uint_eq(rule->line, 3);
	filters_free(&filters);
	read_rules("[[allow]]\nrule_name = 'a'\n[[block]]\nrule_name = 'b'\n");
	ck_assert(!filters_block(&filters, &subject, &rule));
	ck_assert_str_eq(rule->name, "a");
	filters_free(&filters);
	read_rules("[[allow]]\nrule_name = 'a'\n");
	ck_assert(!filters_block(&filters, &subject, &rule));
	ck_assert_ptr_null(rule);
	filters_free(&filters);
}
END_TEST

START_TEST(wrong_rules_are_rejected_with_their_line)
{
	refused("# c\n[[blocks]]", "f:2: unknown table [[blocks]]: use");
	refused("[block]", "f:1: a table in single brackets");
	refused("x = 1\n[[block]]\n[block]", "f:1: x: must follow");
	refused("[[block]]\n[block]", "f:2: a table in single brackets");
	refused("[[block]]\ndemangled_name = 'x'", "f:2: unknown condition 'demangled_name'");
	refused("[[block]]\nfunction_linkage_name = 42", "f:2: function_linkage_name: must be a string");
	refused("[[block]]\nfunction_ir_instruction_count_lt = -1", "f:2: function_ir_instruction_count_lt: must be a whole");
	refused("[[block]]\nfunction_ir_instruction_count_gt = 'x'", "must be a whole number");
	refused("[[block]]\nfunction_has_loop = 'true'", "f:2: function_has_loop: must be true or false");
	refused("[[block]]\nfunction_attribute = true", "must be a string");
	refused("[[block]]\nrule_name = 1", "f:2: rule_name: must be a string");
	refused("[[block]]\nrule_name = 'a'\nrule_name = 'b'", "f:3: rule_name: duplicate");
	refused("[[block]]\nmodule = 'a'\n\nmodule = 'b'", "f:4: module: duplicate of line 2");
	refused("[[block]]\n\nmodule = '(a'", "f:3: module: \"(a\" is not a valid regular expression: ");
	refused("[[block]]\nmodule = 'a)(b'", "is not a valid regular expression");
	refused("[[block]]\nmodule = 'a", "f:2: a string without its closing quote");
}
END_TEST

START_TEST(xrays_lists_are_read)
{
	ck_assert(blocks("# c\n[never]\nfun:_ZN*\n"));
	ck_assert(blocks("[never]\r\nsrc:*/a.c\r\n"));
	ck_assert(!blocks("[never]\nfun:_ZN\n"));
	ck_assert(!blocks("[never]\nfun:*\n[always]\nfun:_ZN*=arg1\n"));
	ck_assert(!blocks("[always]\nfun:_ZN*\n"));
	refused("fun:a", "f:1: must follow a section");
	refused("[never]\nfun:", "f:2: no name after the colon");
	refused("[never]\nfun:a\n\ntype:x", "f:4: unknown prefix: use fun: or src:");
	refused("[never]\nfun:a\n[sometimes]", "f:3: unknown section");
}
END_TEST

START_TEST(a_missing_file_is_named)
{
	ck_assert_int_eq(filters_read(&filters, "/no/such/file", &fault), -ENOENT);
	ck_assert_ptr_nonnull(strstr(fault.text, "/no/such/file"));
}
END_TEST

UNIT_MAIN("filters", no_rule_blocks_no_function_and_an_empty_rule_blocks_all, expressions_match_the_whole,
	  optional_text_is_not_part_of_the_quick_search, globs_match_the_whole, sizes_are_compared_strictly,
	  loops_and_attributes_are_conditions, a_rule_needs_all_its_conditions_and_an_allowing_rule_wins,
	  the_deciding_rule_is_named, wrong_rules_are_rejected_with_their_line, xrays_lists_are_read,
	  a_missing_file_is_named)
