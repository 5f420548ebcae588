/* SPDX-License-Identifier: MIT */
/* test_source_name.c - removes the suffixes that the optimiser added to a linkage name, and no other text. */
#include "text/source_name.h"

#include <string.h>

#include "tests/unit/support/unit.h"

static void becomes(const char *linkage, const char *source)
{
	size_t length = spoor_source_name_length(linkage);

	ck_assert_msg(length == strlen(source) && strncmp(linkage, source, length) == 0, "%s becomes %.*s, not %s",
		      linkage, (int)length, linkage, source);
}

START_TEST(copies_of_a_function_have_the_name_of_the_function)
{
	ck_assert_int_eq(spoor_demangled_name_length("f(int) [clone .avx2.0]"), 6);
	ck_assert_int_eq(spoor_demangled_name_length("f(int)"), 6);
	ck_assert_int_eq(spoor_demangled_name_length("operator[](int) [clone .part.1] [clone .cold]"), 15);
}
END_TEST

START_TEST(suffixes_of_the_optimiser_are_removed)
{
	becomes("f.llvm.763960983669840248", "f");
	becomes("_ZN1a1fEi.llvm.1", "_ZN1a1fEi");
	becomes("f.15", "f");
	becomes("f.15.llvm.7", "f");
	becomes("f.llvm.7.15", "f");
	becomes("f.specialized.2", "f");
	becomes("f.argprom", "f");
	becomes("f.argelim.retelim", "f");
	becomes("f.cfi", "f");
	becomes("f.cfi_jt", "f.cfi_jt");
	becomes("f.retelim.4", "f");
	becomes("f.__uniq.123.llvm.9", "f");
	becomes("f.lto_priv.0", "f");
	becomes("f.constprop.0.isra.0", "f");
	becomes("read.spoor_call.13772207887149053673", "read");
	becomes("_Znwm.spoor_call.7.llvm.8421", "_Znwm");
	becomes("f.spoor_call", "f.spoor_call");
	becomes("f.spoor_call.7.slot", "f.spoor_call.7.slot");
}
END_TEST

START_TEST(parts_of_a_function_keep_their_names)
{
	becomes("f.cold", "f.cold");
	becomes("f.cold.1", "f.cold.1");
	becomes("f.resume", "f.resume");
	becomes("f.part.0", "f.part.0");
	becomes("f.cold.1.llvm.5", "f.cold.1");
	becomes("__cxx_global_var_init.1", "__cxx_global_var_init.1");
}
END_TEST

START_TEST(names_without_additions_stay)
{
	becomes("f", "f");
	becomes("", "");
	becomes(".", ".");
	becomes(".15", ".15");
	becomes("..15", ".");
	becomes("f.", "f.");
	becomes(".llvm.1", ".llvm");
	becomes("_GLOBAL__sub_I_main.cc", "_GLOBAL__sub_I_main.cc");
	becomes("llvm.1x", "llvm.1x");
}
END_TEST

UNIT_MAIN("source_name", suffixes_of_the_optimiser_are_removed, parts_of_a_function_keep_their_names,
	  names_without_additions_stay, copies_of_a_function_have_the_name_of_the_function)
