/* SPDX-License-Identifier: MIT */
/* patterns.c - pattern lists over the functions of a trace. */
#include "patterns.h"

#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "message.h"
#include "pattern.h"
#include "reader/symbol_file.h"
#include "source_name.h"

bool function_matches(struct functions *functions, uint32_t number, const char *patterns)
{
	const struct function *function = &functions->list[number];
	const char *linkage = NULL;
	char *source = NULL, *with = NULL, *without = NULL;
	bool matches;

	if (function->symbols)
		linkage = symbol_file_linkage(function->symbols, (uint32_t)function->id);
	if (linkage)
		source = strndup(linkage, spoor_source_name_length(linkage));
	if (source) {
		with = cplus_demangle(source, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
		without = cplus_demangle(source, DMGL_ANSI | DMGL_AUTO);
	}
	matches = spoor_patterns_choose(
		patterns, (const char *const[]){ linkage, source, with, without, function_name(functions, number) }, 5);
	free(source);
	free(with);
	free(without);
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
	return chosen;
}

int patterns_check(const char *patterns)
{
	if (spoor_patterns_check(patterns))
		return message_usage("'%s' is no list of patterns such as 'foo*,-foo_test'", patterns);
	return 0;
}
