/* SPDX-License-Identifier: MIT */
/* pattern_options.c - matches pattern lists with the functions of a trace. */
#include "walk/pattern_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "text/demangled.h"
#include "text/pattern.h"
#include "reader/symbols/symbol_file.h"
#include "text/source_name.h"

/* Tells if any thread has matched a function or a library since the last report. */
static bool function_met, library_met;

bool function_matches(struct functions *functions, uint32_t number, const char *patterns)
{
	const struct function *function = &functions->list[number];
	const char *linkage = NULL;
	struct spoor_text texts[2];
	const char *with = NULL, *without = NULL;
	char *source = NULL;
	bool matches;

	if (function->symbols)
		linkage = symbol_file_linkage(function->symbols, (uint32_t)function->id);
	if (linkage)
		source = strndup(linkage, spoor_source_name_length(linkage));
	if (source) {
		with = spoor_demangle(source, true, &texts[0]);
		without = spoor_demangle(source, false, &texts[1]);
		if (with)
			texts[0].bytes[spoor_demangled_name_length(with)] = '\0';
	}
	matches = spoor_patterns_choose(
		patterns, (const char *const[]){ linkage, source, with, without, function_name(functions, number) }, 5);
	free(source);
	if (matches)
		__atomic_store_n(&function_met, true, __ATOMIC_RELAXED);
	return matches;
}

bool library_matches(const struct functions *functions, uint32_t number, const char *patterns)
{
	const struct symbol_file *symbols = functions->list[number].symbols;
	const char *library = function_library(functions, number), *path = symbols ? symbols->path : NULL;
	const char *file = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *rest = patterns, *glob, *end;
	bool chosen = *patterns == '-', excludes;

	while (spoor_patterns_next(&rest, &glob, &end, &excludes)) {
		bool by_path = memchr(glob, '/', (size_t)(end - glob));

		if (by_path ? path && spoor_glob_matches(glob, end, path) :
			      spoor_glob_matches(glob, end, library) || (file && spoor_glob_matches(glob, end, file)))
			chosen = !excludes;
	}
	if (chosen)
		__atomic_store_n(&library_met, true, __ATOMIC_RELAXED);
	return chosen;
}

int pattern_options_check(const char *patterns)
{
	if (spoor_patterns_check(patterns))
		return message_usage("'%s' is not a list of patterns: use a list such as 'foo*,-foo_test'", patterns);
	return 0;
}

int pattern_options_add(char **list, const char *patterns)
{
	char *joined;
	int status = pattern_options_check(patterns);

	if (status)
		return status;
	if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", patterns) < 0) {
		message("out of memory");
		return SPOOR_EXIT_BAD_TRACE;
	}
	free(*list);
	*list = joined;
	return 0;
}

static void report_unmatched(const char *patterns, bool *met, const char *option, const char *what)
{
	if (patterns && !__atomic_exchange_n(met, false, __ATOMIC_RELAXED))
		message("%s: no call of a %s matches '%s'", option, what, patterns);
}

void pattern_options_report_unmatched_function(const char *patterns)
{
	report_unmatched(patterns, &function_met, "--function", "function");
}

void pattern_options_report_unmatched_library(const char *patterns)
{
	report_unmatched(patterns, &library_met, "--library", "library");
}

void pattern_options_forget_unmatched(void)
{
	__atomic_store_n(&function_met, true, __ATOMIC_RELAXED);
	__atomic_store_n(&library_met, true, __ATOMIC_RELAXED);
}
