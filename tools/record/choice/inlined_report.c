/* SPDX-License-Identifier: MIT */
/* inlined_report.c - says which calls of a wanted function were inlined. */
#include "record/choice/inlined_report.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "text/demangled.h"
#include "text/pattern.h"

void inlined_report_read(struct inlined *inlined, const struct program_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++)
		/* A file that cannot be read has been reported, and has no calls. */
		if (modules->list[i].is_traced)
			inlined_add(inlined, modules->list[i].path);
	inlined_sort(inlined);
}

/* Returns the demangled name, or null. */
static const char *demangle(const char *linkage, bool parameters, struct spoor_text *text)
{
	text->used = 0;
	text->is_cut = false;
	return spoor_may_be_mangled(linkage) ? spoor_demangle(linkage, parameters, text) : NULL;
}

static bool matches(const struct wanted_function *wanted, const char *linkage)
{
	static struct spoor_text text;
	const char *name;

	if (spoor_glob_matches(wanted->begin, wanted->end, linkage))
		return true;
	for (int parameters = 0; parameters < 2; parameters++) {
		name = demangle(linkage, parameters, &text);
		if (name && spoor_glob_matches(wanted->begin, wanted->end, name))
			return true;
	}
	return false;
}

bool inlined_report(const struct inlined *inlined, const struct wanted_function *wanted, bool allow_empty)
{
	static struct spoor_text texts[2];
	const struct inlined_call *first = NULL;
	const char *name, *caller, *file;
	char more[64] = "", keep[600];
	size_t places = 0;

	for (size_t i = 0; i < inlined->count; i++) {
		const struct inlined_call *call = &inlined->calls[i];

		if (first ? strcmp(first->linkage, call->linkage) != 0 : !matches(wanted, call->linkage))
			continue;
		if (!first)
			first = call;
		places++;
	}
	if (!first)
		return false;
	name = demangle(first->linkage, false, &texts[0]);
	name = name ? name : first->linkage;
	caller = demangle(first->caller, false, &texts[1]);
	caller = caller ? caller : first->caller;
	file = strrchr(first->file, '/') ? strrchr(first->file, '/') + 1 : first->file;
	if (places > 1)
		snprintf(more, sizeof(more), ", %zu places", places);
	if (first->by == INLINED_BY_CLANG)
		snprintf(keep, sizeof(keep), "build with -fspoor-keep='%s' or -fspoor-before-inlining", name);
	else if (first->by == INLINED_BY_GCC)
		snprintf(keep, sizeof(keep), "give %s the attribute noipa, or build with -fspoor-before-inlining", name);
	else
		snprintf(keep, sizeof(keep), "give %s the attribute inline(never)", name);
	message("%s: '%.*s' matches no function that can be traced: %s was inlined into %s:%u%s%s%s%s; %s%s", wanted->option,
		(int)(wanted->end - wanted->begin), wanted->begin, name, *file ? file : "?", first->line, *caller ? " (" : "",
		caller, *caller ? ")" : "", more, keep, allow_empty ? "" : ", or use --allow-empty");
	return true;
}
