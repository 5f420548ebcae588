/* SPDX-License-Identifier: MIT */
/* test_readable_name.c - names of each language are as people write them; others stay. */
#include "text/readable_name.h"

#include <stdlib.h>
#include <string.h>

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

START_TEST(each_language_is_read)
{
	becomes("_Z3fooiPKc", "foo(int, char const*)");
	becomes("_ZN4prog3fib17h0123456789abcdefE", "prog::fib");
	becomes("_RNvCs1234_4prog3fib", "prog::fib");
	becomes("_D4prog3fibFiZi", "prog.fib(int)");
	becomes("_Dmain", "D main");
	becomes("_QMshapesPfib", "shapes::fib");
}
END_TEST

START_TEST(fortran_says_what_a_procedure_stands_in)
{
	becomes("_QPsolve", "solve");
	becomes("_QMaSbSc_1Pd", "a::b::c_1::d");
	becomes("_QMmodFouterPinner", "mod::outer::inner");
	becomes("_QFPinner", "program::inner");
	becomes("_QFB1Pinner", "program::inner");
	becomes("_QQmain", "program");
}
END_TEST

START_TEST(what_is_not_mangled_stays)
{
	static const char *const names[] = { "", "main", "_", "_Q", "_QQ", "_QQmainx", "_QM", "_QMmod", "_QMPfib", "_QP",
					     "_QPfib.x", "_QMmodEvariable", "_QPa\xff", "_D", "_Data", "Quick" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		becomes(names[i], NULL);
}
END_TEST

START_TEST(a_name_is_cut_off_where_there_is_no_room)
{
	char text[8];

	ck_assert(spoor_fortran_name("_QMmoduleofmanylettersPfib", text, sizeof(text)));
	ck_assert_str_eq(text, "moduleo");
	ck_assert(!spoor_fortran_name("_QPfib", text, 0));
}
END_TEST

UNIT_MAIN("readable_name", each_language_is_read, fortran_says_what_a_procedure_stands_in, what_is_not_mangled_stays,
	  a_name_is_cut_off_where_there_is_no_room)
