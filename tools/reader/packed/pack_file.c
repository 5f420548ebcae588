/* SPDX-License-Identifier: MIT */
/* pack_file.c - writes one file of a packed trace, and checks it by reading it. */
#include "reader/packed/pack_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/packed/symbol_pack.h"
#include "reader/symbols/symbol_places.h"
#include "reader/packed/symbol_subset.h"
#include "reader/symbols/unit_symbols.h"

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_place(struct symbol_file *file, struct symbol_file *packed, uint32_t local)
{
	struct symbol_place place = symbol_file_place(file, local), other = symbol_file_place(packed, local);
	bool same = same_text(place.path, other.path) && place.line == other.line;

	free(place.path);
	free(other.path);
	return same;
}

/* Returns whether a packed file gives each wanted function the same name and place as the original. */
static bool is_same(struct symbol_file *file, struct symbol_file *packed)
{
	bool same = true;

	for (uint32_t i = 0; i < file->count && same; i++) {
		const struct unit_symbol *a, *b;

		if (!symbol_file_wants(file, i))
			continue;
		a = symbol_file_described(file, i);
		b = symbol_file_described(packed, i);
		same = symbol_file_has(packed, i) && same_text(symbol_file_linkage(file, i), symbol_file_linkage(packed, i)) && !a == !b &&
		       (!a || (same_text(a->info->file_name, b->info->file_name) && a->info->line == b->info->line)) &&
		       file->virtual[i] == packed->virtual[i] && same_place(file, packed, i);
	}
	return same;
}

/* Reads the file again. Returns null, or the error. */
static const char *check(struct symbol_file *file, const char *path)
{
	struct symbol_file *packed = symbol_file_new(path, file->library, file->build_id, file->build_id_bytes,
						     file->module_id, file->count, true);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const char *wrong = "out of memory";
	char *source = strdup(path);

	if (fd < 0) {
		wrong = strerror(errno);
	} else if (packed && source) {
		packed->hooked = file->hooked;
		packed->by_symbol = file->by_symbol;
		packed->read = true;
		/* The check must not use a debug file for missing names. */
		packed->debug_sought = true;
		packed->debug_servers = SERVERS_ASKED;
		packed->source = source;
		source = NULL;
		wrong = symbol_pack_check(fd);
		if (!wrong)
			wrong = symbol_file_load(packed, fd);
		if (!wrong && !is_same(file, packed))
			wrong = "its names differ when they are read back";
	}
	symbol_file_free(packed);
	free(source);
	if (fd >= 0)
		close(fd);
	return wrong;
}

/* Writes @path completely or not at all. Returns null, or the error. */
static const char *write_file(struct symbol_file *file, const char *path)
{
	const char *wrong;
	char *begun;
	int fd;

	if (asprintf(&begun, "%s.new", path) < 0)
		return strerror(ENOMEM);
	unlink(begun);	/* left by a spoor pack that was killed */
	fd = open(begun, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	wrong = fd < 0 ? strerror(errno) : symbol_pack(file, fd);
	if (fd >= 0 && close(fd) < 0 && !wrong)
		wrong = strerror(errno);
	if (!wrong)
		wrong = check(file, begun);
	if (!wrong && rename(begun, path) < 0)
		wrong = strerror(errno);
	if (wrong && fd >= 0)
		unlink(begun);
	free(begun);
	return wrong;
}

const char *pack_file(struct symbol_file *file, const char *path)
{
	return check(file, path) ? write_file(file, path) : NULL;
}
