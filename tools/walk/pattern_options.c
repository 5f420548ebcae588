/* SPDX-License-Identifier: MIT */
/* pattern_options.c - matches pattern lists with the functions of a trace. */
#include "walk/pattern_options.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/similar.h"
#include "text/demangled.h"
#include "text/pattern.h"
#include "reader/symbols/symbol_file.h"
#include "text/source_name.h"

/* Tells if any thread has matched a function or a library since the last report. */
static bool function_met, library_met;
static struct similar similar_function, similar_library;
static pthread_mutex_t similar_lock = PTHREAD_MUTEX_INITIALIZER;
/* Threads that walk parts of a trace share its symbol files, which make a name when it is first asked for. */
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;

/* Keeps @name if it is the most similar one to the first pattern of the list so far. */
static void offer(struct similar *similar, const char *patterns, const char *name, bool is_function)
{
	const char *rest = patterns, *glob, *end;
	bool excludes;

	pthread_mutex_lock(&similar_lock);
	if (!similar->typed && spoor_patterns_next(&rest, &glob, &end, &excludes))
		similar_begin(similar, glob, (size_t)(end - glob));
	(is_function ? similar_offer_function(similar, name) : similar_offer(similar, name, name));
	pthread_mutex_unlock(&similar_lock);
}

/* @proposes: keeps the name as a proposal if no pattern chooses it */
static bool choose(struct functions *functions, uint32_t number, const char *patterns, bool proposes)
{
	const struct function *function = &functions->list[number];
	const char *linkage = NULL;
	struct spoor_text texts[2];
	const char *with = NULL, *without = NULL, *name;
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
	pthread_mutex_lock(&names_lock);
	name = function_name(functions, number);
	pthread_mutex_unlock(&names_lock);
	matches = spoor_patterns_choose(patterns, (const char *const[]){ linkage, source, with, without, name }, 5);
	if (!matches && proposes)
		offer(&similar_function, patterns, without ? without : source ? source : name, true);
	free(source);
	return matches;
}

bool function_matches(struct functions *functions, uint32_t number, const char *patterns)
{
	bool matches = choose(functions, number, patterns, true);

	if (matches)
		__atomic_store_n(&function_met, true, __ATOMIC_RELAXED);
	return matches;
}

bool function_is_excluded(struct functions *functions, uint32_t number, const char *patterns)
{
	/* Chooses the functions about which no pattern decides. */
	char *all;
	bool excluded;

	if (!strchr(patterns, '-') || asprintf(&all, "*,%s", patterns) < 0)
		return false;
	excluded = !choose(functions, number, all, false);
	free(all);
	return excluded;
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
	if (!chosen)
		offer(&similar_library, patterns, library, false);
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

static bool report_unmatched(const char *patterns, bool *met, struct similar *similar, const char *option,
			     const char *what, const char *list)
{
	bool unmatched = patterns && !__atomic_exchange_n(met, false, __ATOMIC_RELAXED);
	const char *best = similar_best(similar);

	if (unmatched && best)
		message("%s: no call of a %s matches '%s': did you mean '%s'?", option, what, patterns, best);
	else if (unmatched)
		message("%s: no call of a %s matches '%s': '%s' lists them", option, what, patterns, list);
	*similar = (struct similar){ 0 };
	return unmatched;
}

bool pattern_options_report_unmatched_function(const char *patterns)
{
	return report_unmatched(patterns, &function_met, &similar_function, "--function", "function", "spoor report");
}

bool pattern_options_report_unmatched_library(const char *patterns)
{
	return report_unmatched(patterns, &library_met, &similar_library, "--module", "module", "spoor info");
}

void pattern_options_report_missing(const char *option, const char *patterns, const struct name_table *names)
{
	struct similar similar = { .typed = NULL };
	const char *best;

	for (uint32_t i = 1; i < names->count; i++)
		offer(&similar, patterns, names->list[i].function, true);
	best = similar_best(&similar);
	if (best)
		message("%s: no function of the trace matches '%s': did you mean '%s'?", option, patterns, best);
	else
		message("%s: no function of the trace matches '%s': 'spoor report' lists them", option, patterns);
}

void pattern_options_forget_unmatched(void)
{
	__atomic_store_n(&function_met, true, __ATOMIC_RELAXED);
	__atomic_store_n(&library_met, true, __ATOMIC_RELAXED);
}
