/* SPDX-License-Identifier: MIT */
/* known_signature.c - translates the signatures of the shipped tables. */
#include "library_calls/known_calls.h"

#include <string.h>

#include "format/signature_format.h"

/* Items of a description, with their operands. */
struct type {
	char letter;
	uint8_t count;		/* of bytes */
	uint8_t bytes[3];
};

#ifdef __x86_64__
#define LONG_DOUBLE_BITS 80
#else
#define LONG_DOUBLE_BITS 128
#endif
#ifdef __CHAR_UNSIGNED__
#define CHAR SPOOR_SIGNATURE_UNSIGNED
#else
#define CHAR SPOOR_SIGNATURE_SIGNED
#endif

static const struct type types[] = {
	{ 'a', 2, { SPOOR_SIGNATURE_SIGNED, 8 } },
	{ 'c', 2, { CHAR, 8 } },
	{ 'C', 2, { SPOOR_SIGNATURE_UNSIGNED, 8 } },
	{ 'd', 2, { SPOOR_SIGNATURE_REAL, 64 } },
	{ 'D', 2, { SPOOR_SIGNATURE_REAL, LONG_DOUBLE_BITS } },
	{ 'f', 2, { SPOOR_SIGNATURE_REAL, 32 } },
	{ 'h', 2, { SPOOR_SIGNATURE_SIGNED, 16 } },
	{ 'H', 2, { SPOOR_SIGNATURE_UNSIGNED, 16 } },
	{ 'i', 2, { SPOOR_SIGNATURE_SIGNED, 32 } },
	{ 'l', 2, { SPOOR_SIGNATURE_SIGNED, 64 } },
	{ 'L', 2, { SPOOR_SIGNATURE_UNSIGNED, 64 } },
	{ 'p', 1, { SPOOR_SIGNATURE_POINTER } },
	{ 't', 3, { SPOOR_SIGNATURE_TEXT, SPOOR_LAYOUT_C, SPOOR_SIGNATURE_POINTER } },
	{ 'u', 2, { SPOOR_SIGNATURE_UNSIGNED, 32 } },
	{ 'v', 0, { 0 } },
	{ '?', 1, { SPOOR_SIGNATURE_OTHER } },
};

static const struct type *find_type(char letter)
{
	const struct type *type = types;

	while (type->letter != letter && type->letter != '?')
		type++;
	return type;
}

size_t spoor_known_signature_read(const char *signature, uint8_t *bytes, size_t room, const char **names)
{
	const char *end = strchr(signature, ' ');
	size_t used = 0;

	*names = end ? end + 1 : NULL;
	if (!end)
		end = signature + strlen(signature);
	if (end == signature || room < 3 * (size_t)(end - signature) + 3)
		return 0;
	bytes[used++] = end[-1] == '.' ? SPOOR_SIGNATURE_VARIADIC : 0;
	end -= end[-1] == '.';
	for (const char *at = signature; at < end; at++) {
		const struct type *type = find_type(*at);

		memcpy(bytes + used, type->bytes, type->count);
		used += type->count;
		if (at == signature)
			bytes[used++] = SPOOR_SIGNATURE_END;
	}
	bytes[used++] = SPOOR_SIGNATURE_END;
	return used;
}
