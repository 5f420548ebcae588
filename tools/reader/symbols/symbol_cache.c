/* SPDX-License-Identifier: MIT */
/* symbol_cache.c - keeps one symbol_file for each different module of a trace. */
#include "reader/symbols/symbol_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/packed/symbol_pack.h"
#include "reader/packed/symbol_subset.h"

static bool same_module(const struct symbol_file *file, const struct module *module)
{
	return file->module_id == module->module_id && file->count == module->count && file->hooked == module->hooked &&
	       file->by_symbol == module->by_symbol &&
	       file->build_id_bytes == module->build_id_bytes &&
	       memcmp(file->build_id, module->build_id, module->build_id_bytes) == 0 &&
	       strcmp(file->path, module->path) == 0;
}

/* Returns whether two files are the same build, at different paths or on different machines. */
static bool same_build(const struct symbol_file *file, const struct symbol_file *other)
{
	return other->build_id_bytes && file->module_id == other->module_id && file->count == other->count &&
	       file->hooked == other->hooked && file->by_symbol == other->by_symbol && file->build_id_bytes == other->build_id_bytes &&
	       memcmp(file->build_id, other->build_id, other->build_id_bytes) == 0 &&
	       strcmp(file->library, other->library) == 0;
}

/* Adds a file to the ring of files of the same build. */
static void join_build(struct symbol_cache *cache, struct symbol_file *file)
{
	file->build = file->number;
	for (size_t i = 0; i < cache->count; i++) {
		struct symbol_file *first = cache->files[i];

		if (!same_build(first, file))
			continue;
		file->build = first->build;
		file->same_build = first->same_build;
		first->same_build = file;
		return;
	}
}

/* Adds the packed file of the current trace. An earlier trace may have had another one, with other functions. Returns 0
 * or -ENOMEM. */
static int find_packed(const struct symbol_cache *cache, struct symbol_file *file)
{
	char *path = NULL;
	int error;

	if (!cache->packed)
		return 0;
	error = symbol_pack_path(cache->packed, file, &path);
	if (error || !file->packed) {
		file->packed = error ? file->packed : path;
		return error;
	}
	for (const struct symbol_file *known = file; known; known = known->rest)
		if (known->packed && strcmp(known->packed, path) == 0) {
			free(path);
			return 0;
		}
	return symbol_subset_chain(file, path);
}

int symbol_cache_find(struct symbol_cache *cache, const struct module *module, struct symbol_file **file)
{
	for (size_t i = 0; i < cache->count; i++) {
		if (same_module(cache->files[i], module)) {
			*file = cache->files[i];
			return find_packed(cache, *file);
		}
	}
	struct symbol_file **files = realloc(cache->files, (cache->count + 1) * sizeof(struct symbol_file *));

	if (!files)
		return -ENOMEM;
	cache->files = files;
	*file = symbol_file_new(module->path, module->soname, module->build_id, module->build_id_bytes,
				module->module_id, module->count, cache->demangle);
	if (!*file)
		return -ENOMEM;
	(*file)->hooked = module->hooked;
	(*file)->by_symbol = module->by_symbol;
	if (find_packed(cache, *file)) {
		symbol_file_free(*file);
		return -ENOMEM;
	}
	(*file)->number = (uint32_t)cache->count;
	join_build(cache, *file);
	cache->files[cache->count++] = *file;
	return 0;
}

void symbol_cache_free(struct symbol_cache *cache)
{
	for (size_t i = 0; i < cache->count; i++)
		symbol_file_free(cache->files[i]);
	free(cache->files);
	cache->files = NULL;
	cache->count = 0;
}
