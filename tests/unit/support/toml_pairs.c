/* SPDX-License-Identifier: MIT */
/*
 * toml_pairs.c - prints the pairs that toml.c finds in files, for comparison with another reader.
 *
 * Reads texts from stdin, each after a line with its number of bytes. Prints the pairs
 * of each text, then "end" or "refused". Strings are in hexadecimal.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "text/toml.h"

static void show(const struct spoor_toml_pair *pair)
{
	switch (pair->kind) {
	case SPOOR_TOML_STRING:
		printf("%s string ", pair->key);
		for (const char *at = pair->text; *at; at++)
			printf("%02x", (unsigned char)*at);
		putchar('\n');
		break;
	case SPOOR_TOML_INTEGER:
		printf("%s integer %s%" PRIu64 "\n", pair->key, pair->negative && pair->number ? "-" : "", pair->number);
		break;
	case SPOOR_TOML_BOOLEAN:
		printf("%s boolean %s\n", pair->key, pair->boolean ? "true" : "false");
		break;
	case SPOOR_TOML_TABLE:
		/* This program requests no tables. */
		break;
	}
}

int main(void)
{
	size_t bytes;

	while (scanf("%zu", &bytes) == 1 && getchar() == '\n') {
		char *text = malloc(bytes + 1);
		struct spoor_toml_pair pair;
		struct spoor_toml toml;
		int more;

		if (!text || fread(text, 1, bytes, stdin) != bytes)
			return 1;
		spoor_toml_begin(&toml, text, bytes);
		while ((more = spoor_toml_next(&toml, &pair)) > 0)
			show(&pair);
		puts(more < 0 ? "refused" : "end");
		free(text);
	}
	return 0;
}
