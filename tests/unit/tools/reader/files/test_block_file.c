/* SPDX-License-Identifier: MIT */
/* test_block_file.c - damage in a file costs the damaged block and no other. */
#include "reader/files/block_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/block.h"
#include "tests/unit/support/unit.h"

#define BLOCKS 4u

/* A file of BLOCKS blocks: block i has the sequence number i and 10 * i + 1 bytes. */
static uint8_t content[4096];
static size_t content_bytes, ends[BLOCKS];

static void make_content(void)
{
	content_bytes = 0;
	for (uint32_t i = 0; i < BLOCKS; i++) {
		struct spoor_block_facts facts = { .kind = SPOOR_BLOCK_THREAD, .sequence = i };
		uint8_t *block = content + content_bytes;

		memset(block + sizeof(struct spoor_block), 'a' + (int)i, 10 * i + 1);
		content_bytes += spoor_block_seal(block, 10 * i + 1, &facts);
		ends[i] = content_bytes;
	}
}

static void open_bytes(struct block_file *file, const uint8_t *bytes, size_t count)
{
	char path[64];
	int fd = memfd_create("blocks", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, count), (ssize_t)count);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ck_assert_int_eq(block_file_open(file, AT_FDCWD, path, "blocks"), 0);
	close(fd);
}

/* Reads all blocks. Returns their sequence numbers as bits. */
static unsigned int read_all(struct block_file *file)
{
	unsigned int met = 0;
	struct block block;

	while (block_file_next(file, &block) > 0) {
		uint64_t sequence = block.extension.sequence;

		ck_assert_uint_lt(sequence, BLOCKS);
		ck_assert_uint_eq(block.body_bytes, 10 * sequence + 1);
		for (uint32_t i = 0; i < block.body_bytes; i++)
			ck_assert_int_eq(block.body[i], 'a' + (int)sequence);
		ck_assert(!(met >> sequence & 1));
		met |= 1u << sequence;
	}
	return met;
}

START_TEST(a_whole_file_is_read_without_complaint)
{
	struct block_file file;

	make_content();
	open_bytes(&file, content, content_bytes);
	ck_assert_uint_eq(read_all(&file), (1u << BLOCKS) - 1);
	ck_assert_int_eq(block_file_complain(&file, ""), 0);
	block_file_close(&file);
}
END_TEST

START_TEST(a_file_cut_at_any_byte_costs_the_block_that_was_cut)
{
	make_content();
	for (size_t cut = 0; cut < content_bytes; cut++) {
		struct block_file file;
		unsigned int whole = 0;
		bool border = cut == 0;

		for (uint32_t i = 0; i < BLOCKS; i++) {
			whole |= (ends[i] <= cut) << i;
			border |= ends[i] == cut;
		}
		open_bytes(&file, content, cut);
		ck_assert_uint_eq(read_all(&file), whole);
		ck_assert_int_eq(file.torn_bytes != 0, !border);
		ck_assert_uint_eq(file.damaged_places, 0);
		block_file_close(&file);
	}
}
END_TEST

START_TEST(a_flipped_bit_costs_its_block)
{
	make_content();
	for (size_t bit = 0; bit < content_bytes * 8; bit++) {
		struct block_file file;
		uint32_t hit = 0;

		while (ends[hit] <= bit / 8)
			hit++;
		content[bit / 8] ^= (uint8_t)(1 << bit % 8);
		open_bytes(&file, content, content_bytes);
		ck_assert_uint_eq(read_all(&file), ((1u << BLOCKS) - 1) & ~(1u << hit));
		ck_assert(file.damaged_places == 1 || file.torn_bytes);
		block_file_close(&file);
		content[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}
END_TEST

START_TEST(bytes_between_blocks_are_skipped)
{
	static uint8_t bytes[3 * sizeof(content)];
	struct block_file file;

	make_content();
	memcpy(bytes, content, content_bytes);
	/* Rubbish that contains the magic, and the magic across the end of the reader's window. */
	memset(bytes + content_bytes, 0, 1000);
	memcpy(bytes + content_bytes + 500, SPOOR_TRACE_MAGIC, SPOOR_TRACE_MAGIC_SIZE);
	memcpy(bytes + content_bytes + 1000, content, ends[0]);
	open_bytes(&file, bytes, content_bytes + 1000 + ends[0]);
	struct block block;
	int count = 0;
	while (block_file_next(&file, &block) > 0)
		count++;
	ck_assert_int_eq(count, BLOCKS + 1);
	ck_assert_uint_eq(file.damaged_places, 1);
	ck_assert_uint_eq(file.damaged_first, content_bytes);
	ck_assert_uint_eq(file.damaged_bytes, 1000);
	block_file_close(&file);
}
END_TEST

START_TEST(a_magic_at_any_distance_is_found)
{
	static uint8_t bytes[200000];
	struct block block;

	make_content();
	for (size_t distance = 65536 - 20; distance < 65536 + 20; distance++) {
		struct block_file file;

		memset(bytes, 0xc8, distance);
		memcpy(bytes + distance, content, ends[0]);
		open_bytes(&file, bytes, distance + ends[0]);
		ck_assert_int_eq(block_file_next(&file, &block), 1);
		ck_assert_uint_eq(block.offset, distance);
		block_file_close(&file);
	}
}
END_TEST

START_TEST(another_version_and_another_byte_order_are_not_damage)
{
	struct block_file file;

	make_content();
	content[10] = SPOOR_BIG_ENDIAN;
	open_bytes(&file, content, ends[0]);
	ck_assert_uint_eq(read_all(&file), 0);
	ck_assert_int_eq(file.first_fault, BLOCK_BIG_ENDIAN);
	block_file_close(&file);
	make_content();
	content[12] = 9;
	open_bytes(&file, content, ends[0]);
	ck_assert_uint_eq(read_all(&file), 0);
	ck_assert_int_eq(file.first_fault, BLOCK_VERSION);
	ck_assert_uint_eq(file.version, 9);
	block_file_close(&file);
}
END_TEST

START_TEST(a_block_larger_than_the_window_is_read)
{
	static uint8_t large[sizeof(struct spoor_block) + SPOOR_BLOCK_BODY_MAX];
	struct spoor_block_facts facts = { .kind = SPOOR_BLOCK_EVENTS };
	struct block_file file;
	struct block block;
	size_t bytes = spoor_block_seal(large, SPOOR_BLOCK_BODY_MAX, &facts);

	open_bytes(&file, large, bytes);
	ck_assert_int_eq(block_file_next(&file, &block), 1);
	ck_assert_uint_eq(block.body_bytes, SPOOR_BLOCK_BODY_MAX);
	ck_assert_int_eq(block_file_next(&file, &block), 0);
	block_file_close(&file);
}
END_TEST

START_TEST(a_file_that_is_not_regular_is_EINVAL)
{
	struct block_file file;

	ck_assert_int_eq(block_file_open(&file, AT_FDCWD, "/dev/null", "x"), -EINVAL);
	ck_assert_int_eq(block_file_open(&file, AT_FDCWD, "/", "x"), -EINVAL);
	ck_assert_int_eq(block_file_open(&file, AT_FDCWD, "/nowhere/at/all", "x"), -ENOENT);
}
END_TEST

UNIT_MAIN("block_file", a_whole_file_is_read_without_complaint,
	  a_file_cut_at_any_byte_costs_the_block_that_was_cut, a_flipped_bit_costs_its_block,
	  bytes_between_blocks_are_skipped, a_magic_at_any_distance_is_found,
	  another_version_and_another_byte_order_are_not_damage, a_block_larger_than_the_window_is_read,
	  a_file_that_is_not_regular_is_EINVAL)
