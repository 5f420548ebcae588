/* SPDX-License-Identifier: MIT */
/* symbol_file.c - finds the names of one module's functions, as they are shown. */
#include "reader/symbols/symbol_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "reader/files/printable_text.h"
#include "reader/symbols/debug_files.h"
#include "reader/symbols/demangle.h"
#include "reader/packed/symbol_pack.h"
#include "reader/symbols/symbol_places.h"
#include "reader/symbols/symbol_short_names.h"
#include "reader/packed/symbol_subset.h"
#include "reader/symbols/unit_symbols.h"
#include "reader/types/symbol_types.h"

struct symbol_file *symbol_file_new(const char *path, const char *soname, const uint8_t *build_id,
				    uint32_t build_id_bytes, uint32_t module_id, uint32_t count, bool demangle)
{
	struct symbol_file *file = calloc(1, sizeof(*file));
	const char *slash = strrchr(path, '/');

	if (!file)
		return NULL;
	file->path = strdup(path);
	file->shown_path = clean_name(strdup(path));
	file->library = clean_name(strdup(*soname ? soname : slash ? slash + 1 : path));
	file->build_id = malloc(build_id_bytes + 1);
	file->build_id_bytes = build_id_bytes;
	file->module_id = module_id;
	file->count = count;
	file->demangle = demangle;
	if (!file->path || !file->shown_path || !file->library || !file->build_id) {
		symbol_file_free(file);
		return NULL;
	}
	if (build_id_bytes)
		memcpy(file->build_id, build_id, build_id_bytes);
	file->same_build = file;
	return file;
}

/* Forgets the contents of a file that turned out to be the wrong one. */
static void forget(struct symbol_file *file)
{
	free(file->addresses);
	free(file->constants);
	for (uint32_t i = 0; file->linkage_kept && i < file->count; i++)
		if (file->linkage_kept[i])
			free((char *)file->linkage[i]);
	free(file->linkage);
	free(file->linkage_kept);
	free(file->named_apart);
	free(file->stored);
	free(file->virtual);
	free(file->keys);
	if (file->described)
		unit_symbols_free(file->described);
	free(file->described);
	free(file->source);
	free(file->debug_path);
	file->source = NULL;
	file->debug_path = NULL;
	file->debug_sought = false;
	file->debug_servers = SERVERS_NOT_ASKED;
	file->addresses = NULL;
	file->constants = NULL;
	file->linkage = NULL;
	file->linkage_kept = NULL;
	file->named_apart = NULL;
	file->stored = NULL;
	file->virtual = NULL;
	file->keys = NULL;
	file->described = NULL;
}

void symbol_file_free(struct symbol_file *file)
{
	if (!file)
		return;
	symbol_file_free(file->rest);
	symbol_short_names_free(file);
	for (uint32_t i = 0; i < file->name_count; i++)
		free(file->names[i]);
	free(file->names);
	map64_free(&file->name_of);
	forget(file);
	symbol_places_free(file);
	symbol_types_free(file);
	free(file->packed);
	free(file->wanted);
	free(file->variables);
	free(file->path);
	free(file->shown_path);
	free(file->library);
	free(file->build_id);
	free(file);
}

/*
 * Reads the names from the file at @path. A packed file must not be a symbolic link, and must be
 * complete. Returns null, or the error; then nothing of the file is kept.
 */
static const char *read_from(struct symbol_file *file, const char *path, bool is_packed)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (is_packed ? O_NOFOLLOW : 0));
	const char *wrong;

	file->fault = fd < 0 ? "missing" : NULL;
	if (fd < 0)
		return strerror(errno);
	wrong = is_packed ? symbol_pack_check(fd) : NULL;
	file->source = strdup(path);
	if (wrong)
		file->fault = "missing";
	else
		wrong = file->source ? symbol_file_load(file, fd) : "out of memory";
	close(fd);
	if (wrong)
		forget(file);
	return wrong;
}

/* Prints a message if the file exists and is another build. Returns whether it is the right one. */
static bool try_original(struct symbol_file *file, const char *path)
{
	const char *wrong = read_from(file, path, false);

	if (wrong && strcmp(file->fault, "mismatch") == 0)
		message("%s: %s", path, wrong);
	return !wrong;
}

/* Tries the file packed with the trace, the file at its path, other paths of the same build, and the places in
 * debug_files.h. */
static void symbol_file_read(struct symbol_file *file)
{
	const char *wrong, *packed_wrong, *fault;

	packed_wrong = file->packed ? read_from(file, file->packed, true) : NULL;
	if (file->packed && !packed_wrong) {
		/* Without memory, the other functions have no names. */
		if (file->stored && !file->rest)
			symbol_subset_chain(file, NULL);
		return;
	}
	wrong = read_from(file, file->path, false);
	if (!wrong)
		return;
	fault = file->fault;
	for (struct symbol_file *other = file->same_build; other != file; other = other->same_build)
		if (strcmp(other->path, file->path) != 0 && access(other->path, R_OK) == 0 && !read_from(file, other->path, false))
			return;
	if (debug_files_each_original(file, try_original))
		return;
	file->fault = fault;
	/* If the trace is packed, report the missing packed file. */
	if (packed_wrong && faccessat(AT_FDCWD, file->packed, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		message("%s: %s; the functions of %s are shown by number", file->packed, packed_wrong, file->shown_path);
	else
		message("%s: %s; its functions are shown by number: use --sysroot if the file was moved",
			file->shown_path, wrong);
}

/* Locks, because parts of a walk may need the same file at the same time. Recursive, because reading asks for
 * names. */
static void ensure_read(struct symbol_file *file)
{
	static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

	if (__atomic_load_n(&file->read, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&lock);
	if (!file->is_being_read) {
		file->is_being_read = true;
		symbol_file_read(file);
		__atomic_store_n(&file->read, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
}

bool symbol_file_check(struct symbol_file *file)
{
	ensure_read(file);
	return !file->fault;
}

const char *symbol_file_linkage(struct symbol_file *file, uint32_t local)
{
	file = symbol_subset_holder(file, local);
	if (file->fault || local >= file->count || !file->linkage)
		return NULL;
	return file->linkage[local];
}

const struct unit_symbol *symbol_file_described(struct symbol_file *file, uint32_t local)
{
	const struct unit_symbol *symbol;

	file = symbol_subset_holder(file, local);
	if (file->fault || local >= file->count || file->hooked || file->by_symbol)
		return NULL;
	symbol = unit_symbols_find(file->described, file->keys[local]);
	return symbol && !symbol->clash ? symbol : NULL;
}

static bool find_here(struct symbol_file *file, uint64_t constant, uint32_t *local)
{
	uint32_t low = 0, high;

	ensure_read(file);
	if (file->fault || file->hooked || file->by_symbol)
		return false;
	high = file->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (file->constants[middle].constant < constant)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == file->count || file->constants[low].constant != constant)
		return false;
	*local = file->constants[low].local;
	return symbol_file_has(file, *local);
}

bool symbol_file_find(struct symbol_file *file, uint64_t constant, uint32_t *local)
{
	bool found = false;

	for (; file && !found; file = file->rest)
		found = find_here(file, constant, local);
	return found;
}

/* Returns the name that the pass recorded for a function of this name, or null. It contains more than the linkage
 * name. */
static const char *described_name(struct symbol_file *file, uint32_t local, const char *linkage)
{
	const struct unit_symbol *symbol = symbol_file_described(file, local);
	const char *name = symbol ? unit_symbol_text(symbol->info->demangled_name) : "";

	return *name && strcmp(unit_symbol_text(symbol->info->linkage_name), linkage) == 0 ? name : NULL;
}

static char *make_name(struct symbol_file *file, uint32_t local)
{
	const char *linkage = symbol_file_linkage(file, local), *described = NULL;
	char *name = NULL;
	int made;

	if (linkage && file->demangle)
		described = described_name(file, local, linkage);
	if (linkage)
		return described ? strdup(described) : demangle_function(linkage, file->demangle);
	if (file->fault)
		made = asprintf(&name, "%s[%s]+#%" PRIu32, file->library, file->fault, local);
	else
		made = asprintf(&name, "%s+0x%" PRIx64, file->library, file->virtual[local]);
	return made < 0 ? NULL : name;
}

const char *symbol_file_name(struct symbol_file *file, uint32_t local)
{
	uint32_t *position;
	char *name;

	file = symbol_subset_holder(file, local);
	if (local >= file->count)
		return "?";
	position = map64_at(&file->name_of, local);
	if (!position)
		return "?";
	if (*position)
		return file->names[*position - 1];
	if (file->name_count == file->name_capacity) {
		uint32_t capacity = file->name_capacity ? 2 * file->name_capacity : 64;
		char **names = reallocarray(file->names, capacity, sizeof(char *));

		if (!names)
			return "?";
		file->names = names;
		file->name_capacity = capacity;
	}
	name = clean_name(make_name(file, local));
	if (!name)
		return "?";
	file->names[file->name_count++] = name;
	*position = file->name_count;
	return name;
}
