/* SPDX-License-Identifier: MIT */
/*
 * gcc_sources.cc - the plugin as one unit. GCC's headers take four fifths of the time to compile one of these files, so
 * a compiler reads the headers once for all files.
 *
 * GCC_TARGET_SOURCE names the file of the architecture.
 */
#include "pass/gcc/gcc_function.cc"
#include "pass/gcc/gcc_lto.cc"
#include "pass/gcc/gcc_marks.cc"
#include "pass/gcc/gcc_plugin.cc"
#include "pass/gcc/gcc_signatures.cc"
#include "pass/gcc/gcc_sleds.cc"
#include "pass/gcc/gcc_tables.cc"
#include "pass/gcc/gcc_texts.cc"
#include GCC_TARGET_SOURCE
