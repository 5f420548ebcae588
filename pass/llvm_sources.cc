/* SPDX-License-Identifier: MIT */
/*
 * llvm_sources.cc - the C++ files of the pass as one unit. LLVM's headers take most of the time to compile one of these
 * files, so a compiler reads the headers once for both files.
 */
#include "pass/llvm_more.cc"

#include "pass/description/text_layouts.cc"
