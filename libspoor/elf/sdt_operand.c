/* SPDX-License-Identifier: MIT */
/* sdt_operand.c - parses operands of static tracepoints in the forms that compilers write. */
#include "elf/sdt_operand.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The text that is still to be parsed. */
struct scan {
	const char *at, *end;
};

static bool take(struct scan *scan, char wanted)
{
	if (scan->at == scan->end || *scan->at != wanted)
		return false;
	scan->at++;
	return true;
}

static void skip_blanks(struct scan *scan)
{
	while (scan->at < scan->end && *scan->at == ' ')
		scan->at++;
}

static bool is_word_character(char character)
{
	return isalnum((unsigned char)character) || character == '_' || character == '.' || character == '$';
}

/* Returns the length of a word: the name of a register or symbol. */
static size_t word_length(const struct scan *scan)
{
	const char *at = scan->at;

	while (at < scan->end && is_word_character(*at))
		at++;
	return (size_t)(at - scan->at);
}

/* Reads an optional sign and a number in C's syntax. */
static bool take_number(struct scan *scan, int64_t *number)
{
	char digits[32];
	size_t length = 0;
	char *after;

	if (scan->at < scan->end && (*scan->at == '-' || *scan->at == '+'))
		digits[length++] = *scan->at;
	if (scan->at + length == scan->end || !isdigit((unsigned char)scan->at[length]))
		return false;
	while (scan->at + length < scan->end && length < sizeof(digits) - 1 &&
	       isalnum((unsigned char)scan->at[length])) {
		digits[length] = scan->at[length];
		length++;
	}
	digits[length] = '\0';
	*number = *digits == '-' ? (int64_t)(0 - strtoull(digits + 1, &after, 0)) : (int64_t)strtoull(digits, &after, 0);
	if (*after)
		return false;
	scan->at += length;
	return true;
}

/* Adds up numbers and at most one symbol. Returns false if there is neither. */
static bool take_sum(struct scan *scan, struct sdt_operand *operand)
{
	bool any = false;

	while (scan->at < scan->end && *scan->at != '(' && *scan->at != ']') {
		int64_t number;
		size_t length;

		if (take_number(scan, &number)) {
			operand->number = (int64_t)((uint64_t)operand->number + (uint64_t)number);
			any = true;
			continue;
		}
		take(scan, '+');
		length = word_length(scan);
		if (!length || operand->symbol || isdigit((unsigned char)*scan->at))
			return false;
		operand->symbol = scan->at;
		operand->symbol_length = length;
		scan->at += length;
		any = true;
	}
	return any;
}

struct part {
	const char *name;
	uint8_t number, shift, bytes;
};

static bool is_named(const struct scan *scan, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(scan->at, name, length) == 0;
}

/* Parses "r10d": the register's number and, from its last letter, the size. */
static bool numbered_x86_64(const struct scan *scan, size_t length, struct part *part)
{
	unsigned int number = 0;
	size_t at = 1;

	if (length < 2 || *scan->at != 'r')
		return false;
	while (at < length && isdigit((unsigned char)scan->at[at]) && number < 16)
		number = 10 * number + (unsigned int)(scan->at[at++] - '0');
	if (at == 1 || number < 8 || number > 15 || at + 1 < length)
		return false;
	part->number = (uint8_t)number;
	part->bytes = at == length ? 8 : scan->at[at] == 'd' ? 4 : scan->at[at] == 'w' ? 2 : scan->at[at] == 'b' ? 1 : 0;
	return part->bytes != 0;
}

/* psABI for x86-64, "DWARF Register Number Mapping". */
static bool named_x86_64(const struct scan *scan, size_t length, struct part *part)
{
	static const struct part parts[] = {
		{ "rax", 0, 0, 8 }, { "eax", 0, 0, 4 }, { "ax", 0, 0, 2 }, { "al", 0, 0, 1 }, { "ah", 0, 8, 1 },
		{ "rdx", 1, 0, 8 }, { "edx", 1, 0, 4 }, { "dx", 1, 0, 2 }, { "dl", 1, 0, 1 }, { "dh", 1, 8, 1 },
		{ "rcx", 2, 0, 8 }, { "ecx", 2, 0, 4 }, { "cx", 2, 0, 2 }, { "cl", 2, 0, 1 }, { "ch", 2, 8, 1 },
		{ "rbx", 3, 0, 8 }, { "ebx", 3, 0, 4 }, { "bx", 3, 0, 2 }, { "bl", 3, 0, 1 }, { "bh", 3, 8, 1 },
		{ "rsi", 4, 0, 8 }, { "esi", 4, 0, 4 }, { "si", 4, 0, 2 }, { "sil", 4, 0, 1 },
		{ "rdi", 5, 0, 8 }, { "edi", 5, 0, 4 }, { "di", 5, 0, 2 }, { "dil", 5, 0, 1 },
		{ "rbp", 6, 0, 8 }, { "ebp", 6, 0, 4 }, { "bp", 6, 0, 2 }, { "bpl", 6, 0, 1 },
		{ "rsp", 7, 0, 8 }, { "esp", 7, 0, 4 }, { "sp", 7, 0, 2 }, { "spl", 7, 0, 1 },
		{ "rip", 16, 0, 8 },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (is_named(scan, length, parts[i].name)) {
			*part = parts[i];
			return true;
		}
	}
	return numbered_x86_64(scan, length, part);
}

/* Parses a prefix and a number up to @last, as in "x12". */
static bool lettered(const struct scan *scan, size_t length, const char *prefix, unsigned int last, unsigned int first_number,
		     struct part *part)
{
	size_t at = strlen(prefix);
	unsigned int number = 0;

	if (length <= at || length > at + 2 || memcmp(scan->at, prefix, at) != 0)
		return false;
	for (; at < length; at++) {
		if (!isdigit((unsigned char)scan->at[at]))
			return false;
		number = 10 * number + (unsigned int)(scan->at[at] - '0');
	}
	part->number = (uint8_t)(first_number + number);
	return number <= last;
}

/* AADWARF64, "DWARF register names". */
static bool named_aarch64(const struct scan *scan, size_t length, struct part *part)
{
	static const char *const reals[] = { "b", "h", "s", "d" };

	if (is_named(scan, length, "sp")) {
		*part = (struct part){ "sp", 31, 0, 8 };
		return true;
	}
	part->bytes = 8;
	if (lettered(scan, length, "x", 30, 0, part))
		return true;
	part->bytes = 4;
	if (lettered(scan, length, "w", 30, 0, part))
		return true;
	for (size_t i = 0; i < sizeof(reals) / sizeof(*reals); i++) {
		part->bytes = (uint8_t)(1u << i);
		if (lettered(scan, length, reals[i], 31, 64, part))
			return true;
	}
	return false;
}

static bool take_register(struct scan *scan, uint16_t machine, struct part *part)
{
	size_t length;

	*part = (struct part){ 0 };
	if (machine == EM_X86_64 && !take(scan, '%'))
		return false;
	length = word_length(scan);
	if (machine == EM_X86_64 && lettered(scan, length, "xmm", 15, 17, part))
		part->bytes = 8;
	else if (!(machine == EM_X86_64 ? named_x86_64 : named_aarch64)(scan, length, part))
		return false;
	scan->at += length;
	return true;
}

/* sum(base,index,scale) */
static bool read_x86_64(struct sdt_operand *operand, struct scan *scan)
{
	struct part part;

	if (take(scan, '$')) {
		operand->kind = SDT_CONSTANT;
		return take_sum(scan, operand) && scan->at == scan->end;
	}
	if (scan->at < scan->end && *scan->at == '%') {
		operand->kind = SDT_REGISTER;
		if (!take_register(scan, EM_X86_64, &part))
			return false;	/* also for segments: %fs:... */
		operand->base = part.number;
		operand->shift = part.shift;
		return part.number != 16 && scan->at == scan->end;
	}
	operand->kind = SDT_MEMORY;
	if (!take_sum(scan, operand) && (scan->at == scan->end || *scan->at != '('))
		return false;
	if (scan->at == scan->end)
		return true;
	if (!take(scan, '('))
		return false;
	if (scan->at < scan->end && *scan->at == '%') {
		if (!take_register(scan, EM_X86_64, &part) || part.bytes != 8)
			return false;
		operand->base = part.number;
	}
	if (take(scan, ',')) {
		int64_t scale = 1;

		if (!take_register(scan, EM_X86_64, &part) || part.bytes != 8 || part.number == 16)
			return false;
		operand->index = part.number;
		if (take(scan, ',') && !take_number(scan, &scale))
			return false;
		if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
			return false;
		operand->shift = (uint8_t)__builtin_ctz((unsigned int)scale);
	}
	return take(scan, ')') && scan->at == scan->end;
}

/* Parses "lsl 3", "sxtw", "uxtw 2". */
static bool take_extension(struct sdt_operand *operand, struct scan *scan)
{
	size_t length = word_length(scan);
	int64_t shift = 0;

	if (is_named(scan, length, "sxtw"))
		operand->index_has_sign = true;
	else if (!is_named(scan, length, "uxtw") && !is_named(scan, length, "lsl") && !is_named(scan, length, "sxtx"))
		return false;
	scan->at += length;
	skip_blanks(scan);
	take(scan, '#');
	if (scan->at < scan->end && *scan->at != ']' && !take_number(scan, &shift))
		return false;
	operand->shift = (uint8_t)shift;
	return shift >= 0 && shift <= 4;
}

/* Parses [base, index, extension] or [base, number]. */
static bool read_address_aarch64(struct sdt_operand *operand, struct scan *scan)
{
	struct part part;

	operand->kind = SDT_MEMORY;
	if (!take_register(scan, EM_AARCH64, &part) || part.bytes != 8 || part.number > 31)
		return false;
	operand->base = part.number;
	if (take(scan, ',')) {
		skip_blanks(scan);
		if (take_register(scan, EM_AARCH64, &part)) {
			if (part.number > 30)
				return false;
			operand->index = part.number;
			operand->index_is_word = part.bytes == 4;
			if (take(scan, ',')) {
				skip_blanks(scan);
				if (!take_extension(operand, scan))
					return false;
			}
		} else {
			take(scan, '#');
			if (!take_sum(scan, operand) || operand->symbol)
				return false;
		}
	}
	return take(scan, ']') && scan->at == scan->end;
}

static bool read_aarch64(struct sdt_operand *operand, struct scan *scan)
{
	struct scan start = *scan;
	struct part part;

	if (take(scan, '['))
		return read_address_aarch64(operand, scan);
	if (take_register(scan, EM_AARCH64, &part) && scan->at == scan->end) {
		operand->kind = SDT_REGISTER;
		operand->base = part.number;
		return true;
	}
	*scan = start;
	take(scan, '#');
	if (!take_sum(scan, operand) || scan->at != scan->end)
		return false;
	operand->kind = operand->symbol ? SDT_MEMORY : SDT_CONSTANT;
	return true;
}

/* Parses "-4@", "8f@", "8@", or no size. Returns false for an invalid size. */
static bool take_size(struct sdt_operand *operand, struct scan *scan)
{
	const char *mark = memchr(scan->at, '@', (size_t)(scan->end - scan->at));
	int64_t size;

	operand->size = 8;
	if (!mark)
		return true;
	operand->has_sign = *scan->at == '-';
	if (!take_number(&(struct scan){ scan->at, mark - (mark > scan->at && mark[-1] == 'f') }, &size))
		return false;
	operand->is_real = mark[-1] == 'f';
	size = size < 0 ? -size : size;
	operand->size = (uint8_t)size;
	scan->at = mark + 1;
	operand->text = scan->at;
	operand->length = (size_t)(scan->end - scan->at);
	return (size == 1 || size == 2 || size == 4 || size == 8) && (!operand->is_real || size >= 4);
}

bool sdt_operand_parse(struct sdt_operand *operand, const char *text, uint16_t machine, const char **rest)
{
	struct scan scan;
	bool within = false;

	*operand = (struct sdt_operand){ .base = SDT_NO_REGISTER, .index = SDT_NO_REGISTER };
	scan.at = text;
	for (scan.end = text; *scan.end && (within || *scan.end != ' '); scan.end++)
		within = *scan.end == '[' || (within && *scan.end != ']');
	*rest = scan.end + strspn(scan.end, " ");
	operand->text = text;
	operand->length = (size_t)(scan.end - text);
	if (scan.at == scan.end || !take_size(operand, &scan))
		return false;
	return machine == EM_X86_64 ? read_x86_64(operand, &scan) : machine == EM_AARCH64 && read_aarch64(operand, &scan);
}
