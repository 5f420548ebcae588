/* SPDX-License-Identifier: MIT */
/* readable_name.h - linkage names as people write them: C++, Rust, D, Fortran. */
#ifndef SPOOR_READABLE_NAME_H
#define SPOOR_READABLE_NAME_H

/* Return: to be freed; null where @linkage is none that is mangled, or without memory. */
char *spoor_readable_name(const char *linkage);

#endif
