/* SPDX-License-Identifier: MIT */
/*
 * block_file.h - a file that is a row of blocks (trace_format.h), read so that
 * damage costs the damaged block and nothing else.
 *
 * A block counts if its checksum is right. Where none is, the next one is
 * found by its magic, and how much lies between is remembered.
 */
#ifndef SPOOR_READER_BLOCK_FILE_H
#define SPOOR_READER_BLOCK_FILE_H

#include "reader/files/file_window.h"
#include "format/trace_format.h"

/* Why bytes are no block. */
enum block_fault {
	BLOCK_GOOD,
	BLOCK_DAMAGED,		/* no magic, impossible sizes, or a wrong checksum */
	BLOCK_TORN,		/* begins like a block and reaches past the end of the file */
	BLOCK_BIG_ENDIAN,
	BLOCK_VERSION,		/* another version: `version` says which */
	BLOCK_UNREADABLE,	/* the system would not read it: `window.error` */
};

struct block {
	uint64_t offset;
	struct spoor_trace_header header;
	struct spoor_block_extension extension;
	const uint8_t *body;		/* until the next block is read */
	uint32_t body_bytes;
};

struct block_file {
	struct file_window window;
	char *path;			/* for messages */
	uint64_t position;		/* of the next block */
	uint64_t good_blocks;
	uint32_t looks;			/* at what is not whole, in vain */

	/* What was no block. */
	uint64_t damaged_places;
	uint64_t damaged_bytes;
	uint64_t damaged_first;		/* offset of the first such place */
	uint64_t torn_bytes;		/* at the end */
	enum block_fault first_fault;
	uint32_t version;
};

/*
 * block_file_open - opens @directory/@name.
 * @path: what messages call it; copied
 *
 * Return: 0, or a negative errno as file_window_open, -ENOMEM.
 */
int block_file_open(struct block_file *file, int directory, const char *name, const char *path);
void block_file_close(struct block_file *file);

/*
 * block_file_next - reads the next good block.
 *
 * Return: 1, 0 at the end of the file, or the negative errno of a read.
 */
int block_file_next(struct block_file *file, struct block *block);

/*
 * block_file_follow - the same for a file that is still being written, as far as it went when
 * file_window_again was asked last: a block that is not whole yet is looked at again the next time.
 *
 * Return: 1; 0 where there is nothing more for now; or the negative errno of a read.
 */
int block_file_follow(struct block_file *file, struct block *block);

/* Reads the block at @offset and checks it. */
enum block_fault block_file_read(struct block_file *file, uint64_t offset, struct block *block);

/*
 * block_file_complain - one message about what was damaged or torn, if anything was.
 * @consequence: what that means for the user, "its events are missing"
 *
 * Return: 0 where the file is whole, or -EBADMSG.
 */
int block_file_complain(const struct block_file *file, const char *consequence);

#endif
