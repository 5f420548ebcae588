/* SPDX-License-Identifier: MIT */
/*
 * make_seeds.c - makes inputs for the fuzz targets from the golden trace.
 *
 * usage: make_seeds TRACE DIR - writes DIR/unpack.*, DIR/process.*, DIR/pool.*
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/files/trace_reader.h"

static const char *directory;

static FILE *create(const char *kind, unsigned int number)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.%u", directory, kind, number);
	file = fopen(path, "wb");
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

/* Writes one block in the format of fuzz_process. */
static void put_block(FILE *file, const struct block *block)
{
	uint16_t count = (uint16_t)block->header.event_count, length = (uint16_t)block->body_bytes;

	fputc((int)block->extension.kind, file);
	fputc(block->header.compression | block->extension.flags << 4, file);
	fwrite(&count, 2, 1, file);
	fwrite(&length, 2, 1, file);
	fwrite(block->body, 1, block->body_bytes, file);
}

/* Writes packed slices in the format of fuzz_unpack. */
static void put_packed(const struct block *block, unsigned int number)
{
	struct spoor_slice_info info;
	uint16_t count = (uint16_t)block->header.event_count;
	FILE *file;

	if (block->header.compression == SPOOR_COMPRESSION_NONE || block->body_bytes < sizeof(info))
		return;
	file = create("unpack", number);
	memcpy(&info, block->body, sizeof(info));
	fwrite(&info.counter, 4, 1, file);
	fwrite(&count, 2, 1, file);
	fwrite(block->body + sizeof(info), 1, block->body_bytes - sizeof(info), file);
	fclose(file);
}

static void put_file(FILE *seed, int folder, const char *name, unsigned int *number)
{
	struct block_file file;
	struct block block;

	if (block_file_open(&file, folder, name, name))
		return;
	while (block_file_next(&file, &block) > 0) {
		put_block(seed, &block);
		if (block.extension.kind == SPOOR_BLOCK_EVENTS)
			put_packed(&block, (*number)++);
	}
	block_file_close(&file);
}

/* Writes the pool's header, the first infos, and the used words of two slices. */
static void put_pool(FILE *seed, int folder)
{
	static uint8_t bytes[1 << 20];
	int pool = openat(folder, SPOOR_POOL_FILE, O_RDONLY);
	size_t infos = 4 * sizeof(struct spoor_slice_info);
	FILE *file;

	if (pool < 0)
		return;
	file = create("pool", 0);
	if (pread(pool, bytes, sizeof(struct spoor_pool), 0) > 0)
		fwrite(bytes, 1, sizeof(struct spoor_pool), file);
	if (pread(pool, bytes, infos, SPOOR_POOL_INFOS_OFFSET) > 0) {
		fwrite(bytes, 1, infos, file);
		fputc(255, seed);
		fwrite(bytes, 1, infos, seed);
	}
	if (pread(pool, bytes, 256, (off_t)spoor_pool_slice_offset(0)) > 0) {
		fwrite(bytes, 1, 256, file);
		fwrite(bytes, 1, 256, seed);
	}
	fclose(file);
	close(pool);
}

int main(int argc, char **argv)
{
	struct trace trace;
	unsigned int number = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: make_seeds TRACE DIR\n");
		return 2;
	}
	directory = argv[2];
	if (trace_open(&trace, argv[1], true))
		return 1;
	for (size_t i = 0; i < trace.count; i++) {
		int folder = openat(trace.directory, trace.entries[i].name, O_RDONLY | O_DIRECTORY);
		FILE *seed = create("process", (unsigned int)i);

		put_file(seed, folder, SPOOR_PROCESS_FILE, &number);
		put_file(seed, folder, SPOOR_EVENTS_FILE, &number);
		put_pool(seed, folder);
		fclose(seed);
		close(folder);
	}
	trace_close(&trace);
	return 0;
}
