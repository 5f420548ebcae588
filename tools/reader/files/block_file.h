/* SPDX-License-Identifier: MIT */
/*
 * block_file.h - reads a file that consists of blocks (trace_format.h). Damage costs the damaged block
 * only.
 *
 * A block is good if its checksum is right. After a damaged block the reader searches for the next
 * magic, and counts the bytes between.
 */
#ifndef SPOOR_READER_BLOCK_FILE_H
#define SPOOR_READER_BLOCK_FILE_H

#include "reader/files/file_window.h"
#include "format/trace_format.h"

/* The reasons why bytes are not a good block. */
enum block_fault {
	BLOCK_GOOD,
	BLOCK_DAMAGED,		/* no magic, impossible sizes, or a wrong checksum */
	BLOCK_TORN,		/* begins like a block and reaches past the end of the file */
	BLOCK_BIG_ENDIAN,
	BLOCK_VERSION,		/* another version of the format: `version` */
	BLOCK_UNREADABLE,	/* the read failed: `window.error` */
};

struct block {
	uint64_t offset;
	struct spoor_trace_header header;
	struct spoor_block_extension extension;
	const uint8_t *body;		/* valid until the next block is read */
	uint32_t body_bytes;
};

struct block_file {
	struct file_window window;
	char *path;			/* for messages */
	uint64_t position;		/* of the next block */
	uint64_t good_blocks;
	uint32_t looks;			/* failed looks at the same incomplete block */

	/* Bytes that are not part of a good block. */
	uint64_t damaged_places;
	uint64_t damaged_bytes;
	uint64_t damaged_first;		/* offset of the first damaged place */
	uint64_t torn_bytes;		/* at the end of the file */
	enum block_fault first_fault;
	uint32_t version;
};

/*
 * block_file_open - opens @directory/@name.
 * @path: the name in messages; copied
 *
 * Returns 0, -ENOMEM, or a negative errno of file_window_open.
 */
int block_file_open(struct block_file *file, int directory, const char *name, const char *path);
void block_file_close(struct block_file *file);

/*
 * block_file_next - reads the next good block.
 *
 * Returns 1, 0 at the end of the file, or the negative errno of a read.
 */
int block_file_next(struct block_file *file, struct block *block);

/*
 * block_file_follow - the same for a file that is still being written, up to the size that the last
 * file_window_again found. The next call looks again at an incomplete block.
 *
 * Returns 1; 0 if there is no further block for now; or the negative errno of a read.
 */
int block_file_follow(struct block_file *file, struct block *block);

/* Reads the block at @offset and checks it. */
enum block_fault block_file_read(struct block_file *file, uint64_t offset, struct block *block);

/*
 * block_file_complain - writes one message if the file was damaged or torn.
 * @consequence: what the damage means for the user, such as "its events are missing"
 *
 * Returns 0 if the file is whole, or -EBADMSG.
 */
int block_file_complain(const struct block_file *file, const char *consequence);

#endif
