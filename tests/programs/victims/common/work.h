/* SPDX-License-Identifier: MIT */
/* work.h - what a victim's functions are: called as such and traced, or not traced. */
#ifndef WORK_H
#define WORK_H

#define TRACED __attribute__((noinline))
#define UNTRACED __attribute__((noinline, no_instrument_function))

/* Keeps a call from being merged with others, or left out. */
#define KEEP __asm__ volatile("" : : : "memory")

#endif
