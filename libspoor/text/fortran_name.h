/* SPDX-License-Identifier: MIT */
/* fortran_name.h - demangles linkage names of the Fortran compilers of LLVM and GCC. */
#ifndef SPOOR_FORTRAN_NAME_H
#define SPOOR_FORTRAN_NAME_H

#include <stddef.h>

/*
 * spoor_fortran_name - demangles a name: "_QMshapesPfib" and "__shapes_MOD_fib" become "shapes::fib".
 * @text: out: the name, cut off at @size bytes
 *
 * An inner procedure follows its outer procedure. Linkage names do not have the name of the main
 * program, so it is called "program". The scheme of LLVM is described by flang's
 * BijectiveInternalNameUniquing.md. GCC gives only procedures of modules such names.
 *
 * Return: whether @linkage is the name of a procedure. Any context.
 */
int spoor_fortran_name(const char *linkage, char *text, size_t size);

#endif
