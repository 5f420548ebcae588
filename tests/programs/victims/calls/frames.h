/* SPDX-License-Identifier: MIT */
/*
 * frames.h - what frames.cc and its library share: every traced function writes
 * down at its beginning how deep it is nested, "DEPTH NAME", as a trace is to
 * show it, and whoever is gone on with after an exception sets its depth right.
 */
#ifndef FRAMES_H
#define FRAMES_H

#define TRACED __attribute__((noinline))
#define UNTRACED __attribute__((xray_never_instrument, no_instrument_function))
#define KEEP __asm__ volatile("" : : : "memory")

#ifdef __cplusplus
extern "C" {
#endif

/* Return: the function's own depth. */
UNTRACED int book_enter(const char *name);
/* In a function that goes on, or returns, at this depth. */
UNTRACED void book_here(int own);
UNTRACED void book_leave(int own);

typedef void callback(int argument);

/* The library's; its twin is compiled without sleds. */
void library_calls(callback *function, int argument);
void plain_calls(callback *function, int argument);
int library_catches(callback *function, int argument);
int plain_catches(callback *function, int argument);

/* Of another unit; with LTO alone. */
void catches_inlined(callback *function, int argument, int own);

#ifdef __cplusplus
}
#endif

#endif
