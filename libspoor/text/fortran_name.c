/* SPDX-License-Identifier: MIT */
/* fortran_name.c - demangles linkage names of the Fortran compilers of LLVM and GCC. */
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

/* GCC's names of procedures in modules: "__shapes_MOD_fib". A copy by the compiler has a suffix after a dot. */
static int demangle_of_gcc(const char *module, struct written *written)
{
	size_t length = name_length(module);
	const char *procedure = module + length + strlen("MOD_");
	size_t procedure_length;

	if (length < 2 || module[length - 1] != '_' || strncmp(module + length, "MOD_", strlen("MOD_")) != 0)
		return 0;
	procedure_length = name_length(procedure);
	if (!procedure_length || (procedure[procedure_length] && procedure[procedure_length] != '.'))
		return 0;
	add(written, module, length - 1);
	add(written, "::", 2);
	add(written, procedure, strlen(procedure));
	return 1;
}

int spoor_fortran_name(const char *linkage, char *text, size_t size)
{
	struct written written = {text, size, 0};
	const char *at = linkage + 2;

	if (size == 0)
		return 0;
	text[0] = '\0';
	if (strncmp(linkage, "__", 2) == 0)
		return demangle_of_gcc(at, &written);
	if (strncmp(linkage, "_Q", 2) != 0)
		return 0;
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
