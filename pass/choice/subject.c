/* SPDX-License-Identifier: MIT */
/* subject.c - answers the questions of filter rules about a function. */
#define _GNU_SOURCE
#include "pass/choice/subject.h"

#include "pass/attributes.h"
#include "pass/choice/loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The function's source file or, without debug information, the unit's. */
static const char *source_path(struct subject *subject)
{
	const struct description *description = subject->description;
	const char *file = description->file_name, *directory = description->directory;
	size_t length;

	if (!file)
		return LLVMGetSourceFileName(LLVMGetGlobalParent(description->function), &length);
	if (file[0] == '/' || !directory || !*directory)
		return file;
	if (!*file)
		return directory;
	if (!subject->path && asprintf(&subject->path, "%s/%s", directory, file) < 0)
		subject->path = NULL;
	return subject->path;
}

static const char *text(void *context, enum filter_text which)
{
	struct subject *subject = context;

	switch (which) {
	case FILTER_SOURCE_FILE_PATH:
		return source_path(subject);
	case FILTER_FUNCTION_DEMANGLED_NAME:
		return description_demangled(subject->description);
	case FILTER_FUNCTION_LINKAGE_NAME:
		return subject->description->linkage_name;
	case FILTER_MODULE:
		return subject->module;
	default:
		return NULL;
	}
}

static bool has_attribute(void *context, const char *name, const char *value)
{
	const struct subject *subject = context;
	LLVMValueRef function = subject->description->function;

	if (value)
		return attribute_is(function, name, value);
	return attribute_is_set(function, name) || attribute_own_is_set(function, name);
}

static bool has_loop(void *context)
{
	struct subject *subject = context;

	if (subject->loops < 0)
		subject->loops = loops_are_in(subject->description->function);
	return subject->loops > 0;
}

void subject_make(struct subject *subject, struct description *description, const char *module)
{
	*subject = (struct subject){
		.filter = {text, has_attribute, has_loop, description->instructions, subject},
		.description = description,
		.module = module,
		.loops = -1,
	};
}

void subject_free(struct subject *subject)
{
	free(subject->path);
	subject->path = NULL;
}
