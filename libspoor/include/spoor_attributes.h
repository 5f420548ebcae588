/* SPDX-License-Identifier: MIT */
/*
 * spoor_attributes.h - attributes by which source code chooses the functions that are instrumented.
 *
 *	SPOOR_NEVER static int compare(const void *a, const void *b) ...
 *	SPOOR_ALWAYS int parse(const char *text) ...
 *
 * Compilers other than clang and GCC ignore them. The attributes no_instrument_function and
 * xray_never_instrument have the same effect as SPOOR_NEVER; with clang no_instrument_function needs
 * spoor-cc or the flags that pkg-config prints for spoor-instrumentation.
 */
#ifndef SPOOR_ATTRIBUTES_H
#define SPOOR_ATTRIBUTES_H

/* The function gets no sled. It does not appear in traces; its time counts as its caller's. */
#ifdef __clang__
#define SPOOR_NEVER __attribute__((xray_never_instrument))
#elif defined(__GNUC__)
#define SPOOR_NEVER __attribute__((no_instrument_function))
#else
#define SPOOR_NEVER
#endif

/* The function is never inlined and always gets sleds in instrumented code, whatever a filters
 * file says. */
#if defined(__clang__) && defined(__SPOOR__)
#define SPOOR_ALWAYS __attribute__((noinline, annotate("spoor_always")))
#elif defined(__GNUC__) && defined(__SPOOR__)
#define SPOOR_ALWAYS __attribute__((noinline, spoor_always))	/* an attribute of the plugin */
#else
#define SPOOR_ALWAYS
#endif

#endif
