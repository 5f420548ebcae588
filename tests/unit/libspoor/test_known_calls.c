/* SPDX-License-Identifier: MIT */
/* test_known_calls.c - tests of known_calls.c, known_signature.c, library_words.c and library_choice.c. */
#include "tests/unit/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "capture/argument_places.h"
#include "event/library_words.h"
#include "library_calls/known_calls.h"
#include "library_calls/library_choice.h"
#include "text/capture_text.h"

/* The names of a table's lines, as the compiler sees them. */
#define CALL(name, x86_64, aarch64, signature) #name,
#define CALL_PRINTF(name, format, signature) #name,
#define CALL_SCANF(name, format, signature) #name,
#define CALL_UNTIMED(name, signature) #name,
#define CALL_FORK(name, signature) #name,
#define CALL_LEAVES(name, signature) #name,
#define CALL_BY_CALLER(name, signature) #name,
#define CALL_DLOPEN(name, signature) #name,
#define CALL_DLCLOSE(name, signature) #name,

static const char *const libc_names[] = {
#include "library_calls/known_libc.def"
};
static const char *const openssl_names[] = {
#include "library_calls/known_libcrypto.def"
};
static const char *const cxx_names[] = {
#include "library_calls/known_libstdcxx.def"
};

static void all_are_found(const char *soname, const char *const *names, size_t count)
{
	const struct spoor_known_library *library = spoor_known_library(soname);
	struct spoor_known_call call;

	ck_assert_ptr_nonnull(library);
	for (size_t i = 0; i < count; i++) {
		char other[256];

		ck_assert_msg(i == 0 || strcmp(names[i - 1], names[i]) < 0, "%s is out of order", names[i]);
		ck_assert_msg(spoor_known_call_find(library, names[i], &call), "%s is not found", names[i]);
		snprintf(other, sizeof(other), "%s~", names[i]);
		ck_assert(!spoor_known_call_find(library, other, &call));
	}
	ck_assert(!spoor_known_call_find(library, "", &call));
	ck_assert(!spoor_known_call_find(library, "~", &call));
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

START_TEST(every_function_of_a_table_is_found_and_no_other)
{
	all_are_found("libc.so.6", libc_names, COUNT(libc_names));
	all_are_found("libssl.so.3", openssl_names, COUNT(openssl_names));
	all_are_found("libstdc++.so.6", cxx_names, COUNT(cxx_names));
	ck_assert_ptr_null(spoor_known_library("libfoo.so.1"));
}
END_TEST

START_TEST(functions_have_their_stack_words_and_kinds)
{
	static const struct { const char *soname, *name; enum spoor_library_kind kind; uint32_t x86_64, aarch64; } calls[] = {
		{ "libc.so.6", "read", SPOOR_LIBRARY_WORDS, 0, 0 },
		{ "libc.so.6", "syscall", SPOOR_LIBRARY_WORDS, 1, 0 },
		{ "libc.so.6", "getnameinfo", SPOOR_LIBRARY_WORDS, 1, 0 },
		{ "libc.so.6", "strfroml", SPOOR_LIBRARY_WORDS, 2, 0 },
		{ "libm.so.6", "powl", SPOOR_LIBRARY_WORDS, 4, 0 },
		{ "libz.so.1", "deflateInit2_", SPOOR_LIBRARY_WORDS, 2, 0 },
		{ "libsqlite3.so.0", "sqlite3_create_window_function", SPOOR_LIBRARY_WORDS, 4, 2 },
		{ "libc.so.6", "longjmp", SPOOR_LIBRARY_LEAVES, 0, 0 },
		{ "libc.so.6", "execl", SPOOR_LIBRARY_UNTIMED, 0, 0 },
		{ "libc.so.6", "fork", SPOOR_LIBRARY_FORK, 0, 0 },
		{ "libc.so.6", "dlsym", SPOOR_LIBRARY_BY_CALLER, 0, 0 },
	};
	static const char *const never[] = { "setjmp", "_setjmp", "__sigsetjmp", "vfork", "getcontext", "swapcontext", "clone" };
	struct spoor_known_call call;

	for (size_t i = 0; i < COUNT(calls); i++) {
		ck_assert(spoor_known_call_find(spoor_known_library(calls[i].soname), calls[i].name, &call));
		ck_assert_int_eq(call.kind, calls[i].kind);
#ifdef __x86_64__
		ck_assert_uint_eq(call.words, calls[i].x86_64);
#else
		ck_assert_uint_eq(call.words, calls[i].aarch64);
#endif
	}
	for (size_t i = 0; i < COUNT(never); i++)
		ck_assert(!spoor_known_call_find(spoor_known_library("libc.so.6"), never[i], &call));
	ck_assert(spoor_known_call_find(spoor_known_library("libc.so.6"), "__snprintf_chk", &call));
	ck_assert_int_eq(call.kind, SPOOR_LIBRARY_PRINTF);
	ck_assert_uint_eq(call.argument, 4);
}
END_TEST

START_TEST(formats_are_counted_by_the_calling_convention)
{
	/* Words on x86-64 with 6 integer registers, and on AArch64 with 8. */
	static const struct { const char *format; uint32_t fixed; long x86_64, aarch64; } formats[] = {
		{ "", 1, 0, 0 },
		{ "%d %d %d %d %d %%", 1, 0, 0 },
		{ "%d %d %d %d %d %d", 1, 1, 0 },
		{ "%*d %.*f %-5ld", 3, 1, 0 },
		{ "%*d %*d", 4, 2, 0 },
		{ "%f %f %f %f %f %f %f %f", 1, 0, 0 },
		{ "%f %f %f %f %f %f %f %f %f", 1, 1, 1 },
		{ "%Lf", 1, 2, 0 },
		{ "%d %d %d %d %d %d %Lf", 1, 4, 0 },
		{ "%m %s %p %hhd %zu %#x", 1, 0, 0 },
		{ "%2$d %1$d", 1, -1, -1 },
		{ "%*1$d", 1, -1, -1 },
		{ "%!", 1, -1, -1 },
		{ "%", 1, -1, -1 },
	};
	static const struct { const char *format; uint32_t fixed; long x86_64, aarch64; } scans[] = {
		{ "%d %*d %[^]] %[]a] %ms", 2, 0, 0 },
		{ "%d %d %d %d %d", 2, 1, 0 },
		{ "%5s%Lf%c%n%x%%", 2, 1, 0 },
		{ "%1$d", 2, -1, -1 },
		{ "%[abc", 2, -1, -1 },
	};

	for (size_t i = 0; i < COUNT(formats); i++) {
		long words = spoor_library_printf_words(formats[i].format, formats[i].fixed);

		ck_assert_msg(words == (SPOOR_INTEGER_REGISTERS == 6 ? formats[i].x86_64 : formats[i].aarch64), "'%s': %ld",
			      formats[i].format, words);
	}
	for (size_t i = 0; i < COUNT(scans); i++) {
		long words = spoor_library_scanf_words(scans[i].format, scans[i].fixed);

		ck_assert_msg(words == (SPOOR_INTEGER_REGISTERS == 6 ? scans[i].x86_64 : scans[i].aarch64), "'%s': %ld",
			      scans[i].format, words);
	}
}
END_TEST

START_TEST(patterns_choose_libraries_and_functions)
{
	static const struct { const char *patterns, *soname, *function; bool library, chosen; } choices[] = {
		{ "libc*", "libc.so.6", "read", true, true },
		{ "libc*", "libz.so.1", "inflate", false, false },
		{ "libz*:inflate*", "libz.so.1", "inflateInit_", true, true },
		{ "libz*:inflate*", "libz.so.1", "crc32", true, false },
		{ "libc*,-libc.so.6:str*", "libc.so.6", "strlen", true, false },
		{ "libc*,-libc.so.6:str*", "libc.so.6", "read", true, true },
		{ "-libm*", "libm.so.6", "pow", false, false },
		{ "-libm*", "libc.so.6", "read", true, true },
		{ "-libm*,libm*:pow", "libm.so.6", "pow", true, true },
	};

	for (size_t i = 0; i < COUNT(choices); i++) {
		const char *soname = choices[i].soname;

		ck_assert(spoor_library_choice_library(choices[i].patterns, soname, "file") == choices[i].library ||
			  choices[i].patterns[0] == '-');
		ck_assert(spoor_library_choice_library(choices[i].patterns, NULL, soname) == choices[i].library);
		ck_assert(spoor_library_choice_function(choices[i].patterns, NULL, soname, choices[i].function) == choices[i].chosen);
	}
}
END_TEST

/* Takes letters of another table, so that a wrong line is found. */
static uint32_t check_signature(const char *signature)
{
	uint8_t bytes[SPOOR_SIGNATURE_MAX];
	const char *names, *at = signature;
	uint32_t arguments = 0, given = 0;

	for (; *at && *at != ' '; at++)
		ck_assert_msg(strchr(at == signature ? "vcaChHiulLfdDpt?" : ".caChHiulLfdDpt?", *at), "%s", signature);
	arguments = (uint32_t)(at - signature) - 1 - (at[-1] == '.');
	ck_assert_uint_gt(spoor_known_signature_read(signature, bytes, sizeof(bytes), &names), 2);
	ck_assert(names == (*at ? at + 1 : NULL));
	if (names) {
		char choice[1024];

		/* A user may write the same. */
		snprintf(choice, sizeof(choice), "f(%s,:)", names);
		ck_assert_msg(spoor_capture_text_check(choice) == 0, "%s", signature);
		for (given = 1; *names; names++)
			given += *names == ',';
	}
	ck_assert_msg(given <= arguments, "%s", signature);
	return arguments;
}

#undef CALL
#undef CALL_PRINTF
#undef CALL_SCANF
#undef CALL_UNTIMED
#undef CALL_FORK
#undef CALL_LEAVES
#undef CALL_BY_CALLER
#undef CALL_DLOPEN
#undef CALL_DLCLOSE
#define CALL(name, x86_64, aarch64, signature) { #name, signature, SPOOR_INTEGER_REGISTERS == 6 ? (x86_64) : (aarch64) },
#define CALL_OTHER(name, signature) { #name, signature, -1 },
#define CALL_PRINTF(name, format, signature) CALL_OTHER(name, signature)
#define CALL_SCANF(name, format, signature) CALL_OTHER(name, signature)
#define CALL_UNTIMED CALL_OTHER
#define CALL_FORK CALL_OTHER
#define CALL_LEAVES CALL_OTHER
#define CALL_BY_CALLER CALL_OTHER
#define CALL_DLOPEN CALL_OTHER
#define CALL_DLCLOSE CALL_OTHER

static const struct { const char *name, *signature; int words; } all_calls[] = {
#include "library_calls/known_libbz2.def"
#include "library_calls/known_libc.def"
#include "library_calls/known_libcrypto.def"
#include "library_calls/known_libcurl.def"
#include "library_calls/known_libexpat.def"
#include "library_calls/known_liblzma.def"
#include "library_calls/known_libm.def"
#include "library_calls/known_libmpi.def"
#include "library_calls/known_libreadline.def"
#include "library_calls/known_libsqlite3.def"
#include "library_calls/known_libstdcxx.def"
#include "library_calls/known_libz.def"
};

/* The number of stack words that the places of a signature's arguments take; -1: not all places are known. */
static int words_of(const char *signature)
{
	static struct spoor_places places;
	uint8_t bytes[SPOOR_SIGNATURE_MAX];
	const char *names;
	size_t length = spoor_known_signature_read(signature, bytes, sizeof(bytes), &names);
	int words = 0;

	ck_assert_int_eq(spoor_places_find(bytes, length, &places), 0);
	for (uint32_t i = 0; i < places.argument_count; i++) {
		const struct spoor_capture_value *value = &places.arguments[i].value;
		int end = (value->place & ~SPOOR_PLACE_STACK) + (value->storage == SPOOR_VALUE_BYTES ? 2 : 1);

		if (value->place & SPOOR_PLACE_STACK && end > words)
			words = end;
	}
	return places.arguments_cut ? -1 : words;
}

START_TEST(each_signature_takes_the_stack_words_of_its_line)
{
	uint32_t compared = 0, unknown = 0;

	for (size_t i = 0; i < COUNT(all_calls); i++) {
		int words;

		if (!*all_calls[i].signature) {
			unknown++;
			continue;
		}
		check_signature(all_calls[i].signature);
		words = words_of(all_calls[i].signature);
		if (words < 0 || all_calls[i].words < 0)
			continue;
		compared++;
		ck_assert_msg(words == all_calls[i].words, "%s \"%s\" takes %d words, and its line says %d", all_calls[i].name,
			      all_calls[i].signature, words, all_calls[i].words);
	}
	ck_assert_uint_gt(compared, 5500);
	ck_assert_uint_lt(unknown, 20);
}
END_TEST

START_TEST(a_signature_is_translated_to_a_description)
{
	static const uint8_t open[] = { 0, SPOOR_SIGNATURE_SIGNED, 32, SPOOR_SIGNATURE_END, SPOOR_SIGNATURE_TEXT, SPOOR_LAYOUT_C,
					SPOOR_SIGNATURE_POINTER, SPOOR_SIGNATURE_SIGNED, 32, SPOOR_SIGNATURE_UNSIGNED, 32,
					SPOOR_SIGNATURE_END };
	static const uint8_t log[] = { SPOOR_SIGNATURE_VARIADIC, SPOOR_SIGNATURE_END, SPOOR_SIGNATURE_REAL, 64, SPOOR_SIGNATURE_END };
	uint8_t bytes[SPOOR_SIGNATURE_MAX];
	const char *names;

	ck_assert_uint_eq(spoor_known_signature_read("itiu path,flags:x", bytes, sizeof(bytes), &names), sizeof(open));
	ck_assert_mem_eq(bytes, open, sizeof(open));
	ck_assert_str_eq(names, "path,flags:x");
	ck_assert_uint_eq(spoor_known_signature_read("vd.", bytes, sizeof(bytes), &names), sizeof(log));
	ck_assert_mem_eq(bytes, log, sizeof(log));
	ck_assert_ptr_null(names);
	ck_assert_uint_eq(spoor_known_signature_read("", bytes, sizeof(bytes), &names), 0);
	ck_assert_uint_eq(spoor_known_signature_read("viiiiiiii", bytes, 20, &names), 0);
}
END_TEST

UNIT_MAIN("known_calls", every_function_of_a_table_is_found_and_no_other, functions_have_their_stack_words_and_kinds,
	  formats_are_counted_by_the_calling_convention, patterns_choose_libraries_and_functions,
	  each_signature_takes_the_stack_words_of_its_line, a_signature_is_translated_to_a_description)
