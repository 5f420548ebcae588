/* SPDX-License-Identifier: MIT */
/* llvm_more.cc - opens what LLVM-C keeps shut. */
#include "llvm_more.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

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

int spoor_call_is_must_tail(LLVMValueRef call)
{
	auto *instruction = dyn_cast<CallInst>(unwrap(call));

	return instruction && instruction->isMustTailCall();
}

void spoor_call_set_no_tail(LLVMValueRef call)
{
	cast<CallInst>(unwrap(call))->setTailCallKind(CallInst::TCK_NoTail);
}

LLVMValueRef spoor_insert_if(LLVMValueRef condition, LLVMValueRef before)
{
	auto *instruction = cast<Instruction>(unwrap(before));
	MDNode *weights = MDBuilder(instruction->getContext()).createBranchWeights(1, 2000);

	return wrap(SplitBlockAndInsertIfThen(unwrap(condition), instruction, false, weights));
}
