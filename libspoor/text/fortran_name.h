/* SPDX-License-Identifier: MIT */
/* fortran_name.h - linkage names of LLVM's Fortran compiler as the source has them. */
#ifndef SPOOR_FORTRAN_NAME_H
#define SPOOR_FORTRAN_NAME_H

#include <stddef.h>

/*
 * spoor_fortran_name - "_QMshapesPfib" is "shapes::fib".
 * @text: gets the name, cut off at @size
 *
 * A procedure within another stands behind that; the main program's name is not in any
 * linkage name, so it is called "program". From flang's documentation of its names,
 * BijectiveInternalNameUniquing.md.
 *
 * Return: whether @linkage is that of a procedure. Any context.
 */
int spoor_fortran_name(const char *linkage, char *text, size_t size);

#endif
