/* SPDX-License-Identifier: MIT */
/*
 * unknown_calls.c - collects functions without an entry in the tables, by library.
 *
 * Functions that cannot be recorded at all, because they return twice or depend on their caller's frame, are not named:
 * spoor-record(1) lists them.
 */
#include "library_calls/unknown_calls.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/permanent.h"
#include "base/warning.h"
#include "text/pattern.h"

/* Functions that no table has. */
static const char never[] = "*setjmp,vfork,*context,clone,dl_iterate_phdr,dlmopen,dlinfo,__cxa_*,_Unwind_*,__gxx_*,__gcc_*,_dl_*,"
			    "__tls_get_addr,__stack_chk_fail,__libc_start_main,__gmon_start__,_ITM_*,__pthread_*,__register_*,"
			    "__assert_*fail*,mcount,_mcount,__fentry__,__cyg_profile_*";

struct function {
	struct function *next;
	const char *path;
	const char *name;	/* "": the whole library is unknown */
	bool is_told;
};

static struct function *functions;

void spoor_unknown_call_add(const char *path, const char *name)
{
	struct function *function = functions;

	if (name && spoor_patterns_choose(never, &name, 1))
		return;
	while (function && (function->path != path || (name && strcmp(function->name, name) != 0)))
		function = function->next;
	if (function)
		return;
	function = spoor_permanent_alloc(sizeof(*function));
	if (!function)
		return;
	function->path = path;
	function->name = spoor_permanent_text(name ? name : "");
	if (!function->name)
		return;
	function->next = functions;
	functions = function;
}

/* Appends a name to a list if there is room. */
static void add_name(char *names, size_t size, const char *name)
{
	size_t used = strlen(names);

	if (used + strlen(name) + 3 < size)
		snprintf(names + used, size - used, "%s%s", used ? ", " : "", name);
}

static void warn_functions(const char *path)
{
	char names[400] = "";
	unsigned int count = 0;

	for (struct function *function = functions; function; function = function->next) {
		if (function->path != path || !*function->name)
			continue;
		function->is_told = true;
		count++;
		add_name(names, sizeof(names), function->name);
	}
	spoor_warning("calls of %u functions of %.200s are not recorded, because spoor does not know how many stack words "
		      "their arguments take: %s", count, path, names);
}

static void warn_libraries(void)
{
	char names[400] = "";

	for (struct function *function = functions; function; function = function->next) {
		const char *slash = strrchr(function->path, '/');

		if (!*function->name)
			add_name(names, sizeof(names), slash ? slash + 1 : function->path);
	}
	if (*names)
		spoor_warning("calls of these libraries are not recorded, because spoor does not know how many stack words "
			      "the arguments of their functions take: %s", names);
}

void spoor_unknown_calls_warn(void)
{
	for (struct function *function = functions; function; function = function->next)
		if (*function->name && !function->is_told)
			warn_functions(function->path);
	warn_libraries();
}
