/* SPDX-License-Identifier: MIT */
/* short_types.c - knows the default template arguments and the usual names of standard types. */
#include "reader/names/short_types.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

void shortener_add_number(struct shortener *at, const char *before, long number, const char *after)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "%s%ld%s", before, number, after);

	shortener_add(at, text, (size_t)length);
}

bool shortener_ends_lambda(const struct shortener *at, size_t after)
{
	size_t end = at->used;
	const char *open;

	if (end < after + 2 || memcmp(at->out + end - after, "::operator", after) != 0 || at->out[end - after - 1] != '}')
		return false;
	open = memrchr(at->out, '{', end - after);
	return open && strncmp(open, "{lambda#", strlen("{lambda#")) == 0;
}

const char *shortener_group_end(const char *group)
{
	int depth = 0;

	for (; *group; group++) {
		depth += (*group == '(') - (*group == ')');
		if (!depth)
			return group + 1;
	}
	return group;
}

/* Returns the length of the part of a path at @path: an identifier and "::"; 0: the last part, or none. */
static size_t path_part(const char *path)
{
	size_t length = 0;

	while (shortener_is_word(path[length]))
		length++;
	return length && strncmp(path + length, "::", 2) == 0 ? length + 2 : 0;
}

bool shortener_take_rust_path(struct shortener *at)
{
	static const char *const libraries[] = { "core::", "alloc::", "std::" };
	const char *part = at->in;
	size_t length;

	if (!at->is_rust || shortener_ends_with(at, "::"))
		return false;
	for (size_t i = 0; i < COUNT(libraries); i++) {
		if (!shortener_at(at, libraries[i]))
			continue;
		/* Modules begin with a small letter, and types with a capital one. */
		while (*part >= 'a' && *part <= 'z' && (length = path_part(part)))
			part += length;
		if (*part < 'A' || *part > 'Z')
			return false;
		at->in = part;
		return true;
	}
	return false;
}

/* Returns whether the output before the arguments ends with this template's name. */
static bool is_template(const struct shortener *at, size_t begin, const char *name)
{
	size_t length = strlen(name);

	return begin >= length && memcmp(at->out + begin - length, name, length) == 0 &&
	       (begin == length || !(shortener_is_word(at->out[begin - length - 1]) || at->out[begin - length - 1] == ':'));
}

/* Number of arguments of a container's inner template that say what it contains; the others follow from them. */
static unsigned telling_arguments(const struct shortener *at, size_t begin)
{
	static const struct { const char *name; unsigned count; } templates[] = {
		{ "std::_Hashtable", 2 }, { "std::__detail::_Map_base", 2 }, { "std::__detail::_Insert", 2 },
		{ "std::__detail::_Insert_base", 2 }, { "std::_Rb_tree", 2 }, { "std::__hash_table", 1 }, { "std::__tree", 1 },
	};

	for (size_t i = 0; i < COUNT(templates); i++)
		if (is_template(at, begin, templates[i].name))
			return templates[i].count;
	return 0;
}

struct type_arguments type_arguments_begin(const struct shortener *at)
{
	return (struct type_arguments){ .begin = at->used, .telling = telling_arguments(at, at->used) };
}

void type_argument_begin(struct shortener *at, struct type_arguments *arguments)
{
	if (arguments->count)
		shortener_add_text(at, ", ");
	arguments->current = at->used;
}

/* Returns whether an argument is NAME<FIRST>, as in "std::less<int>" after "int". */
static bool is_of_first(const struct shortener *at, const struct type_arguments *arguments, const char *name)
{
	size_t name_length = strlen(name), first_length = arguments->first_end - arguments->first;
	const char *text = at->out + arguments->current;

	return at->used - arguments->current == name_length + first_length + 2 && memcmp(text, name, name_length) == 0 &&
	       text[name_length] == '<' && memcmp(text + name_length + 1, at->out + arguments->first, first_length) == 0;
}

static bool is_default(const struct shortener *at, const struct type_arguments *arguments)
{
	static const char *const of_first[] = { "std::less", "std::hash", "std::equal_to", "std::default_delete",
						"std::char_traits", "std::regex_traits", "std::allocator" };
	static const char allocator[] = "std::allocator<", ratio[] = "std::ratio<1, 1>", global[] = "Global";
	const char *text = at->out + arguments->current;
	size_t length = at->used - arguments->current;

	if (at->is_rust)
		return length == sizeof(global) - 1 && memcmp(text, global, length) == 0;
	for (size_t i = 0; i < COUNT(of_first); i++)
		if (is_of_first(at, arguments, of_first[i]))
			return true;
	/* Maps have an allocator of pairs. */
	if (length > sizeof(allocator) && memcmp(text, allocator, sizeof(allocator) - 1) == 0)
		return true;
	if (is_template(at, arguments->begin, "std::stack") || is_template(at, arguments->begin, "std::queue"))
		return is_of_first(at, arguments, "std::deque");
	if (is_template(at, arguments->begin, "std::priority_queue"))
		return is_of_first(at, arguments, "std::vector");
	return is_template(at, arguments->begin, "std::chrono::duration") && length == sizeof(ratio) - 1 &&
	       memcmp(text, ratio, length) == 0;
}

void type_argument_end(struct shortener *at, struct type_arguments *arguments)
{
	while (at->used > arguments->current && at->out[at->used - 1] == ' ')
		at->used--;
	if (!arguments->count) {
		arguments->first = arguments->current;
		arguments->first_end = at->used;
		arguments->kept_end = at->used;
	} else if (!(arguments->telling && arguments->count >= arguments->telling) && !is_default(at, arguments)) {
		arguments->kept_end = at->used;
	}
	arguments->count++;
}

/* Replaces NAME<FIRST> at the end of the output by the usual name, and renames its constructor. */
static void use_usual_name(struct shortener *at, size_t begin)
{
	static const struct { const char *type, *argument, *usual, *own; } names[] = {
		{ "std::basic_string", "char", "std::string", "string" },
		{ "std::basic_string", "wchar_t", "std::wstring", "wstring" },
		{ "std::basic_string", "char8_t", "std::u8string", "u8string" },
		{ "std::basic_string", "char16_t", "std::u16string", "u16string" },
		{ "std::basic_string", "char32_t", "std::u32string", "u32string" },
		{ "std::basic_string_view", "char", "std::string_view", "string_view" },
		{ "std::basic_string_view", "wchar_t", "std::wstring_view", "wstring_view" },
		{ "std::basic_string_view", "char16_t", "std::u16string_view", "u16string_view" },
		{ "std::basic_string_view", "char32_t", "std::u32string_view", "u32string_view" },
		{ "std::basic_ostream", "char", "std::ostream", "ostream" },
		{ "std::basic_istream", "char", "std::istream", "istream" },
		{ "std::basic_iostream", "char", "std::iostream", "iostream" },
		{ "std::basic_ios", "char", "std::ios", "ios" },
		{ "std::basic_streambuf", "char", "std::streambuf", "streambuf" },
		{ "std::basic_filebuf", "char", "std::filebuf", "filebuf" },
		{ "std::basic_stringbuf", "char", "std::stringbuf", "stringbuf" },
		{ "std::basic_ofstream", "char", "std::ofstream", "ofstream" },
		{ "std::basic_ifstream", "char", "std::ifstream", "ifstream" },
		{ "std::basic_fstream", "char", "std::fstream", "fstream" },
		{ "std::basic_ostringstream", "char", "std::ostringstream", "ostringstream" },
		{ "std::basic_istringstream", "char", "std::istringstream", "istringstream" },
		{ "std::basic_stringstream", "char", "std::stringstream", "stringstream" },
		{ "std::basic_ostream", "wchar_t", "std::wostream", "wostream" },
		{ "std::basic_istream", "wchar_t", "std::wistream", "wistream" },
		{ "std::basic_streambuf", "wchar_t", "std::wstreambuf", "wstreambuf" },
		{ "std::basic_regex", "char", "std::regex", "regex" },
		{ "std::match_results", "char const*", "std::cmatch", "cmatch" },
		{ "std::sub_match", "char const*", "std::csub_match", "csub_match" },
		{ "std::chrono::duration", "long, std::ratio<1, 1000000000>", "std::chrono::nanoseconds", "nanoseconds" },
		{ "std::chrono::duration", "long, std::ratio<1, 1000000>", "std::chrono::microseconds", "microseconds" },
		{ "std::chrono::duration", "long, std::ratio<1, 1000>", "std::chrono::milliseconds", "milliseconds" },
		{ "std::chrono::duration", "long", "std::chrono::seconds", "seconds" },
	};
	size_t arguments = at->used - begin - 2;

	for (size_t i = 0; i < COUNT(names); i++) {
		const char *plain = strrchr(names[i].type, ':') + 1;
		bool destroys;

		if (strlen(names[i].argument) != arguments ||
		    memcmp(at->out + begin + 1, names[i].argument, arguments) != 0 || !is_template(at, begin, names[i].type))
			continue;
		at->used = begin - strlen(names[i].type);
		shortener_add_text(at, names[i].usual);
		destroys = shortener_at(at, "::~");
		if (shortener_at(at, "::") && strncmp(at->in + 2 + destroys, plain, strlen(plain)) == 0 &&
		    !shortener_is_word(at->in[2 + destroys + strlen(plain)])) {
			shortener_add_text(at, destroys ? "::~" : "::");
			shortener_add_text(at, names[i].own);
			at->in += 2 + destroys + strlen(plain);
		}
		return;
	}
}

void type_arguments_end(struct shortener *at, const struct type_arguments *arguments)
{
	if (at->used == sizeof(at->out))
		return;
	at->used = arguments->count ? arguments->kept_end : at->used;
	shortener_add_text(at, ">");
	if (!at->is_rust)
		use_usual_name(at, arguments->begin);
}
