/* SPDX-License-Identifier: MIT */
/* command_options.c - reads the options of a command, with the messages about wrong ones. */
#include "base/command_options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/similar.h"

#define OPTIONS_MAX 64
#define QUIET 0x7000	/* no command's own option has this value */

static struct {
	const struct option *of;	/* the command's options */
	struct option list[OPTIONS_MAX];	/* ... and --quiet */
	char letters[32];
	bool quiet_is_ours;
} known;

static void begin(const char *letters, const struct option *options)
{
	size_t count = 0;
	bool has_quiet = false;

	for (; options[count].name && count < OPTIONS_MAX - 2; count++) {
		known.list[count] = options[count];
		has_quiet |= strcmp(options[count].name, "quiet") == 0;
	}
	known.quiet_is_ours = !has_quiet;
	if (!has_quiet)
		known.list[count++] = (struct option){ "quiet", no_argument, NULL, QUIET };
	known.list[count] = (struct option){ 0 };
	/* A ':' lets getopt tell a missing value from an unknown option. It comes after '+'. */
	snprintf(known.letters, sizeof(known.letters), "%.*s:h%s%s", *letters == '+', letters, letters + (*letters == '+'),
		 has_quiet ? "" : "q");
	known.of = options;
	opterr = 0;
}

/* Lists the options that begin with @typed. Returns how many they are. */
static unsigned int list_beginning_with(const char *typed, size_t length, char *list, size_t size)
{
	unsigned int count = 0;
	size_t used = 0;

	*list = '\0';
	for (const struct option *option = known.list; option->name; option++) {
		if (strncmp(option->name, typed, length) != 0)
			continue;
		if (used < size)
			used += (size_t)snprintf(list + used, size - used, "%s--%s", count ? ", " : "", option->name);
		count++;
	}
	return count;
}

static void report_unknown(const char *typed)
{
	size_t length = strcspn(typed, "=");
	char list[400];
	struct similar similar;
	const char *best;

	if (length && list_beginning_with(typed, length, list, sizeof(list)) > 1) {
		message("option '--%.*s' is ambiguous: it can be %s", (int)length, typed, list);
		return;
	}
	similar_begin(&similar, typed, length);
	for (const struct option *option = known.list; option->name; option++)
		similar_offer(&similar, option->name, option->name);
	best = similar_best(&similar);
	if (best)
		message("unknown option '--%.*s': did you mean '--%s'?", (int)length, typed, best);
	else
		message("unknown option '--%.*s'", (int)length, typed);
}

/* Returns the long option with this value in @word, the argument that getopt read last; null: it was a letter. */
static const struct option *long_option(int value, const char *word)
{
	const struct option *option = known.list;

	if (strncmp(word, "--", 2) != 0)
		return NULL;
	while (option->name && (option->val != value || strncmp(option->name, word + 2, strcspn(word + 2, "=")) != 0))
		option++;
	return option->name ? option : NULL;
}

static void report(int fault, const char *word)
{
	const struct option *option = optopt ? long_option(optopt, word) : NULL;

	if (fault == ':' && option)
		message("option '--%s' needs a value", option->name);
	else if (fault == ':')
		message("option '-%c' needs a value", optopt);
	else if (!optopt)
		report_unknown(word + 2);
	else if (option && strchr(word, '='))
		message("option '--%s' takes no value", option->name);
	else
		message("unknown option '-%c'", optopt);
}

int options_next(int argc, char **argv, const char *short_options, const struct option *options)
{
	int option;

	if (known.of != options)
		begin(short_options, options);
	do {
		option = getopt_long(argc, argv, known.letters, known.list, NULL);
		if (option == QUIET || (option == 'q' && known.quiet_is_ours))
			message_set_quiet();
	} while (option == QUIET || (option == 'q' && known.quiet_is_ours));
	if (option == '?' || option == ':')
		report(option, argv[optind - 1]);
	return option == ':' ? '?' : option;
}
