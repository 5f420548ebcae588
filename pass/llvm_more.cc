/* SPDX-License-Identifier: MIT */
/* llvm_more.cc - makes functions of LLVM's C++ interface available to C. */
#include "pass/llvm_more.h"

/* A macro that libtool defines; LLVM's headers use the name for a parameter. */
#undef PIC

#include "llvm/Config/llvm-config.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#if LLVM_VERSION_MAJOR >= 17
#include "llvm/IR/EHPersonalities.h"
#else
#include "llvm/Analysis/EHPersonalities.h"
#endif
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

void spoor_report_error(LLVMModuleRef module, const char *message)
{
	unwrap(module)->getContext().emitError(message);
}

void spoor_metadata_remove(LLVMModuleRef module, const char *name)
{
	NamedMDNode *node = unwrap(module)->getNamedMetadata(name);

	if (node)
		unwrap(module)->eraseNamedMetadata(node);
}

/* Compilers of languages without assembly have not initialised these. Compilers that link LLVM statically may not
 * contain them. */
extern "C" {
void LLVMInitializeX86AsmParser(void) __attribute__((weak));
void LLVMInitializeAArch64AsmParser(void) __attribute__((weak));
}

int spoor_module_assembles(LLVMModuleRef module)
{
	std::string error;
	const Target *target = TargetRegistry::lookupTarget(unwrap(module)->getTargetTriple(), error);

	if (target && !target->hasMCAsmParser() && LLVMInitializeX86AsmParser && LLVMInitializeAArch64AsmParser) {
		LLVMInitializeX86AsmParser();
		LLVMInitializeAArch64AsmParser();
	}
	return target && target->hasMCAsmParser();
}

const char *spoor_subprogram_name(LLVMMetadataRef subprogram, size_t *length)
{
	StringRef name = cast<DISubprogram>(unwrap(subprogram))->getName();

	*length = name.size();
	return name.data();
}

int spoor_call_is_must_tail(LLVMValueRef call)
{
	auto *instruction = dyn_cast<CallInst>(unwrap(call));

	return instruction && instruction->isMustTailCall();
}

int spoor_call_is_checked(LLVMValueRef call)
{
	auto *instruction = dyn_cast<CallInst>(unwrap(call));

	return instruction && static_cast<bool>(instruction->getOperandBundle("kcfi"));
}

LLVMValueRef spoor_call_next(LLVMValueRef call)
{
	auto *invoke = dyn_cast<InvokeInst>(unwrap(call));
	BasicBlock *next;

	if (!invoke)
		return wrap(cast<Instruction>(unwrap(call))->getNextNode());
	next = invoke->getNormalDest();
	if (!next->getSinglePredecessor())
		next = SplitEdge(invoke->getParent(), next);
	return wrap(&*next->getFirstInsertionPt());
}

void spoor_call_set_no_tail(LLVMValueRef call)
{
	cast<CallInst>(unwrap(call))->setTailCallKind(CallInst::TCK_NoTail);
}

int spoor_call_has_bundles(LLVMValueRef call)
{
	return cast<CallBase>(unwrap(call))->hasOperandBundles();
}

int spoor_call_may_be_expanded(LLVMValueRef call)
{
	auto *instruction = cast<CallBase>(unwrap(call));
	const Module *module = instruction->getModule();
	TargetLibraryInfoImpl known{Triple(module->getTargetTriple())};
	TargetLibraryInfo library(known);
	LibFunc which;

	return !instruction->isNoBuiltin() && library.getLibFunc(*instruction, which) && library.hasOptimizedCodeGen(which);
}

void spoor_global_keep(LLVMValueRef global)
{
	auto *value = cast<GlobalValue>(unwrap(global));

	appendToCompilerUsed(*value->getParent(), {value});
}

LLVMValueRef spoor_insert_if(LLVMValueRef condition, LLVMValueRef before)
{
	auto *instruction = cast<Instruction>(unwrap(before));
	MDNode *weights = MDBuilder(instruction->getContext()).createBranchWeights(1, 2000);

	return wrap(SplitBlockAndInsertIfThen(unwrap(condition), instruction, false, weights));
}

int spoor_call_may_throw(LLVMValueRef call)
{
	auto *instruction = dyn_cast<CallInst>(unwrap(call));

	return instruction && !instruction->doesNotThrow() && !instruction->isMustTailCall() &&
	       !isa<IntrinsicInst>(instruction) &&
	       (!instruction->isInlineAsm() || cast<InlineAsm>(instruction->getCalledOperand())->canThrow());
}

void spoor_call_catch(LLVMValueRef call, LLVMBasicBlockRef pad)
{
	changeToInvokeAndSplitBasicBlock(cast<CallInst>(unwrap(call)), unwrap(pad));
}

int spoor_function_has_funclets(LLVMValueRef function)
{
	auto *code = cast<Function>(unwrap(function));

	return code->hasPersonalityFn() &&
	       isScopedEHPersonality(classifyEHPersonality(code->getPersonalityFn()));
}

/* Tells if the code generator emits no code for an instruction. */
static bool emits_no_code(const Instruction &instruction)
{
	auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);

	if (!intrinsic)
		return false;
	switch (intrinsic->getIntrinsicID()) {
	case Intrinsic::lifetime_end:
	case Intrinsic::assume:
	case Intrinsic::pseudoprobe:
	case Intrinsic::experimental_noalias_scope_decl:
		return true;
	default:
		return isa<DbgInfoIntrinsic>(intrinsic);
	}
}

static Instruction *code_before(Instruction *instruction)
{
	do
		instruction = instruction->getPrevNode();
	while (instruction && emits_no_code(*instruction));
	return instruction;
}

/* The call before @last that may be a tail call: the function returns its result, @value. */
static CallInst *tail_call_before(Instruction *last, const Value *value)
{
	auto *call = dyn_cast_or_null<CallInst>(code_before(last));

	if (!call || !call->isTailCall() || isa<IntrinsicInst>(call) || call->isInlineAsm() ||
	    call->getFunction()->getFnAttribute("disable-tail-calls").getValueAsString() == "true")
		return nullptr;
	return !value || value == call ? call : nullptr;
}

/* Tells if a block only returns. Sets @phi if the returned value depends on the path. */
static bool only_returns(BasicBlock &block, ReturnInst *ret, PHINode *&phi)
{
	phi = nullptr;
	for (Instruction &instruction : block) {
		auto *merged = dyn_cast<PHINode>(&instruction);

		if (&instruction == ret || emits_no_code(instruction))
			continue;
		if (!merged || merged != ret->getReturnValue())
			return false;
		phi = merged;
	}
	return true;
}

static void part_return(BasicBlock &block, ReturnInst *ret)
{
	SmallVector<BasicBlock *, 8> before(pred_begin(&block), pred_end(&block));
	PHINode *phi;

	if (&block == &block.getParent()->getEntryBlock())
		return;
	for (BasicBlock *from : before) {
		Instruction *last = from->getTerminator();

		/* When only one predecessor is left, the phi disappears. */
		if (!only_returns(block, ret, phi))
			return;
		const Value *value = phi ? phi->getIncomingValueForBlock(from) : ret->getReturnValue();

		if (last->getNumSuccessors() == 1 && last->getOpcode() == Instruction::Br && tail_call_before(last, value))
			FoldReturnIntoUncondBranch(ret, &block, from);
	}
	if (pred_empty(&block))
		DeleteDeadBlock(&block);
}

void spoor_returns_part(LLVMValueRef function)
{
	auto *code = cast<Function>(unwrap(function));
	SmallVector<ReturnInst *, 4> returns;

	for (BasicBlock &block : *code)
		if (auto *ret = dyn_cast<ReturnInst>(block.getTerminator()))
			returns.push_back(ret);
	for (ReturnInst *ret : returns)
		part_return(*ret->getParent(), ret);
}

LLVMValueRef spoor_return_begin(LLVMValueRef value, int tails)
{
	auto *ret = cast<ReturnInst>(unwrap(value));
	BasicBlock *block = ret->getParent();
	CallInst *call = block->getTerminatingMustTailCall();

	if (!call)
		call = block->getTerminatingDeoptimizeCall();
	if (!call && tails)
		call = tail_call_before(ret, ret->getReturnValue());
	return wrap(call ? call : static_cast<Instruction *>(ret));
}

int spoor_function_has_prologue(LLVMValueRef function)
{
	return cast<Function>(unwrap(function))->hasPrologueData();
}

void spoor_function_set_prologue(LLVMValueRef function, LLVMValueRef bytes)
{
	cast<Function>(unwrap(function))->setPrologueData(cast<Constant>(unwrap(bytes)));
}
