/* SPDX-License-Identifier: MIT */
/* symbols_command.c - spoor symbols: lists, merges and converts the pass's descriptions of functions. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/commands.h"
#include "base/elided.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "base/output.h"
#include "base/terminal.h"
#include "reader/symbols/unit_symbols.h"
#include "symbols/inlined_listing.h"
#include "reader/symbols/symbols_message.h"

struct listing {
	struct output out;
	const char *output_path;
	const struct format *format;
	struct unit_symbols symbols;
	uint64_t clashes;
	bool first;	/* no function has been written yet */
	bool no_pager;
	size_t width;	/* characters of a line; 0: no limit */
	bool inlined;	/* lists inlined calls instead of functions */
};

/* Writes the @count descriptions of one key. Text that does not fit the terminal has no reason, then no source, then
 * no middle of the name. */
typedef void write_function(struct listing *listing, const struct unit_symbol *symbols, size_t count);

struct format {
	const char *name;
	write_function *write;
	const char *before, *after;
	bool binary;
};

#define CLASH "  [clash]"
#define NAME_LEAST 16u

/* Writes name, source and reason. @used: characters of the line that are taken */
static void put_fitted(struct listing *listing, const Spoor__FunctionInfo *info, size_t used)
{
	const char *name = unit_symbol_name(info), *why = unit_symbol_text(info->instrumented_reason);
	size_t room = !listing->width ? SIZE_MAX : listing->width > used + NAME_LEAST ? listing->width - used : NAME_LEAST;
	char source[4096] = "", elided[ELIDED_MAX + 1];
	size_t length = strlen(name), whole;

	if (info->file_name && *info->file_name)
		snprintf(source, sizeof(source), info->line > 0 ? "  %s:%" PRId32 : "  %s", info->file_name, info->line);
	whole = length + strlen(source);
	if (whole > room) {
		whole = length;
		*source = '\0';
	}
	if (length > room) {
		elide(name, room, 0, elided);
		name = elided;
	}
	output_string(&listing->out, name);
	output_string(&listing->out, source);
	if (*why && whole + strlen(why) + 4 <= room) {
		output_string(&listing->out, "  (");
		output_string(&listing->out, why);
		output_char(&listing->out, ')');
	}
}

static void write_text(struct listing *listing, const struct unit_symbol *symbols, size_t count)
{
	struct output *out = &listing->out;
	char head[80];

	for (size_t i = 0; i < count; i++) {
		const Spoor__FunctionInfo *info = symbols[i].info;

		snprintf(head, sizeof(head), "%08" PRIx64 ":%-6" PRIu64 " %8" PRId32 "  %-6s  ", symbols[i].key >> 32,
			 symbols[i].key & UINT32_MAX, info->ir_instruction_count, info->instrumented ? "yes" : "no");
		output_string(out, head);
		put_fitted(listing, info, strlen(head) + (symbols->clash ? strlen(CLASH) : 0));
		if (symbols->clash)
			output_string(out, CLASH);
		output_char(out, '\n');
	}
}

static void write_csv(struct listing *listing, const struct unit_symbol *symbols, size_t count)
{
	struct output *out = &listing->out;
	char number[160];

	for (size_t i = 0; i < count; i++) {
		const Spoor__FunctionInfo *info = symbols[i].info;
		const char *const texts[] = { info->module_id, info->linkage_name, unit_symbol_name(info), info->directory,
					      info->file_name };

		snprintf(number, sizeof(number), "%" PRIu64, symbols[i].key);
		output_string(out, number);
		for (size_t j = 0; j < sizeof(texts) / sizeof(*texts); j++) {
			output_char(out, ',');
			output_csv_field(out, unit_symbol_text(texts[j]));
		}
		snprintf(number, sizeof(number), ",%" PRId32 ",%" PRId32 ",%d,%d,", info->line, info->ir_instruction_count,
			 info->has_loop, info->instrumented);
		output_string(out, number);
		output_csv_field(out, unit_symbol_text(info->instrumented_reason));
		if (info->created_at)
			snprintf(number, sizeof(number), ",%" PRId64 "\n", info->created_at->seconds);
		output_string(out, info->created_at ? number : ",\n");
	}
}

static void put_json_text(struct output *out, const char *key, const char *text)
{
	output_string(out, ", \"");
	output_string(out, key);
	output_string(out, "\": \"");
	output_json_string(out, unit_symbol_text(text));
	output_char(out, '"');
}

static void write_json(struct listing *listing, const struct unit_symbol *symbols, size_t count)
{
	struct output *out = &listing->out;
	char numbers[200];

	for (size_t i = 0; i < count; i++) {
		const Spoor__FunctionInfo *info = symbols[i].info;

		/* The key is a string, because JavaScript cannot represent all 64-bit numbers. */
		snprintf(numbers, sizeof(numbers), "%s\n  {\"key\": \"%" PRIu64 "\"", listing->first ? "" : ",", symbols[i].key);
		listing->first = false;
		output_string(out, numbers);
		put_json_text(out, "module", info->module_id);
		put_json_text(out, "linkage_name", info->linkage_name);
		put_json_text(out, "function", unit_symbol_name(info));
		put_json_text(out, "directory", info->directory);
		put_json_text(out, "file", info->file_name);
		snprintf(numbers, sizeof(numbers), ", \"line\": %" PRId32 ", \"ir_instruction_count\": %" PRId32
			 ", \"has_loop\": %s, \"instrumented\": %s", info->line, info->ir_instruction_count,
			 info->has_loop ? "true" : "false", info->instrumented ? "true" : "false");
		output_string(out, numbers);
		put_json_text(out, "reason", info->instrumented_reason);
		snprintf(numbers, sizeof(numbers), ", \"created\": %" PRId64, info->created_at ? info->created_at->seconds : 0);
		output_string(out, info->created_at ? numbers : "");
		output_char(out, '}');
	}
}

static void write_message(struct listing *listing, const struct unit_symbol *symbols, size_t count)
{
	Spoor__FunctionInfo **infos = malloc(count * sizeof(Spoor__FunctionInfo *));

	for (size_t i = 0; infos && i < count; i++)
		infos[i] = (Spoor__FunctionInfo *)symbols[i].info;
	if (infos)
		symbols_message_put(&listing->out, symbols->key, infos, count);
	else if (!listing->out.error)
		listing->out.error = -ENOMEM;
	free(infos);
}

static const struct format formats[] = {
	{ "text", write_text, "UNIT:POSITION      IR INST  TRACED  FUNCTION  SOURCE  (WHY)\n", "", false },
	{ "csv", write_csv, "key,module,linkage_name,function,directory,file,line,ir_instruction_count,has_loop,instrumented,"
			    "reason,created\n", "", false },
	{ "json", write_json, "{\"schema\": \"spoor.symbols/1\", \"functions\": [", "\n]}\n", false },
	{ "spoor", write_message, "", "", true },
};

static const char help[] =
	"Usage: spoor symbols [OPTION]... FILE...\n"
	"List the functions that spoor's pass described, traced or not.\n"
	"A FILE is a symbols file, or an ELF file or static archive with a section .spoor_symbols.\n"
	"\n"
	"      --format FORMAT   text (default); csv; json; spoor: a symbols file of all FILEs\n"
	"      --inlined         list the calls that the compiler inlined, which no trace has, from\n"
	"                        debug information (-g)\n"
	"  -o, --output FILE     write to FILE (default: stdout)\n"
	"      --no-pager        on a terminal: do not start $SPOOR_PAGER, $PAGER or less\n"
	"  -q, --quiet           print only warnings and errors\n"
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 for a file that cannot be read or written, and 2 for\n"
	"a wrong command line. spoor-symbols(1) explains the columns.\n";

static int parse(struct listing *listing, int argc, char **argv)
{
	enum { FORMAT = 0x100, NO_PAGER, INLINED };
	static const struct option options[] = {
		{ "format", required_argument, NULL, FORMAT },
		{ "inlined", no_argument, NULL, INLINED },
		{ "output", required_argument, NULL, 'o' },
		{ "no-pager", no_argument, NULL, NO_PAGER },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	listing->format = &formats[0];
	while ((option = options_next(argc, argv, "o:", options)) != -1) {
		switch (option) {
		case FORMAT:
			listing->format = NULL;
			for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
				if (strcmp(optarg, formats[i].name) == 0)
					listing->format = &formats[i];
			if (!listing->format)
				return message_usage("unknown format '%s': use text, csv, json or spoor", optarg);
			break;
		case INLINED:
			listing->inlined = true;
			break;
		case 'o':
			if (message_take_name("--output", optarg, &listing->output_path))
				return SPOOR_EXIT_USAGE;
			break;
		case NO_PAGER:
			listing->no_pager = true;
			break;
		case 'h':
			fitted_help(help);
			exit(SPOOR_EXIT_GOOD);
		default:
			return message_usage(NULL);
		}
	}
	if (optind == argc)
		return message_usage("no file: name a symbols file, program, library, object or archive");
	if (listing->inlined && listing->format->binary)
		return message_usage("--inlined excludes --format spoor");
	if (listing->format->binary && isatty(STDOUT_FILENO) &&
	    (!listing->output_path || strcmp(listing->output_path, "-") == 0))
		return message_usage("this format is binary, and stdout is a terminal: name a file with -o");
	return 0;
}

static void write_all(struct listing *listing)
{
	const struct unit_symbols *symbols = &listing->symbols;

	output_string(&listing->out, listing->format->before);
	for (size_t i = 0, count; i < symbols->count && !output_failed(&listing->out); i += count) {
		count = symbols->list[i].same_key;
		listing->clashes += symbols->list[i].clash;
		listing->format->write(listing, &symbols->list[i], count);
	}
	output_string(&listing->out, listing->format->after);
}

int symbols_main(int argc, char **argv)
{
	struct listing listing = { .first = true };
	int status = parse(&listing, argc, argv), error, paged;
	bool is_shown;

	if (status)
		return status;
	if (listing.inlined)
		return list_inlined(listing.format->name, listing.output_path, argv + optind, argc - optind);
	/* An unreadable file causes a message, and the other files are listed. */
	for (int i = optind; i < argc; i++) {
		const char *wrong = unit_symbols_add_file(&listing.symbols, argv[i]);

		if (!wrong)
			continue;
		message("%s: %s", argv[i], wrong);
		status = SPOOR_EXIT_BAD_TRACE;
	}
	unit_symbols_sort(&listing.symbols);
	is_shown = listing.format == &formats[0] && (!listing.output_path || strcmp(listing.output_path, "-") == 0);
	listing.width = is_shown ? terminal_width() : 0;
	if (is_shown && !listing.no_pager)
		terminal_pager_begin();
	error = output_begin(&listing.out, listing.output_path);
	if (!error) {
		if (!status || listing.symbols.count)
			write_all(&listing);
		error = output_end_with(&listing.out, status);
	}
	paged = terminal_pager_end();
	if (error) {
		message("%s: cannot write: %s", listing.output_path ? listing.output_path : "stdout",
			strerror(-error));
		status = SPOOR_EXIT_BAD_TRACE;
	}
	if (listing.clashes)
		message("%" PRIu64 " key%s: two units have the same module ID", listing.clashes,
			listing.clashes == 1 ? " belongs to several functions" : "s belong to several functions");
	unit_symbols_free(&listing.symbols);
	return status ? status : paged;
}
