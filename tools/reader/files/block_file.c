/* SPDX-License-Identifier: MIT */
/* block_file.c - reads a file of blocks, and skips damaged ones. */
#include "reader/files/block_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/message.h"

#define HEAD_BYTES (sizeof(struct spoor_trace_header) + sizeof(struct spoor_block_extension))
#define CHECKSUM_OFFSET sizeof(struct spoor_trace_header)

int block_file_open(struct block_file *file, int directory, const char *name, const char *path)
{
	int error;

	*file = (struct block_file){ .window.fd = -1 };
	file->path = strdup(path);
	if (!file->path)
		return -ENOMEM;
	error = file_window_open(&file->window, directory, name);
	if (error) {
		free(file->path);
		file->path = NULL;
	}
	return error;
}

void block_file_close(struct block_file *file)
{
	if (!file->path)
		return;
	file_window_close(&file->window);
	free(file->path);
	file->path = NULL;
}

static uint32_t block_checksum(uint8_t *block, size_t bytes)
{
	uint32_t stored, sum;

	memcpy(&stored, block + CHECKSUM_OFFSET, sizeof(stored));
	memset(block + CHECKSUM_OFFSET, 0, sizeof(stored));
	sum = (uint32_t)XXH3_64bits(block, bytes);
	memcpy(block + CHECKSUM_OFFSET, &stored, sizeof(stored));
	return sum;
}

enum block_fault block_file_read(struct block_file *file, uint64_t offset, struct block *block)
{
	struct file_window *window = &file->window;
	uint64_t left = window->size - offset;
	size_t head_bytes = left < HEAD_BYTES ? (size_t)left : HEAD_BYTES;
	size_t magic_bytes = left < SPOOR_TRACE_MAGIC_SIZE ? (size_t)left : SPOOR_TRACE_MAGIC_SIZE;
	uint8_t *bytes = file_window_at(window, offset, head_bytes);
	size_t all_bytes;

	if (!bytes)
		return BLOCK_UNREADABLE;
	if (memcmp(bytes, SPOOR_TRACE_MAGIC, magic_bytes) != 0)
		return BLOCK_DAMAGED;
	if (head_bytes > SPOOR_TRACE_MAGIC_SIZE && bytes[SPOOR_TRACE_MAGIC_SIZE] == SPOOR_BIG_ENDIAN)
		return BLOCK_BIG_ENDIAN;
	if (head_bytes < HEAD_BYTES)
		return BLOCK_TORN;

	memcpy(&block->header, bytes, sizeof(block->header));
	memcpy(&block->extension, bytes + sizeof(block->header), sizeof(block->extension));
	if (block->header.endianness != SPOOR_LITTLE_ENDIAN)
		return BLOCK_DAMAGED;
	if (block->header.version != SPOOR_TRACE_VERSION) {
		file->version = block->header.version;
		return BLOCK_VERSION;
	}
	if (block->header.payload_bytes < sizeof(block->extension) ||
	    block->header.payload_bytes - sizeof(block->extension) > SPOOR_BLOCK_BODY_MAX)
		return BLOCK_DAMAGED;
	all_bytes = sizeof(block->header) + block->header.payload_bytes;
	if (all_bytes > left)
		return BLOCK_TORN;
	bytes = file_window_at(window, offset, all_bytes);
	if (!bytes)
		return BLOCK_UNREADABLE;
	if (block_checksum(bytes, all_bytes) != block->extension.checksum)
		return BLOCK_DAMAGED;
	block->offset = offset;
	block->body = bytes + HEAD_BYTES;
	block->body_bytes = block->header.payload_bytes - (uint32_t)sizeof(block->extension);
	return BLOCK_GOOD;
}

/* Returns the first offset from @offset on that holds the magic, or the end of the file. */
static uint64_t find_magic(struct block_file *file, uint64_t offset)
{
	struct file_window *window = &file->window;
	size_t step = 64 * 1024;

	while (offset < window->size) {
		size_t bytes = window->size - offset < step ? (size_t)(window->size - offset) : step;
		const uint8_t *at = file_window_at(window, offset, bytes), *found;

		if (!at)
			break;
		found = memmem(at, bytes, SPOOR_TRACE_MAGIC, SPOOR_TRACE_MAGIC_SIZE);
		if (found)
			return offset + (uint64_t)(found - at);
		if (bytes < step)
			break;
		offset += bytes - (SPOOR_TRACE_MAGIC_SIZE - 1);
	}
	return window->size;
}

int block_file_next(struct block_file *file, struct block *block)
{
	uint64_t begin = file->position, offset = begin;
	enum block_fault first_fault = BLOCK_GOOD, fault = BLOCK_GOOD;

	while (offset < file->window.size) {
		fault = block_file_read(file, offset, block);
		if (fault == BLOCK_GOOD || fault == BLOCK_UNREADABLE)
			break;
		if (first_fault == BLOCK_GOOD)
			first_fault = fault;
		offset = find_magic(file, offset + 1);
	}
	if (fault == BLOCK_UNREADABLE && file->window.error)
		return file->window.error;
	if (fault == BLOCK_UNREADABLE)
		offset = file->window.size;	/* the file has shrunk since it was opened */

	if (offset != begin) {
		if (first_fault == BLOCK_TORN && offset == file->window.size) {
			file->torn_bytes = offset - begin;
		} else {
			if (!file->damaged_places++)
				file->damaged_first = begin;
			file->damaged_bytes += offset - begin;
		}
		if (file->first_fault == BLOCK_GOOD)
			file->first_fault = first_fault;
	}
	if (offset >= file->window.size) {
		file->position = file->window.size;
		return 0;
	}
	file->good_blocks++;
	file->position = offset + sizeof(block->header) + block->header.payload_bytes;
	return 1;
}

/* A writer completes a block long before this many looks. */
#define LOOKS_MAX 50u

int block_file_follow(struct block_file *file, struct block *block)
{
	enum block_fault fault;

	if (file->position > file->window.size)	/* the writer took back a batch of blocks, and writes it again */
		file->position = file->window.size;
	if (file->position == file->window.size)
		return 0;
	fault = block_file_read(file, file->position, block);
	if (fault == BLOCK_UNREADABLE)
		return file->window.error;
	if (fault == BLOCK_GOOD) {
		file->looks = 0;
		file->good_blocks++;
		file->position += sizeof(block->header) + block->header.payload_bytes;
		return 1;
	}
	if (fault == BLOCK_TORN || ++file->looks < LOOKS_MAX)
		return 0;
	file->looks = 0;
	return block_file_next(file, block);
}

int block_file_complain(const struct block_file *file, const char *consequence)
{
	if (!file->damaged_places && !file->torn_bytes)
		return 0;
	if (!file->good_blocks && file->first_fault == BLOCK_BIG_ENDIAN)
		message("%s: written on a big-endian machine, which this spoor does not read; %s",
			file->path, consequence);
	else if (!file->good_blocks && file->first_fault == BLOCK_VERSION && file->version > SPOOR_TRACE_VERSION)
		message("%s: its format is version %" PRIu32 ", and this spoor reads version %d: use a newer spoor",
			file->path, file->version, SPOOR_TRACE_VERSION);
	else if (!file->good_blocks && file->first_fault == BLOCK_VERSION)
		message("%s: its format is version %" PRIu32 ", and this spoor reads version %d",
			file->path, file->version, SPOOR_TRACE_VERSION);
	else if (!file->damaged_places)
		message("%s: the last block is cut off (%" PRIu64 " bytes at byte %" PRIu64 "); %s", file->path,
			file->torn_bytes, file->window.size - file->torn_bytes, consequence);
	else if (!file->good_blocks)
		message("%s: not a trace of spoor, or damaged beyond reading; %s", file->path, consequence);
	else
		message("%s: damaged in %" PRIu64 " place%s, the first at byte %" PRIu64 " (%" PRIu64 " bytes in total); %s",
			file->path, file->damaged_places, file->damaged_places == 1 ? "" : "s",
			file->damaged_first, file->damaged_bytes + file->torn_bytes, consequence);
	return -EBADMSG;
}
