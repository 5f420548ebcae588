/* SPDX-License-Identifier: MIT */
/*
 * data_section.c - adds data to a unit's object file that is not loaded with the program.
 *
 * Uses assembly, because LLVM makes every global loadable, whatever its section. The
 * assembly defines no symbol, so link-time optimisation treats the unit as before.
 */
#include "pass/sleds/data_section.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 128

/* Writes a byte as in a string of the assembler: one to four characters. */
static char *put_byte(char *at, uint8_t byte)
{
	bool plain = byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\';

	if (plain) {
		*at++ = (char)byte;
		return at;
	}
	*at++ = '\\';
	*at++ = (char)('0' + (byte >> 6));
	*at++ = (char)('0' + (byte >> 3 & 7));
	*at++ = (char)('0' + (byte & 7));
	return at;
}

int data_section_add(LLVMModuleRef module, const char *name, const uint8_t *bytes, size_t size)
{
	static const char line_begin[] = ".ascii \"", line_end[] = "\"\n";
	size_t lines = size / LINE_BYTES + 1;
	char *text = malloc(4 * size + lines * (sizeof line_begin + sizeof line_end) + strlen(name) + 64), *at = text;

	if (!text)
		return -ENOMEM;
	/* R (SHF_GNU_RETAIN) prevents GNU ld from dropping the section as garbage. */
	at = stpcpy(at, ".pushsection ");
	at = stpcpy(at, name);
	at = stpcpy(at, ",\"R\",%progbits\n");
	for (size_t i = 0; i < size; i++) {
		if (i % LINE_BYTES == 0)
			at = stpcpy(at, line_begin);
		at = put_byte(at, bytes[i]);
		if (i % LINE_BYTES == LINE_BYTES - 1 || i == size - 1)
			at = stpcpy(at, line_end);
	}
	at = stpcpy(at, ".popsection");
	LLVMAppendModuleInlineAsm(module, text, (size_t)(at - text));
	free(text);
	return 0;
}
