/* SPDX-License-Identifier: MIT */
/* gcc_texts.cc - finds by source types which arguments and results lead to text. */
#include "pass/gcc/gcc_texts.h"

#include "pass/gcc/gcc_function.h"

#include "format/signature_format.h"

/* A template of the standard library for text of char. */
struct text_class {
	const char *name, *scope, *mangled;
	uint8_t layout;
};

static const text_class text_classes[] = {
	{ "basic_string", "__cxx11", "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcE", SPOOR_LAYOUT_POINTER_LENGTH },
	{ "basic_string_view", "std", "St17basic_string_viewIcS", SPOOR_LAYOUT_LENGTH_POINTER },
	{ "basic_string", "__1", "NSt3__112basic_stringIcNS", SPOOR_LAYOUT_LIBCXX },
	{ "basic_string_view", "__1", "NSt3__117basic_string_viewIcNS", SPOOR_LAYOUT_POINTER_LENGTH },
};

/* The name in a declaration of a type or of a name space, or null. */
static const char *name_in(tree decl)
{
	tree name = decl && DECL_P(decl) ? DECL_NAME(decl) : decl && TREE_CODE(decl) == IDENTIFIER_NODE ? decl : NULL_TREE;

	return name ? IDENTIFIER_POINTER(name) : NULL;
}

/* Whether the declaration is in this name space: std, or one directly inside std. */
static bool is_in_scope(tree decl, const char *scope)
{
	tree space = DECL_CONTEXT(decl);
	const char *name = space && TREE_CODE(space) == NAMESPACE_DECL ? name_in(space) : NULL;

	if (!name || strcmp(name, scope) != 0)
		return false;
	if (strcmp(scope, "std") != 0)
		return is_in_scope(space, "std");
	return !DECL_CONTEXT(space) || TREE_CODE(DECL_CONTEXT(space)) == TRANSLATION_UNIT_DECL ||
	       !name_in(DECL_CONTEXT(space)) || strcmp(name_in(DECL_CONTEXT(space)), "::") == 0;
}

static bool is_class(tree decl, const text_class *wanted)
{
	const char *name = name_in(decl), *whole;
	size_t length = strlen(wanted->name);

	if (!name || !gcc_begins_with(name, wanted->name))
		return false;
	if (DECL_ASSEMBLER_NAME_SET_P(decl)) {
		const char *mangled = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));

		return gcc_begins_with(mangled + (gcc_begins_with(mangled, "_ZTS") ? 4 : 0), wanted->mangled);
	}
	if (name[length] || !is_in_scope(decl, wanted->scope))
		return false;
	/* With the arguments of the template, as in debug information. */
	whole = lang_hooks.dwarf_name(decl, 2);
	if (!whole || !gcc_begins_with(whole, wanted->name) || !gcc_begins_with(whole + length, "<char"))
		return false;
	/* Another allocator may come before the text. */
	return whole[length + 5] == '>' || (whole[length + 5] == ',' && (strcmp(wanted->name, "basic_string") != 0 ||
									 strstr(whole, "::allocator<char>")));
}

static bool is_constant_character(tree type)
{
	tree basic = TYPE_MAIN_VARIANT(type);
	const char *name = name_in(TYPE_NAME(basic));

	return TYPE_READONLY(type) && INTEGRAL_TYPE_P(basic) && TYPE_PRECISION(basic) == 8 &&
	       (basic == char_type_node || (name && strcmp(name, "char") == 0));
}

uint8_t gcc_text_of_pointer(tree type)
{
	if (!POINTER_TYPE_P(type))
		return 0;
	if (TREE_CODE(type) == POINTER_TYPE && is_constant_character(TREE_TYPE(type)))
		return SPOOR_LAYOUT_C;
	return gcc_text_of_object(TREE_TYPE(type));
}

uint8_t gcc_text_of_object(tree type)
{
	tree decl = RECORD_OR_UNION_TYPE_P(type) ? TYPE_NAME(TYPE_MAIN_VARIANT(type)) : NULL_TREE;

	if (!decl || TREE_CODE(decl) != TYPE_DECL)
		return 0;
	for (const text_class &one : text_classes)
		if (is_class(decl, &one))
			return one.layout;
	return 0;
}

uint8_t gcc_text_of_pair(tree type)
{
	switch (gcc_text_of_object(type)) {
	case SPOOR_LAYOUT_LENGTH_POINTER:
		return SPOOR_LAYOUT_LENGTH_BEFORE;
	case SPOOR_LAYOUT_POINTER_LENGTH:
		return int_size_in_bytes(type) == 16 ? SPOOR_LAYOUT_LENGTH_NEXT : 0;
	default:
		return 0;
	}
}
