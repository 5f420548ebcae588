/* SPDX-License-Identifier: MIT */
/* fuzz_driver_words.c - reads a response file: all words are strings, and they are no longer than the text. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int file = memfd_create("words", MFD_CLOEXEC);
	struct words words = { 0 };
	char argument[64];
	size_t text = 0;

	/* Skips inputs that name other files. */
	if (file < 0 || memchr(bytes, '@', size)) {
		close(file);
		return 0;
	}
	if (write(file, bytes, size) != (ssize_t)size)
		abort();
	snprintf(argument, sizeof(argument), "@/proc/self/fd/%d", file);
	if (words_add_argument(&words, argument, 3) != 0)
		abort();
	for (size_t i = 0; i < words.count; i++) {
		if (words.list[i].argument != 3 || words.list[i].ours)
			abort();
		text += strlen(words.list[i].text);
	}
	if (text > size || words.count > size)
		abort();
	words_free(&words);
	close(file);
	return 0;
}
