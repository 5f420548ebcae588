/* SPDX-License-Identifier: MIT */
/*
 * fuzz_main.c - runs a fuzz target over its corpus, and over a fixed stream of random
 * mutations of the corpus, in each `make check`. With clang's -fsanitize=fuzzer,
 * libFuzzer's main replaces this one.
 *
 * usage: fuzz_x [-n MUTATIONS] FILE...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? (uint32_t)(state >> 33) % below : 0;
}

/* Runs the target on a heap copy of exactly this size, so that a sanitizer sees a read after its end. */
static void run(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void mutate(const uint8_t *bytes, size_t size)
{
	uint8_t *changed = malloc(size + 1);
	size_t left = size;

	memcpy(changed, bytes, size);
	for (uint32_t i = 1 + draw(8); i && size; i--) {
		switch (draw(5)) {
		case 0:
			changed[draw((uint32_t)size)] ^= (uint8_t)(1u << draw(8));
			break;
		case 1:
			changed[draw((uint32_t)size)] = (uint8_t)draw(256);
			break;
		case 2:
			changed[draw((uint32_t)size)] = (uint8_t)(draw(2) ? 0xff : 0);
			break;
		case 3:
			left = draw((uint32_t)size + 1);
			break;
		default:
			memmove(changed + draw((uint32_t)size / 2 + 1), bytes + draw((uint32_t)size / 2 + 1),
				draw((uint32_t)size / 2 + 1));
		}
	}
	run(changed, left);
	free(changed);
}

__attribute__((weak)) int main(int argc, char *argv[])
{
	unsigned long mutations = 2000, inputs = 0;

	for (int i = 1; i < argc; i++) {
		static uint8_t bytes[1 << 20];
		FILE *file;
		size_t size;

		if (strcmp(argv[i], "-n") == 0 && i + 1 < argc) {
			mutations = strtoul(argv[++i], NULL, 0);
			continue;
		}
		file = fopen(argv[i], "rb");
		if (!file) {
			perror(argv[i]);
			return 1;
		}
		size = fread(bytes, 1, sizeof(bytes), file);
		fclose(file);
		run(bytes, size);
		for (unsigned long n = 0; n < mutations; n++)
			mutate(bytes, size);
		inputs += 1 + mutations;
	}
	printf("%lu inputs\n", inputs);
	return inputs ? 0 : 1;
}
