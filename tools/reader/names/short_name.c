/* SPDX-License-Identifier: MIT */
/* short_name.c - makes short names of C++ and D, and leaves those of Rust to short_rust_name.c. */
#include "reader/names/short_name.h"

#include <stdlib.h>
#include <string.h>

#include "reader/names/short_types.h"
#include "text/d_name.h"
#include "text/demangled.h"

/* Deeper template arguments are copied as they are. */
#define DEPTH_MAX 200
#define ANONYMOUS "(anonymous namespace)"

static void shorten_until(struct shortener *at, const char *stops);

/* Copies an operator's symbol, which may contain '<', '>', '(' or ','. The word "operator" was copied. */
static void take_operator(struct shortener *at)
{
	static const char *const symbols[] = { "()", "[]", "<=>", "<<=", ">>=", "->*", "->", "<<", ">>", "<=", ">=", "<", ">", "," };
	static const char call[] = "::operator";

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		if (!shortener_at(at, symbols[i]))
			continue;
		/* A lambda has no other function. */
		if (i == 0 && shortener_ends_lambda(at, sizeof(call) - 1))
			at->used -= sizeof(call) - 1;
		else
			shortener_add(at, symbols[i], strlen(symbols[i]));
		at->in += strlen(symbols[i]);
		return;
	}
}

/* Skips "{lambda(int)#2}", and writes "{lambda#2}". Returns whether there is one. */
static bool take_lambda(struct shortener *at)
{
	const char *end;

	if (shortener_at(at, "{lambda(")) {
		end = shortener_group_end(at->in + strlen("{lambda"));
		if (*end != '#')
			return false;
		shortener_add_text(at, "{lambda");
		at->in = end;
		return true;
	}
	/* Clang's name of a lambda that has no number in its mangled name: "$_0". */
	if (shortener_at(at, "$_") && shortener_ends_with(at, "::")) {
		long number = strtol(at->in + 2, (char **)&end, 10);

		if (end == at->in + 2 || number < 0 || number > 1000000)
			return false;
		shortener_add_number(at, "{lambda#", number + 1, "}");
		at->in = end;
		return true;
	}
	return false;
}

/* Copies "5ul" as "5". */
static void take_number(struct shortener *at)
{
	size_t digits = strspn(at->in, "0123456789"), suffix = strspn(at->in + digits, "uUlL");

	shortener_add(at, at->in, digits);
	at->in += digits;
	if (suffix && !shortener_is_word(at->in[suffix]))
		at->in += suffix;
}

/* Skips the parameters of an enclosing function: "f(int) const::Local". Returns whether there are any. */
static bool skip_enclosing_parameters(struct shortener *at)
{
	static const char *const qualifiers[] = { " const", " volatile", " noexcept", " &&", " &", "&&", "&" };
	const char *end = shortener_group_end(at->in);
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers) && !more; i++)
			if (strncmp(end, qualifiers[i], strlen(qualifiers[i])) == 0) {
				end += strlen(qualifiers[i]);
				more = true;
			}
		if (strncmp(end, "[abi:", 5) == 0 && strchr(end, ']')) {
			end = strchr(end, ']') + 1;
			more = true;
		}
	}
	if (strncmp(end, "::", 2) != 0)
		return false;
	at->in = end;
	return true;
}

static void take_group(struct shortener *at)
{
	if (shortener_at(at, ANONYMOUS)) {
		shortener_add_text(at, "(anon)");
		at->in += sizeof(ANONYMOUS) - 1;
	} else if (!skip_enclosing_parameters(at)) {
		shortener_copy(at, 1);
		shorten_until(at, ")");
		if (*at->in)
			shortener_copy(at, 1);
	}
}

/* Shortens "<...>". */
static void take_arguments(struct shortener *at)
{
	struct type_arguments arguments = type_arguments_begin(at);

	shortener_copy(at, 1);
	do {
		if (*at->in == ',')
			at->in++;
		at->in += strspn(at->in, " ");
		type_argument_begin(at, &arguments);
		shorten_until(at, ",>");
		type_argument_end(at, &arguments);
	} while (*at->in == ',');
	if (*at->in)
		at->in++;
	type_arguments_end(at, &arguments);
}

static void take_word(struct shortener *at)
{
	static const char *const inline_spaces[] = { "__cxx11::", "__1::", "__ndk1::", "_V2::", "__debug::" };
	size_t length = 0;

	for (size_t i = 0; i < sizeof(inline_spaces) / sizeof(*inline_spaces); i++)
		if (shortener_at(at, inline_spaces[i]) && shortener_ends_with(at, "::")) {
			at->in += strlen(inline_spaces[i]);
			return;
		}
	if (shortener_take_rust_path(at))
		return;
	while (shortener_is_word(at->in[length]))
		length++;
	shortener_add(at, at->in, length);
	at->in += length;
	if (length == strlen("operator") && strncmp(at->in - length, "operator", length) == 0)
		take_operator(at);
}

static void step(struct shortener *at)
{
	if (*at->in >= '0' && *at->in <= '9')
		take_number(at);
	else if (*at->in == '<' && at->depth < DEPTH_MAX)
		take_arguments(at);
	else if (*at->in == '(' && at->depth < DEPTH_MAX)
		take_group(at);
	else if (shortener_at(at, "[abi:") && strchr(at->in, ']'))
		at->in = strchr(at->in, ']') + 1;
	else if (shortener_at(at, "->"))
		shortener_copy(at, 2);
	else if (at->is_rust && (shortener_at(at, "{{") || shortener_at(at, "}}")))
		at->in++;
	else if (take_lambda(at))
		return;
	else if (shortener_is_word(*at->in) && *at->in != '$')
		take_word(at);
	else
		shortener_copy(at, 1);
}

static void shorten_until(struct shortener *at, const char *stops)
{
	at->depth++;
	while (*at->in && !strchr(stops, *at->in))
		step(at);
	at->depth--;
}

/* The parameters in @full, the demangled form with parameters, of which @name is the form without; null: none. */
static const char *parameters_of(const char *full, const char *name)
{
	const char *found = strstr(full, name);

	/* A return type may contain the name. The parameters follow the name. */
	while (found && found[strlen(name)] != '(')
		found = strstr(found + 1, name);
	return found ? found + strlen(name) : NULL;
}

/* Legacy names of Rust end with a hash: 17h and 16 digits. */
static bool is_rust(const char *linkage)
{
	size_t length = strlen(linkage);

	return strncmp(linkage, "_R", 2) == 0 ||
	       (length > 20 && linkage[length - 1] == 'E' && strncmp(linkage + length - 20, "17h", 3) == 0 &&
		strspn(linkage + length - 17, "0123456789abcdef") == 16);
}

/* Shortens the demangled name of a function in D. Returns it, in the same memory. */
static char *shorten_d(char *name, bool with_parameters)
{
	static const char text[] = "immutable(char)[]";
	char *at = name, *end;

	while ((at = strstr(at, text))) {
		memcpy(at, "string", strlen("string"));
		memmove(at + strlen("string"), at + sizeof(text) - 1, strlen(at + sizeof(text) - 1) + 1);
	}
	end = strrchr(name, ')');
	if (with_parameters || !end)
		return name;
	for (int depth = 0; end > name; end--) {
		depth += (*end == ')') - (*end == '(');
		if (!depth && *end == '(')
			break;
	}
	/* "to!(int)" has template arguments, not parameters. */
	if (end > name && end[-1] != '!')
		*end = '\0';
	return name;
}

/* Returns whether demanglers add parameters to this name in both forms. */
static bool is_thunk(const char *demangled)
{
	static const char *const kinds[] = { "non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ",
					     "transaction clone for ", "non-transaction clone for " };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strncmp(demangled, kinds[i], strlen(kinds[i])) == 0)
			return true;
	return false;
}

/* Shortens the name up to its parameters. */
static void shorten_without_parameters(struct shortener *at)
{
	shorten_until(at, "(");
	while (*at->in && (shortener_at(at, ANONYMOUS) || skip_enclosing_parameters(at))) {
		step(at);
		shorten_until(at, "(");
	}
}

char *short_name(const char *linkage, bool with_parameters)
{
	struct spoor_text full, name;
	const char *demangled = spoor_demangle(linkage, false, &name), *parameters = NULL;
	struct shortener at = { .is_rust = is_rust(linkage) };
	char *d = demangled ? NULL : spoor_d_name(linkage);

	if (d)
		return shorten_d(d, with_parameters);
	if (!demangled)
		return strdup(linkage);
	at.in = demangled;
	if (is_thunk(demangled) && !with_parameters)
		shorten_without_parameters(&at);
	else
		shorten_until(&at, "");
	if (with_parameters && !at.is_rust && spoor_demangle(linkage, true, &full))
		parameters = parameters_of(full.bytes, demangled);
	if (parameters) {
		at.in = parameters;
		shortener_copy(&at, 1);
		shorten_until(&at, "");
	}
	return strndup(at.out, at.used);
}
