/* SPDX-License-Identifier: MIT */
/* readable_name.h - demangles linkage names of C++, Rust, D and Fortran. */
#ifndef SPOOR_READABLE_NAME_H
#define SPOOR_READABLE_NAME_H

/* Returns the demangled name, of at most SPOOR_NAME_BYTES (demangled.h), which the caller frees; null if
 * @linkage is not mangled, or without memory. */
char *spoor_readable_name(const char *linkage);

#endif
