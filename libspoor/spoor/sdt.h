/* SPDX-License-Identifier: MIT */
/*
 * spoor/sdt.h - static tracepoints, for C and C++, with gcc and clang: a nop, and a note that
 * says where it is and where its arguments are then. No library and no tracer is needed;
 * SystemTap, bpftrace, perf, gdb and others find the note in the file.
 *
 *	#include <spoor/sdt.h>
 *
 *	SPOOR_SDT(server, request_begin, request->id, request->path);
 *
 * provider and name are words without quotes. There may be 12 arguments: integers of up to 64
 * bits, bool, enumerations, pointers, and arrays, which are pointers to their beginning.
 *
 * Where an argument costs something, a semaphore tells whether anybody listens. It is defined in one
 * file of the module, and others that have it declare it:
 *
 *	SPOOR_SDT_DEFINE_SEMAPHORE(server, request_end);
 *	...
 *	if (SPOOR_SDT_IS_ENABLED(server, request_end))
 *		SPOOR_SDT_WITH_SEMAPHORE(server, request_end, expensive());
 *
 * SPOOR_SDT_ARG_CONSTRAINT, which may be set before this file is included, is how the compiler
 * hands arguments over, as in an asm statement. "nor", the default of gcc, lets it leave them
 * where they are: a constant, memory, or a register. clang would put all into memory for it, so
 * its default is "nr".
 *
 * The note is SystemTap's, version 3 (its wiki, "UserSpaceProbeImplementation"). It goes
 * where the code around it goes: what the linker drops leaves none behind.
 */
#ifndef SPOOR_SDT_H
#define SPOOR_SDT_H

#if !defined __x86_64__ && !defined __aarch64__
#error "spoor/sdt.h knows x86-64 and AArch64"
#endif

#ifndef SPOOR_SDT_ARG_CONSTRAINT
#ifdef __clang__
#define SPOOR_SDT_ARG_CONSTRAINT "nr"
#else
#define SPOOR_SDT_ARG_CONSTRAINT "nor"
#endif
#endif

#define SPOOR_SDT_SEMAPHORE_NAME(provider, name) provider##_##name##_semaphore
#ifdef __cplusplus
#define SPOOR_SDT_C_NAME extern "C"
#else
#define SPOOR_SDT_C_NAME extern
#endif

/* How many listen; tracers add to it while they do. */
#define SPOOR_SDT_DECLARE_SEMAPHORE(provider, name)                                           \
	SPOOR_SDT_C_NAME volatile unsigned short SPOOR_SDT_SEMAPHORE_NAME(provider, name)     \
		__attribute__((visibility("hidden")))
#define SPOOR_SDT_DEFINE_SEMAPHORE(provider, name)                                            \
	SPOOR_SDT_DECLARE_SEMAPHORE(provider, name);                                          \
	volatile unsigned short SPOOR_SDT_SEMAPHORE_NAME(provider, name)                      \
		__attribute__((section(".probes"), used))
#define SPOOR_SDT_IS_ENABLED(provider, name) \
	__builtin_expect(SPOOR_SDT_SEMAPHORE_NAME(provider, name) != 0, 0)

#define SPOOR_SDT(provider, ...) SPOOR_SDT_CHOOSE(0, provider, __VA_ARGS__)
#define SPOOR_SDT_WITH_SEMAPHORE(provider, ...) SPOOR_SDT_CHOOSE(1, provider, __VA_ARGS__)

/* The rest is not for users. */

#define SPOOR_SDT_TEXT_OF(token) #token
#define SPOOR_SDT_TEXT(token) SPOOR_SDT_TEXT_OF(token)
#define SPOOR_SDT_JOIN_OF(a, b) a##b
#define SPOOR_SDT_JOIN(a, b) SPOOR_SDT_JOIN_OF(a, b)

/* The number of arguments behind provider and name. */
#define SPOOR_SDT_COUNT_OF(name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, count, ...) count
#define SPOOR_SDT_COUNT(...) SPOOR_SDT_COUNT_OF(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define SPOOR_SDT_CHOOSE(semaphore, provider, ...) \
	SPOOR_SDT_JOIN(SPOOR_SDT_, SPOOR_SDT_COUNT(__VA_ARGS__))(semaphore, provider, __VA_ARGS__)

#define SPOOR_SDT_0(semaphore, provider, name) SPOOR_SDT_EMIT(semaphore, provider, name, "", SPOOR_SDT_NONE)
#define SPOOR_SDT_1(semaphore, provider, name, a1) SPOOR_SDT_EMIT(semaphore, provider, name, \
	SPOOR_SDT_TEXTS_1, SPOOR_SDT_VALUES_1(a1))
#define SPOOR_SDT_2(semaphore, provider, name, a1, a2) SPOOR_SDT_EMIT(semaphore, provider, name, \
	SPOOR_SDT_TEXTS_2, SPOOR_SDT_VALUES_2(a1, a2))
#define SPOOR_SDT_3(semaphore, provider, name, a1, a2, a3) SPOOR_SDT_EMIT(semaphore, provider, name, \
	SPOOR_SDT_TEXTS_3, SPOOR_SDT_VALUES_3(a1, a2, a3))
#define SPOOR_SDT_4(semaphore, provider, name, a1, a2, a3, a4) SPOOR_SDT_EMIT(semaphore, provider, name, \
	SPOOR_SDT_TEXTS_4, SPOOR_SDT_VALUES_4(a1, a2, a3, a4))
#define SPOOR_SDT_5(semaphore, provider, name, a1, a2, a3, a4, a5) SPOOR_SDT_EMIT(semaphore, provider, name, \
	SPOOR_SDT_TEXTS_5, SPOOR_SDT_VALUES_5(a1, a2, a3, a4, a5))
#define SPOOR_SDT_6(semaphore, provider, name, a1, a2, a3, a4, a5, a6) SPOOR_SDT_EMIT(semaphore, provider, name, \
	SPOOR_SDT_TEXTS_6, SPOOR_SDT_VALUES_6(a1, a2, a3, a4, a5, a6))
#define SPOOR_SDT_7(semaphore, provider, name, a1, a2, a3, a4, a5, a6, a7) SPOOR_SDT_EMIT(semaphore, provider, name, \
	SPOOR_SDT_TEXTS_7, SPOOR_SDT_VALUES_7(a1, a2, a3, a4, a5, a6, a7))
#define SPOOR_SDT_8(semaphore, provider, name, a1, a2, a3, a4, a5, a6, a7, a8) SPOOR_SDT_EMIT(semaphore, provider, name, \
	SPOOR_SDT_TEXTS_8, SPOOR_SDT_VALUES_8(a1, a2, a3, a4, a5, a6, a7, a8))
#define SPOOR_SDT_9(semaphore, provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9) SPOOR_SDT_EMIT(semaphore, provider, name, \
	SPOOR_SDT_TEXTS_9, SPOOR_SDT_VALUES_9(a1, a2, a3, a4, a5, a6, a7, a8, a9))
#define SPOOR_SDT_10(semaphore, provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) SPOOR_SDT_EMIT(semaphore, provider, name, \
	SPOOR_SDT_TEXTS_10, SPOOR_SDT_VALUES_10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10))
#define SPOOR_SDT_11(semaphore, provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) SPOOR_SDT_EMIT(semaphore, provider, name, \
	SPOOR_SDT_TEXTS_11, SPOOR_SDT_VALUES_11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11))
#define SPOOR_SDT_12(semaphore, provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) SPOOR_SDT_EMIT(semaphore, provider, name, \
	SPOOR_SDT_TEXTS_12, SPOOR_SDT_VALUES_12(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12))

#define SPOOR_SDT_TEXTS_1 SPOOR_SDT_OPERAND(1)
#define SPOOR_SDT_TEXTS_2 SPOOR_SDT_TEXTS_1 " " SPOOR_SDT_OPERAND(2)
#define SPOOR_SDT_TEXTS_3 SPOOR_SDT_TEXTS_2 " " SPOOR_SDT_OPERAND(3)
#define SPOOR_SDT_TEXTS_4 SPOOR_SDT_TEXTS_3 " " SPOOR_SDT_OPERAND(4)
#define SPOOR_SDT_TEXTS_5 SPOOR_SDT_TEXTS_4 " " SPOOR_SDT_OPERAND(5)
#define SPOOR_SDT_TEXTS_6 SPOOR_SDT_TEXTS_5 " " SPOOR_SDT_OPERAND(6)
#define SPOOR_SDT_TEXTS_7 SPOOR_SDT_TEXTS_6 " " SPOOR_SDT_OPERAND(7)
#define SPOOR_SDT_TEXTS_8 SPOOR_SDT_TEXTS_7 " " SPOOR_SDT_OPERAND(8)
#define SPOOR_SDT_TEXTS_9 SPOOR_SDT_TEXTS_8 " " SPOOR_SDT_OPERAND(9)
#define SPOOR_SDT_TEXTS_10 SPOOR_SDT_TEXTS_9 " " SPOOR_SDT_OPERAND(10)
#define SPOOR_SDT_TEXTS_11 SPOOR_SDT_TEXTS_10 " " SPOOR_SDT_OPERAND(11)
#define SPOOR_SDT_TEXTS_12 SPOOR_SDT_TEXTS_11 " " SPOOR_SDT_OPERAND(12)

#define SPOOR_SDT_NONE [none] "n"(0)
#define SPOOR_SDT_VALUES_1(a1) SPOOR_SDT_VALUE(1, a1)
#define SPOOR_SDT_VALUES_2(a1, a2) SPOOR_SDT_VALUES_1(a1), SPOOR_SDT_VALUE(2, a2)
#define SPOOR_SDT_VALUES_3(a1, a2, a3) SPOOR_SDT_VALUES_2(a1, a2), SPOOR_SDT_VALUE(3, a3)
#define SPOOR_SDT_VALUES_4(a1, a2, a3, a4) SPOOR_SDT_VALUES_3(a1, a2, a3), SPOOR_SDT_VALUE(4, a4)
#define SPOOR_SDT_VALUES_5(a1, a2, a3, a4, a5) SPOOR_SDT_VALUES_4(a1, a2, a3, a4), SPOOR_SDT_VALUE(5, a5)
#define SPOOR_SDT_VALUES_6(a1, a2, a3, a4, a5, a6) SPOOR_SDT_VALUES_5(a1, a2, a3, a4, a5), SPOOR_SDT_VALUE(6, a6)
#define SPOOR_SDT_VALUES_7(a1, a2, a3, a4, a5, a6, a7) SPOOR_SDT_VALUES_6(a1, a2, a3, a4, a5, a6), SPOOR_SDT_VALUE(7, a7)
#define SPOOR_SDT_VALUES_8(a1, a2, a3, a4, a5, a6, a7, a8) SPOOR_SDT_VALUES_7(a1, a2, a3, a4, a5, a6, a7), SPOOR_SDT_VALUE(8, a8)
#define SPOOR_SDT_VALUES_9(a1, a2, a3, a4, a5, a6, a7, a8, a9) SPOOR_SDT_VALUES_8(a1, a2, a3, a4, a5, a6, a7, a8), SPOOR_SDT_VALUE(9, a9)
#define SPOOR_SDT_VALUES_10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) SPOOR_SDT_VALUES_9(a1, a2, a3, a4, a5, a6, a7, a8, a9), SPOOR_SDT_VALUE(10, a10)
#define SPOOR_SDT_VALUES_11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) SPOOR_SDT_VALUES_10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10), SPOOR_SDT_VALUE(11, a11)
#define SPOOR_SDT_VALUES_12(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) SPOOR_SDT_VALUES_11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11), SPOOR_SDT_VALUE(12, a12)

/*
 * "-4@%eax": the size in bytes, with a minus where it has a sign, and where it is. The modifier n
 * prints a number's opposite. Small integers are handed over as int: not all readers know all
 * names of half registers.
 */
#define SPOOR_SDT_OPERAND(number) "%n[s" #number "]@%[v" #number "]"
#define SPOOR_SDT_VALUE(number, value)                                                         \
	[s##number] "n"(SPOOR_SDT_SIGNED(value) ? (int)SPOOR_SDT_SIZE(value) : -(int)SPOOR_SDT_SIZE(value)), \
		[v##number] SPOOR_SDT_ARG_CONSTRAINT(SPOOR_SDT_WIDE(value))

#ifdef __cplusplus
namespace spoor_sdt {
template <bool> struct argument_is_an_integer_or_pointer;
template <> struct argument_is_an_integer_or_pointer<true> { enum { good = 1 }; };
template <typename T, bool is_enum> struct integer_of { typedef T type; };
template <typename T> struct integer_of<T, true> { typedef __underlying_type(T) type; };
template <typename T> struct is_real { enum { value = 0 }; };
template <> struct is_real<float> { enum { value = 1 }; };
template <> struct is_real<double> { enum { value = 1 }; };
template <> struct is_real<long double> { enum { value = 1 }; };
/* What a value is when it is handed over: an array is a pointer by then. */
template <typename T> struct kind_of {
	typedef typename integer_of<T, __is_enum(T)>::type integer;
	enum {
		good = argument_is_an_integer_or_pointer<!is_real<T>::value && !__is_class(T) && sizeof(T) <= 8>::good,
		sign = (integer)-1 < (integer)1
	};
	typedef decltype(+integer()) wide;
};
template <> struct kind_of<bool> { enum { sign = 0 }; typedef int wide; };
template <typename T> struct kind_of<T *> { enum { sign = 0 }; typedef T *wide; };
template <typename T> kind_of<T> describe(T value);
template <typename T> T decayed(T value);
}
#define SPOOR_SDT_SIGNED(value) (decltype(spoor_sdt::describe(value))::sign)
#define SPOOR_SDT_SIZE(value) sizeof(spoor_sdt::decayed(value))
#define SPOOR_SDT_WIDE(value) static_cast<decltype(spoor_sdt::describe(value))::wide>(value)
#else
/* As GCC's typeclass.h numbers them: real numbers, complex ones, structures, unions. */
#define SPOOR_SDT_CLASS(value) __builtin_classify_type((value))
#define SPOOR_SDT_IS_POINTER(value) (SPOOR_SDT_CLASS(value) == 5)
#define SPOOR_SDT_INTEGER(value) __typeof__(__builtin_choose_expr(SPOOR_SDT_IS_POINTER(value), 0u, (value)))
#define SPOOR_SDT_SIGNED(value) ((SPOOR_SDT_INTEGER(value))-1 < (SPOOR_SDT_INTEGER(value))1)
/* Behind a comma an array is a pointer, and small integers stay small. */
#define SPOOR_SDT_SIZE(value)                                                                  \
	(sizeof(SPOOR_SDT_HANDED(value)) * sizeof(char[SPOOR_SDT_CLASS(value) != 8 && SPOOR_SDT_CLASS(value) != 9 && \
						       sizeof(SPOOR_SDT_HANDED(value)) <= 8 ? 1 : -1]))
#define SPOOR_SDT_HANDED(value) __typeof__(((void)0, (value)))
#define SPOOR_SDT_WIDE(value)                                                                  \
	__builtin_choose_expr(SPOOR_SDT_IS_POINTER(value), (value),                            \
			      +__builtin_choose_expr(SPOOR_SDT_IS_POINTER(value), 0, (value)))
#endif

#define SPOOR_SDT_SEMAPHORE_0(provider, name) "0"
#define SPOOR_SDT_SEMAPHORE_1(provider, name) SPOOR_SDT_TEXT(SPOOR_SDT_SEMAPHORE_NAME(provider, name))

#define SPOOR_SDT_EMIT(semaphore, provider, name, operands, ...)                               \
	do {                                                                                   \
		__asm__ __volatile__(                                                          \
			".Lspoor_sdt%=:\tnop\n"                                                 \
			"\t.pushsection .note.stapsdt,\"o?\",\"note\",.Lspoor_sdt%=\n"           \
			"\t.balign 4\n"                                                        \
			"\t.4byte 992f-991f, 994f-993f, 3\n"                                   \
			"991:\t.asciz \"stapsdt\"\n"                                           \
			"992:\t.balign 4\n"                                                    \
			"993:\t.8byte .Lspoor_sdt%=\n"                                         \
			"\t.8byte _.stapsdt.base\n"                                            \
			"\t.8byte " SPOOR_SDT_SEMAPHORE_##semaphore(provider, name) "\n"       \
			"\t.asciz \"" #provider "\"\n"                                         \
			"\t.asciz \"" #name "\"\n"                                             \
			"\t.asciz \"" operands "\"\n"                                          \
			"994:\t.balign 4\n"                                                    \
			"\t.popsection\n"                                                      \
			"\t.ifndef _.stapsdt.base\n"                                           \
			"\t.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
			"\t.weak _.stapsdt.base\n"                                             \
			"\t.hidden _.stapsdt.base\n"                                           \
			"_.stapsdt.base:\t.space 1\n"                                          \
			"\t.size _.stapsdt.base, 1\n"                                          \
			"\t.popsection\n"                                                      \
			"\t.endif"                                                             \
			:: __VA_ARGS__);                                                       \
	} while (0)

#endif
