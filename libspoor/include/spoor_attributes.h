/* SPDX-License-Identifier: MIT */
/*
 * spoor_attributes.h - which functions are instrumented, said in the source.
 *
 *	SPOOR_NEVER static int compare(const void *a, const void *b) ...
 *	SPOOR_ALWAYS int parse(const char *text) ...
 *
 * Compilers other than clang see nothing. The attributes no_instrument_function
 * and xray_never_instrument work as SPOOR_NEVER does; the former needs
 * spoor-cc, or the flags that pkg-config gives for spoor-instrumentation.
 */
#ifndef SPOOR_ATTRIBUTES_H
#define SPOOR_ATTRIBUTES_H

/* No sled: the function is in no trace, or counts as its caller's where it is inlined. */
#ifdef __clang__
#define SPOOR_NEVER __attribute__((xray_never_instrument))
#else
#define SPOOR_NEVER
#endif

/* A sled for every call: where code is instrumented, the function is not inlined, and
 * whatever a filters file says, it is not left out. */
#if defined(__clang__) && defined(__SPOOR__)
#define SPOOR_ALWAYS __attribute__((noinline, annotate("spoor_always")))
#else
#define SPOOR_ALWAYS
#endif

#endif
