/* SPDX-License-Identifier: MIT */
/* test_readable_name.c - demangles the names of each language, and keeps names in no known mangling. */
#include "text/readable_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/demangled.h"
#include "text/fortran_name.h"
#include "tests/unit/support/unit.h"

static void becomes(const char *linkage, const char *wanted)
{
	char *name = spoor_readable_name(linkage);

	if (wanted)
		ck_assert_msg(name && strcmp(name, wanted) == 0, "%s becomes %s", linkage, name);
	else
		ck_assert_msg(!name, "%s becomes %s", linkage, name);
	free(name);
}

START_TEST(names_of_each_language_are_demangled)
{
	becomes("_Z3fooiPKc", "foo(int, char const*)");
	becomes("_ZN4prog3fib17h0123456789abcdefE", "prog::fib");
	becomes("_RNvCs1234_4prog3fib", "prog::fib");
	becomes("_D4prog3fibFiZi", "prog.fib(int)");
	becomes("_Dmain", "D main");
	becomes("_QMshapesPfib", "shapes::fib");
}
END_TEST

START_TEST(a_fortran_name_has_the_module_of_the_procedure)
{
	becomes("_QPsolve", "solve");
	becomes("_QMaSbSc_1Pd", "a::b::c_1::d");
	becomes("_QMmodFouterPinner", "mod::outer::inner");
	becomes("_QFPinner", "program::inner");
	becomes("_QFB1Pinner", "program::inner");
	becomes("_QQmain", "program");
	becomes("__shapes_MOD_fib", "shapes::fib");
	becomes("__a_mod_MOD_b_1", "a_mod::b_1");
	becomes("__shapes_MOD_fib.constprop.0", "shapes::fib.constprop.0");
}
END_TEST

START_TEST(a_name_that_is_not_mangled_stays)
{
	static const char *const names[] = { "", "main", "_", "_Q", "_QQ", "_QQmainx", "_QM", "_QMmod", "_QMPfib", "_QP",
					     "_QPfib.x", "_QMmodEvariable", "_QPa\xff", "_D", "_Data", "Quick",
					     "__", "__MOD_", "___MOD_a", "__a_MOD_", "__aMOD_b", "__a_MOD_B", "__a_MOD_b c",
					     "__cxa_throw", "_a_MOD_b" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		becomes(names[i], NULL);
}
END_TEST

START_TEST(a_name_is_cut_if_the_room_ends)
{
	char text[8];

	ck_assert(spoor_fortran_name("_QMmoduleofmanylettersPfib", text, sizeof(text)));
	ck_assert_str_eq(text, "moduleo");
	ck_assert(!spoor_fortran_name("_QPfib", text, 0));
}
END_TEST

/* Appends a number in the digits of @base, as the manglings write it. Advances @name's end. */
static void add_number(char *name, unsigned number, unsigned base, const char *digits)
{
	char text[8] = "";
	size_t at = sizeof(text) - 1;

	do
		text[--at] = digits[number % base];
	while ((number /= base));
	strcat(name, text + at);
}

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* Appends @depth nested types. Each contains the type below twice: once written out, once as a reference. */
static void nest_c_plus_plus(char *name, unsigned depth)
{
	static const char upper[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	strcpy(name, "_Z1f1PI");
	for (unsigned i = 1; i < depth; i++)
		strcat(name, "S_I");
	strcat(name, "iiE");
	for (unsigned i = 1; i < depth; i++) {
		strcat(name, "S");
		add_number(name, i - 1, 36, upper);
		strcat(name, "_E");
	}
}

static void nest_rust(char *name, unsigned depth)
{
	strcpy(name, "_RINvC1a1f");
	for (unsigned i = 0; i < depth; i++)
		strcat(name, "T");
	strcat(name, "ll");
	for (unsigned i = 1; i < depth; i++) {
		strcat(name, "EB");
		add_number(name, 8 + depth - i - 1, 62, digits);
		strcat(name, "_");
	}
	strcat(name, "EE");
}

static void nest_d(char *name, unsigned depth)
{
	char upper[27] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t begins[64];

	strcpy(name, "_D3mod1fF");
	for (unsigned i = 0; i < depth; i++) {
		strcat(name, "S3mod__T1PT");
		begins[i] = strlen(name);
	}
	strcat(name, "iTi");
	for (unsigned i = 1; i < depth; i++) {
		strcat(name, "ZT");
		begins[depth - i] = strlen(name) - begins[depth - i - 1];
		strcat(name, "Q");
		add_number(name, (unsigned)begins[depth - i], 26, upper);
		name[strlen(name) - 1] += 'a' - 'A';
	}
	strcat(name, "ZZi");
}

START_TEST(an_endless_name_is_cut_and_marked)
{
	static void (*const nest[])(char *name, unsigned depth) = { nest_c_plus_plus, nest_rust };
	static const unsigned longest[] = { 8, 9 };	/* greatest depths that fit */
	static const char *const begins[] = { "f(P<P<P<P<", "a::f::<((((" };
	struct spoor_text text;
	char linkage[4096];

	for (unsigned language = 0; language < sizeof(nest) / sizeof(*nest); language++) {
		for (unsigned depth = 2; depth <= 76; depth += depth < 14 ? 1 : 31) {
			char *name;

			nest[language](linkage, depth);
			name = spoor_readable_name(linkage);
			ck_assert_msg(name != NULL, "%s", linkage);
			ck_assert_uint_lt(strlen(name), SPOOR_NAME_BYTES);
			ck_assert_msg(depth < 4 || strncmp(name, begins[language], strlen(begins[language])) == 0, "%.100s", name);
			ck_assert_int_eq(strcmp(name + strlen(name) - 3, "...") == 0, depth > longest[language]);
			free(name);
			ck_assert_ptr_nonnull(spoor_demangle(linkage, false, &text));
			ck_assert_uint_lt(text.used, sizeof(text.bytes));
			ck_assert_uint_eq(text.used, strlen(text.bytes));
		}
	}
}
END_TEST

START_TEST(a_long_name_of_D_is_cut_and_an_endless_one_stays_mangled)
{
	char linkage[4096], *name;

	for (unsigned depth = 2; depth <= 60; depth++) {
		nest_d(linkage, depth);
		name = spoor_readable_name(linkage);
		ck_assert_int_eq(name != NULL, depth <= 12);
		ck_assert(!name || strncmp(name, "mod.f(mod.P!(", 13) == 0);
		ck_assert(!name || strlen(name) < SPOOR_NAME_BYTES);
		ck_assert(!name || (strcmp(name + strlen(name) - 3, "...") == 0) == (depth > 8));
		free(name);
	}
	/* The name has many references, and no reference contains another. */
	strcpy(linkage, "_D3std5range10primitives8frontImpFS3mod__T1PTAyaTxmZ");
	for (int i = 0; i < 40; i++) {
		size_t distance = strlen(linkage) - strlen("_D3std5range10primitives8frontImpF");

		strcat(linkage, "Q");
		add_number(linkage, (unsigned)distance, 26, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		linkage[strlen(linkage) - 1] += 'a' - 'A';
	}
	strcat(linkage, "Zi");
	name = spoor_readable_name(linkage);
	ck_assert_ptr_nonnull(name);
	ck_assert_ptr_nonnull(strstr(name, "mod.P!(immutable(char)[], const(ulong))"));
	free(name);
}
END_TEST

START_TEST(a_name_is_cut_between_characters)
{
	char name[2 * SPOOR_NAME_BYTES];

	for (size_t length = SPOOR_NAME_BYTES - 4; length < SPOOR_NAME_BYTES + 4; length++) {
		memset(name, 'x', length);
		name[length] = '\0';
		spoor_name_cut(name);
		ck_assert_uint_eq(strlen(name), length < SPOOR_NAME_BYTES ? length : SPOOR_NAME_BYTES - 1);
	}
	for (size_t i = 1; i < sizeof(name); i++)
		name[i] = i % 2 ? '\xc3' : '\xa4';
	name[sizeof(name) - 1] = '\0';
	spoor_name_cut(name);
	ck_assert_str_eq(name + strlen(name) - 5, "\xc3\xa4...");
}
END_TEST

UNIT_MAIN("readable_name", names_of_each_language_are_demangled,
	  a_fortran_name_has_the_module_of_the_procedure, a_name_that_is_not_mangled_stays,
	  a_name_is_cut_if_the_room_ends, an_endless_name_is_cut_and_marked,
	  a_long_name_of_D_is_cut_and_an_endless_one_stays_mangled, a_name_is_cut_between_characters)
