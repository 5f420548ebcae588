/* SPDX-License-Identifier: MIT */
/* module_file.h - reads LLVM's code from a file or standard input, and writes it to a file or standard output. */
#ifndef SPOOR_MODULE_FILE_H
#define SPOOR_MODULE_FILE_H

#include "pass/options.h"

#include <llvm-c/Core.h>

/*
 * module_read - reads bitcode or IR, and detects which of them it is.
 * @path: "-" means standard input
 *
 * Returns 0, or a negative errno with the error in @fault.
 */
int module_read(LLVMContextRef context, const char *path, LLVMModuleRef *module, struct spoor_fault *fault);

/*
 * module_check - runs LLVM's verifier.
 * @whose: names the code in the error message
 *
 * Returns 0, or -EINVAL with the error in @fault.
 */
int module_check(LLVMModuleRef module, const char *whose, struct spoor_fault *fault);

/*
 * module_write - writes to the output file of @options. Refuses to write bitcode to a terminal
 * without an explicit request. Removes a file that could not be written completely.
 *
 * Returns 0, or a negative errno with the error in @fault.
 */
int module_write(LLVMModuleRef module, const struct spoor_options *options, struct spoor_fault *fault);

#endif
