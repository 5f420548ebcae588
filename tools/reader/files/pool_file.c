/* SPDX-License-Identifier: MIT */
/* pool_file.c - reads slices that are still in a pool. */
#include "reader/files/pool_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"

int pool_file_open(struct pool_file *pool, int directory, const char *name, const char *path)
{
	const uint8_t *bytes;
	int error;

	*pool = (struct pool_file){ .window.fd = -1 };
	error = file_window_open(&pool->window, directory, name);
	if (error) {
		if (error != -ENOENT)
			message("%s: cannot read the pool: %s; events in it are missing", path, strerror(-error));
		return error;
	}
	pool->path = strdup(path);
	bytes = file_window_at(&pool->window, 0, sizeof(pool->header));
	error = pool->window.error;
	if (!pool->path)
		error = -ENOMEM;
	if (error) {
		message("%s: cannot read the pool: %s; events in it are missing", path, strerror(-error));
		goto close_file;
	}
	if (bytes)
		memcpy(&pool->header, bytes, sizeof(pool->header));
	if (!bytes || pool->header.magic != SPOOR_POOL_MAGIC) {
		message("%s: not a pool, or damaged; events in it are missing", path);
		error = -EBADMSG;
		goto close_file;
	}
	if (pool->header.version != SPOOR_TRACE_VERSION) {
		message("%s: its format is version %" PRIu32 ", and this spoor reads version %d; events in it are "
			"missing", path,
			pool->header.version, SPOOR_TRACE_VERSION);
		error = -EBADMSG;
		goto close_file;
	}
	if (pool->header.slice_bytes != SPOOR_SLICE_BYTES || pool->header.slice_count > SPOOR_POOL_SLICE_COUNT_MAX) {
		message("%s: invalid sizes in its header; events in it are missing", path);
		error = -EBADMSG;
		goto close_file;
	}
	pool->slice_count = pool->header.slice_count;
	while (pool->slice_count &&
	       spoor_pool_slice_offset(pool->slice_count - 1) + SPOOR_SLICE_BYTES > pool->window.size)
		pool->slice_count--;
	return 0;

close_file:
	pool_file_close(pool);
	return error;
}

void pool_file_close(struct pool_file *pool)
{
	file_window_close(&pool->window);
	free(pool->path);
	pool->path = NULL;
	pool->slice_count = 0;
}

static uint64_t info_offset(uint32_t slice)
{
	return SPOOR_POOL_INFOS_OFFSET + (uint64_t)slice * sizeof(struct spoor_slice_info);
}

/* Returns whether the slice is in use and empty (pool_format.h). */
static bool is_unused(struct pool_file *pool, uint32_t slice, const struct spoor_slice_info *info)
{
	size_t count = (SPOOR_SLICE_BYTES - info->offset) / 8;
	const uint64_t *words;

	if (info->words || pool->header.full[slice / 64] >> slice % 64 & 1)
		return false;
	words = (const void *)file_window_at(&pool->window, spoor_pool_slice_offset(slice) + info->offset, count * 8);
	while (words && count && !*words) {
		words++;
		count--;
	}
	return words && !count;
}

int pool_file_info(struct pool_file *pool, uint32_t slice, struct spoor_slice_info *info)
{
	const uint8_t *bytes;

	if (pool->header.free[slice / 64] >> slice % 64 & 1)
		return 0;
	bytes = file_window_at(&pool->window, info_offset(slice), sizeof(*info));
	if (!bytes)
		return pool->window.error;
	memcpy(info, bytes, sizeof(*info));
	if (info->offset % 8 || info->offset > SPOOR_SLICE_BYTES)
		return 0;
	return info->counter != 0 && !is_unused(pool, slice, info);
}

size_t slice_compact(uint64_t *words, size_t count, uint32_t *holes)
{
	size_t out = 0, pending = 0;

	*holes = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t code = (uint32_t)(words[i] >> 32);

		if (code >> SPOOR_INDEX_BITS == 0) {	/* 0, or the payload of an event that was not completed */
			pending++;
			continue;
		}
		*holes += (uint32_t)pending;
		pending = 0;
		words[out++] = words[i];
		if (code >> SPOOR_INDEX_BITS != SPOOR_EVENT_EXTENDED)
			continue;
		for (uint32_t left = code & SPOOR_INDEX_MAX; left && i + 1 < count; left--)
			words[out++] = words[++i];
	}
	return out;
}

long pool_file_words(struct pool_file *pool, uint32_t slice, struct spoor_slice_info *info, uint64_t *words)
{
	uint64_t offset = spoor_pool_slice_offset(slice);
	size_t count = (SPOOR_SLICE_BYTES - info->offset) / 8;
	struct spoor_slice_info again;
	const uint8_t *bytes;
	uint32_t holes;

	bytes = file_window_at(&pool->window, offset + info->offset, count * 8);
	if (!bytes)
		return pool->window.error ? pool->window.error : -ESTALE;
	memcpy(words, bytes, count * 8);
	/* A running process may have reused the slice during the read. */
	if (pread(pool->window.fd, &again, sizeof(again), (off_t)info_offset(slice)) !=
		    (ssize_t)sizeof(again) ||
	    again.counter != info->counter || again.sequence != info->sequence ||
	    again.thread_serial != info->thread_serial)
		return -ESTALE;
	if (info->words && info->words < count)
		count = info->words;
	count = slice_compact(words, count, &holes);
	info->holes = holes;
	return (long)count;
}
