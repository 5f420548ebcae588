/* SPDX-License-Identifier: MIT */
/*
 * spoor_opt.c - the pass as a separate program, which reads and writes bitcode or IR.
 *
 * For compilers that accept no plugins, including compilers of other languages.
 */
#include "pass/command_line.h"
#include "pass/module_file.h"
#include "pass/options_sources.h"
#include "pass/pass.h"

#include "config.h"

#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status { STATUS_GOOD = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

static bool failed;

/* Prints the warnings of the parser and the errors of the pass. */
static void print_diagnostic(LLVMDiagnosticInfoRef diagnostic, void *unused)
{
	static const char *const words[] = {
		[LLVMDSError] = "error: ", [LLVMDSWarning] = "warning: ", [LLVMDSRemark] = "", [LLVMDSNote] = "",
	};
	LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(diagnostic);
	char *text = LLVMGetDiagInfoDescription(diagnostic);

	(void)unused;
	failed |= severity == LLVMDSError;
	fprintf(stderr, "spoor_opt: %s%s\n", words[severity], text);
	LLVMDisposeMessage(text);
}

/*
 * Splits coroutines, because call mode instruments their parts. Compilers split them late, and
 * not at all if they emit bitcode without optimisation.
 */
#if LLVM_VERSION_MAJOR < 15
static const char splitting[] = "function(coro-early),cgscc(coro-split),function(coro-cleanup)";
#else
static const char splitting[] = "coro-early,cgscc(coro-split),coro-cleanup";
#endif

static int split_coroutines(LLVMModuleRef module, struct spoor_fault *fault)
{
	LLVMPassBuilderOptionsRef settings;
	LLVMErrorRef error;
	char *message;

	if (!LLVMGetNamedFunction(module, "llvm.coro.begin"))
		return 0;
	settings = LLVMCreatePassBuilderOptions();
	error = LLVMRunPasses(module, splitting, NULL, settings);
	LLVMDisposePassBuilderOptions(settings);
	if (!error)
		return 0;
	message = LLVMGetErrorMessage(error);
	snprintf(fault->text, sizeof fault->text, "cannot split the coroutines: %.600s", message);
	LLVMDisposeErrorMessage(message);
	return -EINVAL;
}

static int instrument(LLVMContextRef context, const char *input, const struct spoor_options *options,
		      struct spoor_fault *fault)
{
	LLVMModuleRef module = NULL;
	int error = module_read(context, input, &module, fault);

	if (error == 0)
		error = module_check(module, "the input module", fault);
	if (error == 0 && options->mode == SPOOR_MEANS_CALL && options->inject_instrumentation)
		error = split_coroutines(module, fault);
	if (error == 0 && (spoor_pass_keep(module, options) < 0 || spoor_pass_run(module, options) < 0 || failed)) {
		snprintf(fault->text, sizeof fault->text, "no output was written");
		error = -EINVAL;
	}
	if (error == 0 && *options->module_id)
		LLVMSetModuleIdentifier(module, options->module_id, strlen(options->module_id));
	if (error == 0)
		error = module_check(module, "the instrumented module", fault);
	if (error == 0)
		error = module_write(module, options, fault);
	if (module)
		LLVMDisposeModule(module);
	return error;
}

static int run(int argc, char **argv, struct spoor_options *options)
{
	struct spoor_fault fault;
	struct command_line line;
	LLVMContextRef context;
	int error;

	if (spoor_options_begin(options) < 0) {
		fprintf(stderr, "spoor_opt: out of memory\n");
		return STATUS_FAILED;
	}
	if (spoor_options_read(options, &fault) < 0 || command_line_read(&line, argc, argv, options, &fault) < 0) {
		fprintf(stderr, "spoor_opt: %s\nTry 'spoor_opt --help'.\n", fault.text);
		return STATUS_USAGE;
	}
	/* Assembly in a module may define symbols, which bitcode lists. */
	LLVMInitializeAllTargetInfos();
	LLVMInitializeAllTargets();
	LLVMInitializeAllTargetMCs();
	LLVMInitializeAllAsmParsers();
	context = LLVMContextCreate();
	LLVMContextSetDiagnosticHandler(context, print_diagnostic, NULL);
	error = instrument(context, line.input, options, &fault);
	LLVMContextDispose(context);
	if (error < 0)
		fprintf(stderr, "spoor_opt: %s\n", fault.text);
	return error < 0 ? STATUS_FAILED : STATUS_GOOD;
}

int main(int argc, char **argv)
{
	struct spoor_options options;
	const char *about;
	int status;

	/* If the reader of the output ends early, writing must fail with an error instead of a signal. */
	signal(SIGPIPE, SIG_IGN);
	switch (command_line_wish(argc, argv, &about)) {
	case COMMAND_LINE_HELP:
		if (!command_line_help(about)) {
			fprintf(stderr, "spoor_opt: --help=%s: no option contains this text: 'spoor_opt --help' lists "
				"the options\n", about);
			return STATUS_USAGE;
		}
		break;
	case COMMAND_LINE_VERSION:
		puts("spoor_opt " PACKAGE_VERSION "\nBased on LLVM " LLVM_VERSION_STRING);
		break;
	case COMMAND_LINE_RUN:
		status = run(argc, argv, &options);
		spoor_options_free(&options);
		return status;
	}
	return fflush(stdout) == 0 ? STATUS_GOOD : STATUS_FAILED;
}
