/* SPDX-License-Identifier: MIT */
/* tracepoints.c - spoor tracepoints: lists the static tracepoints of ELF files and of processes. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/commands.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "base/output.h"
#include "elf/tracepoint_notes.h"
#include "elf/tracepoint_placement.h"
#include "reader/files/printable_text.h"
#include "reader/symbols/sdt_notes.h"
#include "elf/sdt_operand.h"

static const char help[] =
	"Usage: spoor tracepoints list [OPTION]... FILE|PID...\n"
	"List the static tracepoints of ELF files, or of all files that a process has mapped: those\n"
	"of spoor/sdt.h, of SystemTap's sys/sdt.h, and of other programs that write such notes.\n"
	"\n"
	"Each line shows whether hits are recorded by semaphore, by breakpoint, or why they are not.\n"
	"\n"
	"      --format FORMAT  text (default) or csv\n"
	"  -o, --output FILE    write to FILE (default: stdout)\n"
	"  -q, --quiet          print only warnings and errors\n"
	"      --help           show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 for a file that cannot be read or written or has\n"
	"malformed notes, and 2 for a wrong command line.\n";

struct listing {
	struct output out;
	const char *output_path;
	bool csv, headed;
	bool named;	/* write a heading for each file */
	size_t count;	/* tracepoints so far */
	int status;
};

/* Writes the type of an operand: "i32", "u64", "f64", or "?" if the operand cannot be parsed. */
static void put_type(struct output *out, const struct sdt_operand *operand, bool good)
{
	if (!good) {
		output_char(out, '?');
		return;
	}
	output_char(out, operand->is_real ? 'f' : operand->has_sign ? 'i' : 'u');
	output_number(out, operand->size * 8u);
}

/* Writes the types, or the texts, of all operands, separated by blanks. Returns whether all could be parsed. */
static bool put_operands(struct output *out, const struct sdt_note *note, uint16_t machine, bool types)
{
	const char *rest = note->operands + strspn(note->operands, " ");
	bool all = true;

	for (bool first = true; *rest; first = false) {
		struct sdt_operand operand;
		bool good = sdt_operand_parse(&operand, rest, machine, &rest);

		if (!first)
			output_char(out, ' ');
		if (types)
			put_type(out, &operand, good);
		else
			output_put(out, operand.text, operand.length);
		all &= good;
	}
	return all;
}

/* How the hits of a tracepoint are recorded. */
struct way {
	const char *name;	/* "semaphore", "breakpoint", or "-" if they cannot be recorded */
	const char *obstacle;	/* why not; NULL: they can be recorded */
};

/* Returns how a tracepoint is recorded. @file: NULL if the runtime could not read the file. */
static struct way find_way(const struct spoor_elf_file *file, const struct sdt_note *sdt)
{
	const struct stapsdt_note note = { sdt->provider, sdt->name, sdt->operands, sdt->address, sdt->semaphore };
	struct way way = { "semaphore", NULL };

	if (file && spoor_probe_semaphore_is_ours(file, note.semaphore))
		return way;
	way.obstacle = file ? spoor_probe_obstacle(file, &note) : "the runtime cannot read its file";
	way.name = way.obstacle ? "-" : "breakpoint";
	return way;
}

/* put_note and put_note_csv write a tracepoint and return whether all its arguments could be parsed. */
static bool put_note(struct listing *listing, const struct sdt_note *note, uint16_t machine, const struct way *way)
{
	struct output *out = &listing->out;
	bool good = true;
	char addresses[80], *provider = clean_name(strdup(note->provider)), *name = clean_name(strdup(note->name));

	snprintf(addresses, sizeof(addresses), "%#14" PRIx64 "  %-14s  %-10s  ", note->address, "-", way->name);
	if (note->semaphore)
		snprintf(addresses, sizeof(addresses), "%#14" PRIx64 "  %#-14" PRIx64 "  %-10s  ", note->address, note->semaphore, way->name);
	output_string(out, addresses);
	output_string(out, provider ? provider : "?");
	output_char(out, ':');
	output_string(out, name ? name : "?");
	if (note->operands[strspn(note->operands, " ")]) {
		output_char(out, '(');
		good = put_operands(out, note, machine, true);
		output_string(out, ")  ");
		put_operands(out, note, machine, false);
	}
	if (way->obstacle) {
		output_string(out, "  cannot be recorded: ");
		output_string(out, way->obstacle);
	}
	output_char(out, '\n');
	free(provider);
	free(name);
	return good;
}

/* Writes the heading of CSV before the first line. */
static void put_head(struct listing *listing)
{
	if (listing->csv && !listing->headed)
		output_string(&listing->out, "file,provider,name,address,semaphore,types,operands,way,obstacle\n");
	listing->headed = true;
}

static bool put_note_csv(struct listing *listing, const char *path, const struct sdt_note *note, uint16_t machine,
			 const struct way *way)
{
	const char *const texts[] = { path, note->provider, note->name };
	struct output *out = &listing->out;
	char addresses[64];
	bool good;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		output_csv_field(out, texts[i]);
		output_char(out, ',');
	}
	snprintf(addresses, sizeof(addresses), "%#" PRIx64 ",%#" PRIx64 ",", note->address, note->semaphore);
	output_string(out, addresses);
	good = put_operands(out, note, machine, true);
	output_char(out, ',');
	output_csv_field(out, note->operands);
	output_char(out, ',');
	output_string(out, way->name);
	output_char(out, ',');
	if (way->obstacle)
		output_csv_field(out, way->obstacle);
	output_char(out, '\n');
	return good;
}

/* Lists a file. @path: as shown. @is_asked: report a file without tracepoints, or one that is not an ELF file. */
static void list_file(struct listing *listing, int fd, const char *path, bool is_asked)
{
	struct sdt_notes notes;
	const char *wrong = sdt_notes_read(&notes, fd);
	struct spoor_elf_file file;
	bool is_ours = false;
	char link[40];
	size_t odd = 0;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (!wrong && notes.count)
		is_ours = spoor_elf_file_open(&file, link) == 0;
	if (wrong && is_asked) {
		message("%s: %s", path, wrong);
		listing->status = SPOOR_EXIT_BAD_TRACE;
	}
	if (!wrong && is_asked && !notes.count && !notes.wrong)
		message("%s: has no static tracepoints", path);
	listing->count += notes.count;
	if (notes.count)
		put_head(listing);
	if (notes.count && listing->named && !listing->csv) {
		output_string(&listing->out, path);
		output_string(&listing->out, ":\n");
	}
	for (size_t i = 0; i < notes.count; i++) {
		const struct sdt_note *note = &notes.list[i];
		const struct way way = find_way(is_ours ? &file : NULL, note);

		odd += !(listing->csv ? put_note_csv(listing, path, note, notes.machine, &way)
				      : put_note(listing, note, notes.machine, &way));
	}
	if (is_ours)
		spoor_elf_file_close(&file);
	if (odd)
		message("%s: %zu of %zu tracepoints have arguments in an unknown format, shown as '?'", path, odd,
			notes.count);
	if (notes.wrong) {
		message("%s: omits %zu malformed notes of tracepoints", path, notes.wrong);
		listing->status = SPOOR_EXIT_BAD_TRACE;
	}
	sdt_notes_free(&notes);
}

static void list_path(struct listing *listing, const char *path, const char *shown, bool is_asked)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		message("%s: %s", shown, strerror(errno));
		listing->status = SPOOR_EXIT_BAD_TRACE;
		return;
	}
	list_file(listing, fd, shown, is_asked);
	close(fd);
}

/* Lists each file of which the process has mapped code. The kernel's link to the mapped file works also if the file
 * is in another mount namespace or deleted. */
static void list_process(struct listing *listing, const char *pid)
{
	char maps[64], line[4352], last[4352] = "";
	size_t before = listing->count;
	FILE *file;

	snprintf(maps, sizeof(maps), "/proc/%s/maps", pid);
	file = fopen(maps, "re");
	if (!file) {
		message("process %s: %s", pid, strerror(errno));
		listing->status = SPOOR_EXIT_BAD_TRACE;
		return;
	}
	listing->named = true;
	while (fgets(line, sizeof(line), file)) {
		char range[64], flags[8], link[160], *path = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if (!path || sscanf(line, "%63s %7s", range, flags) != 2 || flags[2] != 'x' || strcmp(path, last) == 0)
			continue;
		strcpy(last, path);
		snprintf(link, sizeof(link), "/proc/%s/map_files/%s", pid, range);
		list_path(listing, access(link, R_OK) == 0 ? link : path, path, false);
	}
	fclose(file);
	if (listing->count == before)
		message("process %s: none of its files has static tracepoints", pid);
}

static bool is_number(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

static int parse(struct listing *listing, int argc, char **argv)
{
	enum { FORMAT = 0x100 };
	static const struct option options[] = {
		{ "format", required_argument, NULL, FORMAT },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status = 0;

	while (!status && (option = options_next(argc, argv, "o:", options)) != -1) {
		switch (option) {
		case FORMAT:
			listing->csv = strcmp(optarg, "csv") == 0;
			if (!listing->csv && strcmp(optarg, "text") != 0)
				status = message_usage("unknown format '%s': use text or csv", optarg);
			break;
		case 'o':
			status = message_take_name("--output", optarg, &listing->output_path);
			break;
		case 'h':
			fitted_help(help);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = message_usage(NULL);
		}
	}
	if (!status && (optind == argc || strcmp(argv[optind], "list") != 0))
		status = message_usage("no action: use list");
	else if (!status && ++optind == argc)
		status = message_usage("list: no file: name an ELF file, or a process by its ID");
	return status;
}

int tracepoints_main(int argc, char **argv)
{
	struct listing listing = { 0 };
	int status = parse(&listing, argc, argv), error;

	if (status)
		return status;
	error = output_begin(&listing.out, listing.output_path);
	if (!error) {
		listing.named = argc - optind > 1;
		for (int i = optind; i < argc; i++) {
			/* Digits are a process ID. A file of such a name needs a path. */
			if (is_number(argv[i]))
				list_process(&listing, argv[i]);
			else
				list_path(&listing, argv[i], argv[i], true);
		}
		if (!listing.status)
			put_head(&listing);
		error = output_end_with(&listing.out, listing.status);
	}
	if (!error)
		return listing.status;
	message("%s: cannot write: %s", listing.output_path ? listing.output_path : "stdout", strerror(-error));
	return SPOOR_EXIT_BAD_TRACE;
}
