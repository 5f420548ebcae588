/* SPDX-License-Identifier: MIT */
/*
 * spoor/sdt.h - macros for static tracepoints. For C and C++, with gcc and clang.
 *
 * A tracepoint is a nop, and a note in the file with the address of the nop and the places of its
 * arguments. The program needs no library. SystemTap, bpftrace, perf, gdb and others read the note.
 *
 * libspoor.so records tracepoints with a semaphore too, without help of the kernel: spoor record
 * --tracepoint.
 *
 *      #include <spoor/sdt.h>
 *
 *      SPOOR_SDT(server, request_begin, request->id, request->path);
 *
 * Provider and name are words without quotes. A tracepoint has at most 12 arguments: integers of up to 64
 * bits, bit-fields, bool, enumerations, pointers, and arrays, which are passed as pointers.
 *
 * A semaphore counts the tracers that use a tracepoint. The arguments are evaluated, once, only if the
 * semaphore is not 0. Define the semaphore in one file of the module, outside of functions, and declare it
 * in the module's other files. Another module may declare it to test it with SPOOR_SDT_IS_ENABLED, but
 * cannot have tracepoints with it.
 *
 *      SPOOR_SDT_DEFINE_SEMAPHORE(server, request_end);  // semicolon optional, except at the end of a C file
 *      ...
 *      SPOOR_SDT_WITH_SEMAPHORE(server, request_end, expensive());
 *
 * SPOOR_SDT_ARG_CONSTRAINT is the constraint of the arguments in an asm statement. Define it before
 * including this file to change it. gcc's default "nor" lets the compiler leave an argument in its place: a
 * constant, memory, or a register. The default for clang is "nr", because with "nor" clang would copy all
 * arguments to memory.
 *
 * The note has SystemTap's format, version 3 (its wiki, "UserSpaceProbeImplementation"). The note is in the
 * section group of the code around it, so the linker drops them together.
 */
#ifndef SPOOR_SDT_H
#define SPOOR_SDT_H

#include "sdt_value.h"

#if !defined __x86_64__ && !defined __aarch64__
#error "spoor/sdt.h supports x86-64 and AArch64"
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
/* C++ allows a semicolon after a complete declaration. */
#define SPOOR_SDT_END
#else
#define SPOOR_SDT_C_NAME extern
/* In C the semicolon is an extension. This suppresses the warning of -Wpedantic; without the semicolon it
 * applies to the next declaration. */
#define SPOOR_SDT_END __extension__
#endif

/*
 * A tracepoint with a semaphore, for libspoor.so, which finds it by the note SPOOR_SDT_NOTE or gets it from
 * spoor_sdt_register. It is part of modules that are older or newer than libspoor.so, so it only grows at
 * its end.
 */
struct spoor_sdt_probe;
typedef void spoor_sdt_recorder(struct spoor_sdt_probe *probe, __UINT64_TYPE__ types, __UINT64_TYPE__ a,
				__UINT64_TYPE__ b, __UINT64_TYPE__ c, __UINT64_TYPE__ d);
typedef void spoor_sdt_many_recorder(struct spoor_sdt_probe *probe, __UINT64_TYPE__ types,
				     const __UINT64_TYPE__ *arguments);
struct spoor_sdt_probe {
	unsigned int size;	/* of this struct, as the module knows it */
	unsigned int number;	/* set by libspoor.so, like `record` and the fields after it */
	const char *provider, *name;
	volatile unsigned int *semaphore;
	/* Called with up to four arguments, and with more. Null while the tracepoint is not recorded. */
	spoor_sdt_recorder *record;
	spoor_sdt_many_recorder *record_many;
	void (*unregister)(struct spoor_sdt_probe *probe);
	struct spoor_sdt_probe *next;
	const char *known_as, *path;
};

/* Type of a note in .note.spoor. Its descriptor is the 64-bit distance from the descriptor itself to the
 * struct. */
#define SPOOR_SDT_NOTE 4
/* Value of `unregister` after the module's destructor has run. */
#define SPOOR_SDT_GONE ((void (*)(struct spoor_sdt_probe *))1)

/*
 * The semaphore counts the tracers. Other tracers, or the kernel for them, add to its lower half, as the
 * notes specify. libspoor.so sets the upper half to 1. So libspoor.so and other tracers never wait for each other.
 */
#define SPOOR_SDT_DECLARE_SEMAPHORE(provider, name) SPOOR_SDT_DECLARE(provider, name) SPOOR_SDT_END
/* The semaphore is protected: other modules can refer to it, while this module always uses its own, to which
 * its notes refer. */
#define SPOOR_SDT_DEFINE_SEMAPHORE(provider, name)                                            \
	SPOOR_SDT_DECLARE(provider, name)                                                     \
	volatile unsigned int SPOOR_SDT_SEMAPHORE_NAME(provider, name)                        \
		__attribute__((section(".probes"), used));                                    \
	SPOOR_SDT_C_NAME volatile unsigned int SPOOR_SDT_OWN_NAME(provider, name)             \
		__attribute__((alias(SPOOR_SDT_TEXT(SPOOR_SDT_SEMAPHORE_NAME(provider, name))), used)); \
	struct spoor_sdt_probe SPOOR_SDT_PROBE_NAME(provider, name) __attribute__((used)) = { \
		sizeof(struct spoor_sdt_probe), 0, #provider, #name,                          \
		&SPOOR_SDT_OWN_NAME(provider, name), 0, 0, 0, 0, 0, 0                         \
	};                                                                                    \
	__asm__(".protected " SPOOR_SDT_TEXT(SPOOR_SDT_SEMAPHORE_NAME(provider, name)) "\n"    \
		"\t.pushsection .note.spoor,\"a\",%note\n"                                     \
		"\t.balign 4\n"                                                               \
		"\t.4byte 6, 8, " SPOOR_SDT_TEXT(SPOOR_SDT_NOTE) "\n"                          \
		"\t.asciz \"spoor\"\n"                                                        \
		"\t.balign 4\n"                                                               \
		"991:\t.8byte " SPOOR_SDT_TEXT(SPOOR_SDT_PROBE_NAME(provider, name)) " - 991b\n" \
		"\t.popsection");                                                             \
	__attribute__((constructor(101), no_instrument_function)) static void spoor_sdt_begin_##provider##_##name(void) \
	{                                                                                     \
		spoor_sdt_begin(&SPOOR_SDT_PROBE_NAME(provider, name));                       \
	}                                                                                     \
	__attribute__((destructor(101), no_instrument_function)) static void spoor_sdt_end_##provider##_##name(void)  \
	{                                                                                     \
		spoor_sdt_end(&SPOOR_SDT_PROBE_NAME(provider, name));                         \
	}                                                                                     \
	SPOOR_SDT_END
/* The dynamic linker sets the pointer, because the semaphore may be in another module. A direct access would
 * copy the semaphore into an executable. */
#define SPOOR_SDT_IS_ENABLED(provider, name)                                                  \
	__builtin_expect(__extension__({                                                      \
		static volatile unsigned int *volatile spoor_sdt_at = &SPOOR_SDT_SEMAPHORE_NAME(provider, name); \
		*spoor_sdt_at != 0;                                                           \
	}), 0)

#define SPOOR_SDT(provider, ...) SPOOR_SDT_CHOOSE(0, provider, __VA_ARGS__)
#define SPOOR_SDT_WITH_SEMAPHORE(provider, ...) \
	SPOOR_SDT_JOIN(SPOOR_SDT_GUARDED_, SPOOR_SDT_COUNT(__VA_ARGS__))(provider, __VA_ARGS__)

/* The rest is internal. */

#define SPOOR_SDT_PROBE_NAME(provider, name) spoor_sdt_probe_##provider##_##name
/* A hidden alias of the module's own semaphore. */
#define SPOOR_SDT_OWN_NAME(provider, name) spoor_sdt_semaphore_##provider##_##name
#define SPOOR_SDT_DECLARE(provider, name)                                                     \
	SPOOR_SDT_C_NAME volatile unsigned int SPOOR_SDT_SEMAPHORE_NAME(provider, name)       \
		__attribute__((visibility("default")));                                       \
	SPOOR_SDT_C_NAME volatile unsigned int SPOOR_SDT_OWN_NAME(provider, name)             \
		__attribute__((visibility("hidden")));                                        \
	SPOOR_SDT_C_NAME struct spoor_sdt_probe SPOOR_SDT_PROBE_NAME(provider, name)          \
		__attribute__((visibility("hidden")));

/* Defined by libspoor.so, if it is in the process. */
SPOOR_SDT_C_NAME void spoor_sdt_register(struct spoor_sdt_probe *probe)
	__attribute__((weak, visibility("default")));

__attribute__((no_instrument_function)) static __inline__ void spoor_sdt_begin(struct spoor_sdt_probe *probe)
{
	if (spoor_sdt_register)
		spoor_sdt_register(probe);
}

__attribute__((no_instrument_function)) static __inline__ void spoor_sdt_end(struct spoor_sdt_probe *probe)
{
	void (*unregister)(struct spoor_sdt_probe *) =
		__atomic_exchange_n(&probe->unregister, SPOOR_SDT_GONE, __ATOMIC_ACQ_REL);

	if (unregister && unregister != SPOOR_SDT_GONE)
		unregister(probe);
}

#define SPOOR_SDT_TEXT_OF(token) #token
#define SPOOR_SDT_TEXT(token) SPOOR_SDT_TEXT_OF(token)
#define SPOOR_SDT_JOIN_OF(a, b) a##b
#define SPOOR_SDT_JOIN(a, b) SPOOR_SDT_JOIN_OF(a, b)

/* The number of arguments after provider and name. */
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
 * "-4@%eax": the size in bytes, with a minus for a signed type, and the place. The modifier n prints the
 * negative of a number. Small integers are passed as int, because some readers do not know all names of
 * half registers.
 */
#define SPOOR_SDT_OPERAND(number) "%n[s" #number "]@%[v" #number "]"
#define SPOOR_SDT_VALUE(number, value)                                                         \
	[s##number] "n"(SPOOR_SDT_SIGNED(value) ? (int)SPOOR_SDT_SIZE(value) : -(int)SPOOR_SDT_SIZE(value)), \
		[v##number] SPOOR_SDT_ARG_CONSTRAINT(SPOOR_SDT_WIDE(value))

/*
 * With a semaphore: the arguments are evaluated once, for other tracers and for libspoor.so. @types has 4
 * bits for each argument: the logarithm of its size, plus 4 if it is signed, plus 8 if it is a pointer. The
 * lowest bits are the first argument's. The bits above SPOOR_SDT_TYPES_SHIFT are the number of arguments.
 */
#define SPOOR_SDT_TYPES_SHIFT 48
#define SPOOR_SDT_COUNTED(count) (__UINT64_TYPE__)count << SPOOR_SDT_TYPES_SHIFT
#define SPOOR_SDT_GUARDED(provider, name, locals, tracepoint, recorded)                        \
	do {                                                                                   \
		if (__builtin_expect(SPOOR_SDT_OWN_NAME(provider, name) != 0, 0)) {            \
			locals                                                                 \
			tracepoint;                                                            \
			recorded;                                                              \
		}                                                                              \
	} while (0)
/* Up to four arguments are passed in registers, so that the path without a tracer needs no stack space. */
#define SPOOR_SDT_RECORD(provider, name, types, ...)                                           \
	do {                                                                                   \
		spoor_sdt_recorder *spoor_sdt_record =                                         \
			__atomic_load_n(&SPOOR_SDT_PROBE_NAME(provider, name).record, __ATOMIC_ACQUIRE); \
		if (spoor_sdt_record)                                                          \
			spoor_sdt_record(&SPOOR_SDT_PROBE_NAME(provider, name), types, __VA_ARGS__); \
	} while (0)
#define SPOOR_SDT_RECORD_MANY(provider, name, types, ...)                                      \
	do {                                                                                   \
		spoor_sdt_many_recorder *spoor_sdt_record =                                    \
			__atomic_load_n(&SPOOR_SDT_PROBE_NAME(provider, name).record_many, __ATOMIC_ACQUIRE); \
		if (spoor_sdt_record) {                                                        \
			const __UINT64_TYPE__ spoor_sdt_arguments[] = { __VA_ARGS__ };         \
			spoor_sdt_record(&SPOOR_SDT_PROBE_NAME(provider, name), types, spoor_sdt_arguments); \
		}                                                                              \
	} while (0)
#define SPOOR_SDT_GUARDED_0(provider, name)                                                    \
	SPOOR_SDT_GUARDED(provider, name, , SPOOR_SDT_0(1, provider, name), SPOOR_SDT_RECORD(provider, name, 0, 0, 0, 0, 0))
#define SPOOR_SDT_FEW(count, provider, name, locals, ...)                                      \
	SPOOR_SDT_GUARDED(provider, name, locals,                                              \
			  SPOOR_SDT_CHOOSE(1, provider, name, SPOOR_SDT_EACH_##count(SPOOR_SDT_LOCAL)), \
			  SPOOR_SDT_RECORD(provider, name, SPOOR_SDT_COUNTED(count) | SPOOR_SDT_TYPES_##count, __VA_ARGS__))
#define SPOOR_SDT_MANY(count, provider, name, locals)                                          \
	SPOOR_SDT_GUARDED(provider, name, locals,                                              \
			  SPOOR_SDT_CHOOSE(1, provider, name, SPOOR_SDT_EACH_##count(SPOOR_SDT_LOCAL)), \
			  SPOOR_SDT_RECORD_MANY(provider, name, SPOOR_SDT_COUNTED(count) | SPOOR_SDT_TYPES_##count, \
						SPOOR_SDT_EACH_##count(SPOOR_SDT_BITS)))
#define SPOOR_SDT_GUARDED_1(provider, name, a1) SPOOR_SDT_FEW(1, provider, name, SPOOR_SDT_LOCALS_1(a1), \
	SPOOR_SDT_EACH_1(SPOOR_SDT_BITS), 0, 0, 0)
#define SPOOR_SDT_GUARDED_2(provider, name, a1, a2) SPOOR_SDT_FEW(2, provider, name, SPOOR_SDT_LOCALS_2(a1, a2), \
	SPOOR_SDT_EACH_2(SPOOR_SDT_BITS), 0, 0)
#define SPOOR_SDT_GUARDED_3(provider, name, a1, a2, a3) SPOOR_SDT_FEW(3, provider, name, SPOOR_SDT_LOCALS_3(a1, a2, a3), \
	SPOOR_SDT_EACH_3(SPOOR_SDT_BITS), 0)
#define SPOOR_SDT_GUARDED_4(provider, name, a1, a2, a3, a4) SPOOR_SDT_FEW(4, provider, name, SPOOR_SDT_LOCALS_4(a1, a2, a3, a4), \
	SPOOR_SDT_EACH_4(SPOOR_SDT_BITS))
#define SPOOR_SDT_GUARDED_5(provider, name, a1, a2, a3, a4, a5) SPOOR_SDT_MANY(5, provider, name, SPOOR_SDT_LOCALS_5(a1, a2, a3, a4, a5))
#define SPOOR_SDT_GUARDED_6(provider, name, a1, a2, a3, a4, a5, a6) SPOOR_SDT_MANY(6, provider, name, SPOOR_SDT_LOCALS_6(a1, a2, a3, a4, a5, a6))
#define SPOOR_SDT_GUARDED_7(provider, name, a1, a2, a3, a4, a5, a6, a7) SPOOR_SDT_MANY(7, provider, name, SPOOR_SDT_LOCALS_7(a1, a2, a3, a4, a5, a6, a7))
#define SPOOR_SDT_GUARDED_8(provider, name, a1, a2, a3, a4, a5, a6, a7, a8) SPOOR_SDT_MANY(8, provider, name, SPOOR_SDT_LOCALS_8(a1, a2, a3, a4, a5, a6, a7, a8))
#define SPOOR_SDT_GUARDED_9(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9) SPOOR_SDT_MANY(9, provider, name, SPOOR_SDT_LOCALS_9(a1, a2, a3, a4, a5, a6, a7, a8, a9))
#define SPOOR_SDT_GUARDED_10(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) SPOOR_SDT_MANY(10, provider, name, SPOOR_SDT_LOCALS_10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10))
#define SPOOR_SDT_GUARDED_11(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) SPOOR_SDT_MANY(11, provider, name, SPOOR_SDT_LOCALS_11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11))
#define SPOOR_SDT_GUARDED_12(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) SPOOR_SDT_MANY(12, provider, name, SPOOR_SDT_LOCALS_12(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12))

#define SPOOR_SDT_LOCALS_1(a1) SPOOR_SDT_HANDED(a1) spoor_sdt_1 = (a1);
#define SPOOR_SDT_LOCALS_2(a1, a2) SPOOR_SDT_LOCALS_1(a1) SPOOR_SDT_HANDED(a2) spoor_sdt_2 = (a2);
#define SPOOR_SDT_LOCALS_3(a1, a2, a3) SPOOR_SDT_LOCALS_2(a1, a2) SPOOR_SDT_HANDED(a3) spoor_sdt_3 = (a3);
#define SPOOR_SDT_LOCALS_4(a1, a2, a3, a4) SPOOR_SDT_LOCALS_3(a1, a2, a3) SPOOR_SDT_HANDED(a4) spoor_sdt_4 = (a4);
#define SPOOR_SDT_LOCALS_5(a1, a2, a3, a4, a5) SPOOR_SDT_LOCALS_4(a1, a2, a3, a4) SPOOR_SDT_HANDED(a5) spoor_sdt_5 = (a5);
#define SPOOR_SDT_LOCALS_6(a1, a2, a3, a4, a5, a6) SPOOR_SDT_LOCALS_5(a1, a2, a3, a4, a5) SPOOR_SDT_HANDED(a6) spoor_sdt_6 = (a6);
#define SPOOR_SDT_LOCALS_7(a1, a2, a3, a4, a5, a6, a7) SPOOR_SDT_LOCALS_6(a1, a2, a3, a4, a5, a6) SPOOR_SDT_HANDED(a7) spoor_sdt_7 = (a7);
#define SPOOR_SDT_LOCALS_8(a1, a2, a3, a4, a5, a6, a7, a8) SPOOR_SDT_LOCALS_7(a1, a2, a3, a4, a5, a6, a7) SPOOR_SDT_HANDED(a8) spoor_sdt_8 = (a8);
#define SPOOR_SDT_LOCALS_9(a1, a2, a3, a4, a5, a6, a7, a8, a9) SPOOR_SDT_LOCALS_8(a1, a2, a3, a4, a5, a6, a7, a8) SPOOR_SDT_HANDED(a9) spoor_sdt_9 = (a9);
#define SPOOR_SDT_LOCALS_10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) SPOOR_SDT_LOCALS_9(a1, a2, a3, a4, a5, a6, a7, a8, a9) SPOOR_SDT_HANDED(a10) spoor_sdt_10 = (a10);
#define SPOOR_SDT_LOCALS_11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) SPOOR_SDT_LOCALS_10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) SPOOR_SDT_HANDED(a11) spoor_sdt_11 = (a11);
#define SPOOR_SDT_LOCALS_12(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) SPOOR_SDT_LOCALS_11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) SPOOR_SDT_HANDED(a12) spoor_sdt_12 = (a12);

/* Applies the macro @each to the numbers of all locals. */
#define SPOOR_SDT_EACH_1(each) each(1)
#define SPOOR_SDT_EACH_2(each) SPOOR_SDT_EACH_1(each), each(2)
#define SPOOR_SDT_EACH_3(each) SPOOR_SDT_EACH_2(each), each(3)
#define SPOOR_SDT_EACH_4(each) SPOOR_SDT_EACH_3(each), each(4)
#define SPOOR_SDT_EACH_5(each) SPOOR_SDT_EACH_4(each), each(5)
#define SPOOR_SDT_EACH_6(each) SPOOR_SDT_EACH_5(each), each(6)
#define SPOOR_SDT_EACH_7(each) SPOOR_SDT_EACH_6(each), each(7)
#define SPOOR_SDT_EACH_8(each) SPOOR_SDT_EACH_7(each), each(8)
#define SPOOR_SDT_EACH_9(each) SPOOR_SDT_EACH_8(each), each(9)
#define SPOOR_SDT_EACH_10(each) SPOOR_SDT_EACH_9(each), each(10)
#define SPOOR_SDT_EACH_11(each) SPOOR_SDT_EACH_10(each), each(11)
#define SPOOR_SDT_EACH_12(each) SPOOR_SDT_EACH_11(each), each(12)
#define SPOOR_SDT_TYPES_1 SPOOR_SDT_TYPE(1)
#define SPOOR_SDT_TYPES_2 SPOOR_SDT_TYPES_1 | SPOOR_SDT_TYPE(2)
#define SPOOR_SDT_TYPES_3 SPOOR_SDT_TYPES_2 | SPOOR_SDT_TYPE(3)
#define SPOOR_SDT_TYPES_4 SPOOR_SDT_TYPES_3 | SPOOR_SDT_TYPE(4)
#define SPOOR_SDT_TYPES_5 SPOOR_SDT_TYPES_4 | SPOOR_SDT_TYPE(5)
#define SPOOR_SDT_TYPES_6 SPOOR_SDT_TYPES_5 | SPOOR_SDT_TYPE(6)
#define SPOOR_SDT_TYPES_7 SPOOR_SDT_TYPES_6 | SPOOR_SDT_TYPE(7)
#define SPOOR_SDT_TYPES_8 SPOOR_SDT_TYPES_7 | SPOOR_SDT_TYPE(8)
#define SPOOR_SDT_TYPES_9 SPOOR_SDT_TYPES_8 | SPOOR_SDT_TYPE(9)
#define SPOOR_SDT_TYPES_10 SPOOR_SDT_TYPES_9 | SPOOR_SDT_TYPE(10)
#define SPOOR_SDT_TYPES_11 SPOOR_SDT_TYPES_10 | SPOOR_SDT_TYPE(11)
#define SPOOR_SDT_TYPES_12 SPOOR_SDT_TYPES_11 | SPOOR_SDT_TYPE(12)
#define SPOOR_SDT_LOCAL(number) spoor_sdt_##number
#define SPOOR_SDT_TYPE(number)                                                                 \
	(__UINT64_TYPE__)((SPOOR_SDT_SIZE(spoor_sdt_##number) == 1 ? 0 :                       \
			   SPOOR_SDT_SIZE(spoor_sdt_##number) == 2 ? 1 :                       \
			   SPOOR_SDT_SIZE(spoor_sdt_##number) == 4 ? 2 : 3) |                  \
			  (SPOOR_SDT_SIGNED(spoor_sdt_##number) ? 4 : 0) |                     \
			  (SPOOR_SDT_IS_POINTER(spoor_sdt_##number) ? 8 : 0))                  \
		<< 4 * (number - 1)

#define SPOOR_SDT_SEMAPHORE_0(provider, name) "0"
#define SPOOR_SDT_SEMAPHORE_1(provider, name) SPOOR_SDT_TEXT(SPOOR_SDT_OWN_NAME(provider, name))

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
