/* SPDX-License-Identifier: MIT */
/*
 * frames.h - functions that frames.cc and its library share. Every traced function first
 * prints its depth, "DEPTH NAME", as a trace must show it. A function that continues
 * after an exception sets its depth again.
 */
#ifndef FRAMES_H
#define FRAMES_H

#define TRACED __attribute__((noinline))
#define UNTRACED __attribute__((xray_never_instrument, no_instrument_function))
#define KEEP __asm__ volatile("" : : : "memory")

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the depth of the function. */
UNTRACED int book_enter(const char *name);
/* Called by a function that continues, or returns, at this depth. */
UNTRACED void book_here(int own);
UNTRACED void book_leave(int own);

typedef void callback(int argument);

/* Functions of the library. Its twin is compiled without sleds. */
void library_calls(callback *function, int argument);
void plain_calls(callback *function, int argument);
int library_catches(callback *function, int argument);
int plain_catches(callback *function, int argument);

/* In another unit; used with LTO only. */
void catches_inlined(callback *function, int argument, int own);

#ifdef __cplusplus
}
#endif

#endif
