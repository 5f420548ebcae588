/* SPDX-License-Identifier: MIT */
/* inlined_listing.c - spoor symbols --inlined: lists the calls that the compiler inlined. */
#include "symbols/inlined_listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/commands.h"
#include "base/message.h"
#include "base/output.h"
#include "reader/inlined/inlined.h"
#include "text/demangled.h"

/* Writes the demangled name without parameters, or the name if it is not mangled. */
static const char *shown(const char *linkage, struct spoor_text *text)
{
	const char *name;

	text->used = 0;
	text->is_cut = false;
	name = spoor_may_be_mangled(linkage) ? spoor_demangle(linkage, false, text) : NULL;
	return name ? name : linkage;
}

static void put_place(struct output *out, const struct inlined_call *call)
{
	output_string(out, *call->file ? call->file : "?");
	output_char(out, ':');
	output_number(out, call->line);
}

static void put_text(struct output *out, const struct inlined_call *call, const char *name, const char *caller)
{
	output_string(out, name);
	output_string(out, "  ");
	put_place(out, call);
	if (*caller) {
		output_string(out, "  (");
		output_string(out, caller);
		output_char(out, ')');
	}
	output_char(out, '\n');
}

static void put_csv(struct output *out, const struct inlined_call *call, const char *name, const char *caller)
{
	output_csv_field(out, name);
	output_char(out, ',');
	output_csv_field(out, call->linkage);
	output_char(out, ',');
	output_csv_field(out, call->file);
	output_char(out, ',');
	output_number(out, call->line);
	output_char(out, ',');
	output_csv_field(out, caller);
	output_char(out, '\n');
}

static void put_member(struct output *out, const char *key, const char *value)
{
	output_string(out, key);
	output_json_string(out, value);
	output_char(out, '"');
}

static void put_json(struct output *out, const struct inlined_call *call, const char *name, const char *caller, bool is_first)
{
	output_string(out, is_first ? "\n  {" : ",\n  {");
	put_member(out, "\"function\": \"", name);
	put_member(out, ", \"linkage_name\": \"", call->linkage);
	put_member(out, ", \"file\": \"", call->file);
	output_string(out, ", \"line\": ");
	output_number(out, call->line);
	put_member(out, ", \"caller\": \"", caller);
	output_char(out, '}');
}

static void put_all(struct output *out, const char *format, const struct inlined *inlined)
{
	static struct spoor_text texts[2];
	bool is_csv = strcmp(format, "csv") == 0, is_json = strcmp(format, "json") == 0;

	output_string(out, is_csv  ? "function,linkage_name,file,line,caller\n" :
			   is_json ? "{\"schema\": \"spoor.inlined/1\", \"calls\": [" :
				     "FUNCTION  PLACE OF THE CALL  (CALLER)\n");
	for (size_t i = 0; i < inlined->count && !output_failed(out); i++) {
		const struct inlined_call *call = &inlined->calls[i];
		const char *name = shown(call->linkage, &texts[0]), *caller = shown(call->caller, &texts[1]);

		if (is_csv)
			put_csv(out, call, name, caller);
		else if (is_json)
			put_json(out, call, name, caller, i == 0);
		else
			put_text(out, call, name, caller);
	}
	output_string(out, is_json ? "\n]}\n" : "");
}

int list_inlined(const char *format, const char *path, char **files, int count)
{
	struct inlined inlined = { 0 };
	struct output out;
	int status = SPOOR_EXIT_GOOD, error;

	for (int i = 0; i < count; i++) {
		bool had_information = inlined.has_information;
		const char *wrong;

		inlined.has_information = false;
		wrong = inlined_add(&inlined, files[i]);
		if (!wrong && !inlined.has_information)
			wrong = "has no debug information: build it with -g";
		inlined.has_information |= had_information;
		if (!wrong)
			continue;
		message("%s: %s", files[i], wrong);
		status = SPOOR_EXIT_BAD_TRACE;
	}
	inlined_sort(&inlined);
	error = output_begin(&out, path);
	if (!error) {
		if (!status || inlined.has_information)
			put_all(&out, format, &inlined);
		error = output_end_with(&out, status);
	}
	if (error) {
		message("%s: cannot write: %s", path ? path : "stdout", strerror(-error));
		status = SPOOR_EXIT_BAD_TRACE;
	}
	inlined_free(&inlined);
	return status;
}
