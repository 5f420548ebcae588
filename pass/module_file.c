/* SPDX-License-Identifier: MIT */
/* module_file.c - reads LLVM's code from a file or standard input, and writes it to a file or standard output. */
#include "pass/module_file.h"

#include "text/file_bytes.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/IRReader.h>
#include <llvm/Config/llvm-config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int __attribute__((format(printf, 3, 4)))
say(struct spoor_fault *fault, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fault->text, sizeof fault->text, format, arguments);
	va_end(arguments);
	return error;
}

/* Removes the newline at the end of a message of LLVM, which may have several lines. */
static void trim(char *message)
{
	size_t length = message ? strlen(message) : 0;

	while (length && message[length - 1] == '\n')
		message[--length] = '\0';
}

int module_read(LLVMContextRef context, const char *path, LLVMModuleRef *module, struct spoor_fault *fault)
{
	const char *shown = strcmp(path, "-") == 0 ? "standard input" : path;
	LLVMMemoryBufferRef buffer;
	char *message = NULL;
	int error = 0;

	if (path != shown ? LLVMCreateMemoryBufferWithSTDIN(&buffer, &message)
			  : LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
		error = say(fault, -EIO, "cannot read %.600s: %s", shown, message);
	} else if (LLVMGetBufferSize(buffer) == 0) {
		/* LLVM would accept this as an empty module. */
		error = say(fault, -EINVAL, "%.600s is empty: spoor_opt reads LLVM bitcode or IR", shown);
		LLVMDisposeMemoryBuffer(buffer);
	} else if (LLVMParseIRInContext(context, buffer, module, &message)) {
		/* The parser owns the buffer. */
		trim(message);
		error = say(fault, -EINVAL, "cannot read %.600s as bitcode or IR of LLVM %s: %s", shown,
			    LLVM_VERSION_STRING, message);
	}
	LLVMDisposeMessage(message);
	return error;
}

int module_check(LLVMModuleRef module, const char *whose, struct spoor_fault *fault)
{
	char *message = NULL;
	int error = 0;

	if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
		trim(message);
		error = say(fault, -EINVAL, "%s is invalid according to LLVM's verifier: %s", whose, message);
	}
	LLVMDisposeMessage(message);
	return error;
}

/* Writes to the output file or standard output. */
static int write_bytes(const char *path, const void *bytes, size_t size, struct spoor_fault *fault)
{
	int is_standard = strcmp(path, "-") == 0;
	int error = file_bytes_write(is_standard ? NULL : path, bytes, size);

	return error == 0 ? 0 : say(fault, error, "cannot write %.600s: %s",
				    is_standard ? "standard output" : path, strerror(-error));
}

/* Tells if the output is a terminal, under any name. */
static int goes_to_terminal(const char *path)
{
	int fd, answer;

	if (strcmp(path, "-") == 0)
		return isatty(STDOUT_FILENO);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return 0;
	answer = isatty(fd);
	close(fd);
	return answer;
}

int module_write(LLVMModuleRef module, const struct spoor_options *options, struct spoor_fault *fault)
{
	LLVMMemoryBufferRef buffer;
	char *text;
	int error;

	if (options->output_language == SPOOR_LANGUAGE_IR) {
		text = LLVMPrintModuleToString(module);
		error = write_bytes(options->output_file, text, strlen(text), fault);
		LLVMDisposeMessage(text);
		return error;
	}
	if (!options->force_binary_output && goes_to_terminal(options->output_file))
		return say(fault, -EINVAL, "standard output is a terminal, and bitcode is binary: redirect it, write "
			   "IR with --output_language=ir, or use --force_binary_output");
	buffer = LLVMWriteBitcodeToMemoryBuffer(module);
	error = write_bytes(options->output_file, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer), fault);
	LLVMDisposeMemoryBuffer(buffer);
	return error;
}
