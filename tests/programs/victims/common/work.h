/* SPDX-License-Identifier: MIT */
/* work.h - macros that make a victim's functions traced or untraced. */
#ifndef WORK_H
#define WORK_H

#define TRACED __attribute__((noinline))
#define UNTRACED __attribute__((noinline, no_instrument_function))

/* Keeps the compiler from merging or removing a call. */
#define KEEP __asm__ volatile("" : : : "memory")

#endif
