/* SPDX-License-Identifier: MIT */
/*
 * short_name.h - shortens names of functions, so that they fit a terminal.
 *
 * A short name has no parameters, no default template arguments and no inline name spaces, and
 * usual types have their usual names:
 *
 *   std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >  std::string
 *   std::vector<int, std::allocator<int> >::push_back(int const&)                    std::vector<int>::push_back
 *   run(int)::{lambda(int)#1}::operator()(int) const                                 run::{lambda#1}
 *   (anonymous namespace)::parse                                                     (anon)::parse
 *   <alloc::vec::Vec<u8> as core::fmt::Debug>::fmt                                   <Vec<u8> as Debug>::fmt
 *
 * Different functions may get the same short name; symbol_short_names.h tells them apart.
 */
#ifndef SPOOR_READER_SHORT_NAME_H
#define SPOOR_READER_SHORT_NAME_H

#include <stdbool.h>

/*
 * short_name - makes the short name of a function.
 * @linkage: without the optimiser's suffixes (text/source_name.h)
 * @with_parameters: append the parameters, shortened in the same way
 *
 * Returns a string that the caller frees; null without memory. A linkage name that is not mangled is
 * returned unchanged.
 */
char *short_name(const char *linkage, bool with_parameters);

#endif
