/* SPDX-License-Identifier: MIT */
/*
 * plugin.cc - registers the pass with LLVM's pass builder, which needs C++. The pass itself is
 * written in C.
 */
#include "pass/pass.h"
#include "pass/plugin_options.h"

#include "config.h"
/* A macro that libtool defines; LLVM's headers use the name for a parameter. */
#undef PIC

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;

static cl::opt<spoor_marks> marks("spoor-pg-marks",
	cl::desc("how to use -pg's attributes to find functions with no_instrument_function:"),
	cl::values(clEnumValN(SPOOR_MARKS_ABSENT, "absent", "-pg was not given: there are no attributes"),
		   clEnumValN(SPOOR_MARKS_REMOVE, "remove", "read and remove the attributes"),
		   clEnumValN(SPOOR_MARKS_KEEP, "keep", "read and keep the attributes, so that -pg also profiles")),
	cl::init(SPOOR_MARKS_ABSENT));

namespace {

struct Start : PassInfoMixin<Start> {
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
	{
		const struct spoor_options *options;

		spoor_pass_start(wrap(&module), marks);
		options = spoor_plugin_options(wrap(&module));
		if (options)
			spoor_pass_keep(wrap(&module), options);
		return PreservedAnalyses::none();
	}
	static bool isRequired() { return true; }
};

struct Instrument : PassInfoMixin<Instrument> {
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
	{
		const struct spoor_options *options = spoor_plugin_options(wrap(&module));

		if (options)
			spoor_pass_run(wrap(&module), options);
		return PreservedAnalyses::none();
	}
	static bool isRequired() { return true; }
};

void add_at_start(ModulePassManager &manager, OptimizationLevel)
{
	manager.addPass(Start());
}

#if LLVM_VERSION_MAJOR >= 20
void add_at_end(ModulePassManager &manager, OptimizationLevel level, ThinOrFullLTOPhase)
#else
void add_at_end(ModulePassManager &manager, OptimizationLevel level)
#endif
{
#if LLVM_VERSION_MAJOR < 16
	/* Kept entries refer to their functions, so dead functions must be removed before. */
	if (level != OptimizationLevel::O0)
		manager.addPass(GlobalDCEPass());
#else
	(void)level;
#endif
	manager.addPass(Instrument());
}

#if LLVM_VERSION_MAJOR >= 16
void add_after_linking(ModulePassManager &manager, OptimizationLevel)
{
	manager.addPass(Instrument());
}
#endif

bool add_by_name(StringRef name, ModulePassManager &manager,
		 ArrayRef<PassBuilder::PipelineElement>)
{
	if (name != "inject-spoor-instrumentation")
		return false;
	manager.addPass(Instrument());
	return true;
}

void add_passes(PassBuilder &builder)
{
	builder.registerPipelineStartEPCallback(add_at_start);
	builder.registerOptimizerLastEPCallback(add_at_end);
#if LLVM_VERSION_MAJOR >= 16
	/* For a linker with the plugin: units from compilers without it are instrumented here. */
	builder.registerFullLinkTimeOptimizationLastEPCallback(add_after_linking);
#endif
	builder.registerPipelineParsingCallback(add_by_name);
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	PassPluginLibraryInfo info = {};

	info.APIVersion = LLVM_PLUGIN_API_VERSION;
	info.PluginName = "spoor";
	info.PluginVersion = PACKAGE_VERSION;
	info.RegisterPassBuilderCallbacks = add_passes;
	return info;
}
