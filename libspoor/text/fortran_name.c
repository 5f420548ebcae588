/* SPDX-License-Identifier: MIT */
/* fortran_name.c - demangles linkage names of LLVM's Fortran compiler. */
#include "text/fortran_name.h"

#include <string.h>

#define MAIN_PROGRAM "program"

/* The output. The last byte of @size is for the NUL. */
struct written {
	char *text;
	size_t size, used;
};

static void add(struct written *written, const char *piece, size_t bytes)
{
	if (bytes > written->size - 1 - written->used)
		bytes = written->size - 1 - written->used;
	memcpy(written->text + written->used, piece, bytes);
	written->used += bytes;
	written->text[written->used] = '\0';
}

/* Returns the length of a name. Names have lower-case letters; a capital letter before each gives its kind. */
static size_t name_length(const char *name)
{
	size_t length = 0;

	while ((name[length] >= 'a' && name[length] <= 'z') || (name[length] >= '0' && name[length] <= '9') ||
	       name[length] == '_' || name[length] == '$')
		length++;
	return length;
}

int spoor_fortran_name(const char *linkage, char *text, size_t size)
{
	struct written written = {text, size, 0};
	const char *at = linkage + 2;

	if (strncmp(linkage, "_Q", 2) != 0 || size == 0)
		return 0;
	text[0] = '\0';
	if (strcmp(at, "Qmain") == 0) {
		add(&written, MAIN_PROGRAM, strlen(MAIN_PROGRAM));
		return 1;
	}
	for (;;) {
		char kind = *at++;
		size_t length = kind ? name_length(at) : 0;

		/* Modules, submodules, surrounding procedures, blocks; the procedure itself comes last. */
		if (!kind || !strchr("MSFBP", kind) || (!length && kind != 'F'))
			return 0;
		if (kind != 'B') {
			add(&written, "::", written.used ? 2 : 0);
			add(&written, length ? at : MAIN_PROGRAM, length ? length : strlen(MAIN_PROGRAM));
		}
		at += length;
		if (kind == 'P')
			return !*at;
	}
}
