/* SPDX-License-Identifier: MIT */
/* module_file.h - LLVM's code from a file or standard input, and to one or standard output. */
#ifndef SPOOR_MODULE_FILE_H
#define SPOOR_MODULE_FILE_H

#include "pass/options.h"

#include <llvm-c/Core.h>

/*
 * module_read - reads bitcode or IR; which of them is seen in it.
 * @path: "-" is standard input
 *
 * Return: 0, or a negative errno and @fault says what is wrong.
 */
int module_read(LLVMContextRef context, const char *path, LLVMModuleRef *module, struct spoor_fault *fault);

/*
 * module_check - runs LLVM's verifier.
 * @whose: what is called wrong, if it is
 *
 * Return: 0, or -EINVAL and @fault says what is wrong.
 */
int module_check(LLVMModuleRef module, const char *whose, struct spoor_fault *fault);

/*
 * module_write - to @options' output file. Bitcode goes to no terminal unless that is
 * asked for. What could not be written whole is removed.
 *
 * Return: 0, or a negative errno and @fault says what is wrong.
 */
int module_write(LLVMModuleRef module, const struct spoor_options *options, struct spoor_fault *fault);

#endif
