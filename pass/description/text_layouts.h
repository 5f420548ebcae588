/* SPDX-License-Identifier: MIT */
/*
 * text_layouts.h - finds which arguments of a function lead to text, from its debug information: constant strings of C,
 * std::string, std::string_view, and Rust's &str, String and &[u8]. Also finds the arguments that are the address of an
 * object which the source passes by value.
 */
#ifndef SPOOR_TEXT_LAYOUTS_H
#define SPOOR_TEXT_LAYOUTS_H

#include <llvm-c/Core.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPOOR_LAYOUTS_MAX 64u

/*
 * spoor_text_layouts - finds the layouts (enum spoor_text_layout; 0: none).
 * @layouts: out: of the first arguments of the final form of the function
 *
 * Returns the layout of the result. All layouts are 0 if the source's parameters and the arguments do not agree.
 */
uint8_t spoor_text_layouts(LLVMValueRef function, uint8_t layouts[SPOOR_LAYOUTS_MAX]);

#ifdef __cplusplus
}
#endif

#endif
