/* SPDX-License-Identifier: MIT */
/* large.h - the place of large variables. */
#ifndef SPOOR_LARGE_H
#define SPOOR_LARGE_H

/*
 * Each zeroed variable of 4 KB or more has this attribute. The linker then places it after the small variables, which
 * share a few memory pages: a program pays a page fault for each page that its start touches. The linker must sort
 * sections by their names (Makefile.am). AddressSanitizer does not guard a variable that has a section.
 */
#ifdef __SANITIZE_ADDRESS__
#define SPOOR_LARGE
#else
#define SPOOR_LARGE __attribute__((section(".bss.large")))
#endif

#endif
