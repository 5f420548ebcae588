/* SPDX-License-Identifier: MIT */
/* readable_name.h - linkage names as people write them: C++, Rust, D, Fortran. */
#ifndef SPOOR_READABLE_NAME_H
#define SPOOR_READABLE_NAME_H

/* Return: to be freed, at most SPOOR_NAME_BYTES (demangled.h); null if @linkage is not mangled, or without memory. */
char *spoor_readable_name(const char *linkage);

#endif
