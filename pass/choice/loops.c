/* SPDX-License-Identifier: MIT */
/* loops.c - finds out whether a function has loops. */
#include "pass/choice/loops.h"

#include <stdlib.h>
#include <string.h>

enum state { UNSEEN, ON_THE_WAY, DONE };

struct block {
	LLVMBasicBlockRef block;
	enum state state;
};

struct step {
	struct block *at;
	unsigned next;	/* index of the next successor */
};

static int compare(const void *left, const void *right)
{
	const struct block *a = left, *b = right;

	return (a->block > b->block) - (a->block < b->block);
}

static struct block *find(struct block *blocks, unsigned count, LLVMBasicBlockRef wanted)
{
	struct block key = {wanted, UNSEEN};

	return bsearch(&key, blocks, count, sizeof *blocks, compare);
}

/* Searches depth first. An edge to a block on the current path is a loop. */
static bool find_loop(struct block *blocks, unsigned count, struct step *steps, LLVMBasicBlockRef entry)
{
	unsigned depth = 1;

	steps[0] = (struct step){find(blocks, count, entry), 0};
	steps[0].at->state = ON_THE_WAY;
	while (depth) {
		struct step *step = &steps[depth - 1];
		LLVMValueRef last = LLVMGetBasicBlockTerminator(step->at->block);
		struct block *next;

		if (step->next == LLVMGetNumSuccessors(last)) {
			step->at->state = DONE;
			depth--;
			continue;
		}
		next = find(blocks, count, LLVMGetSuccessor(last, step->next++));
		if (next->state == ON_THE_WAY)
			return true;
		if (next->state == UNSEEN) {
			next->state = ON_THE_WAY;
			steps[depth++] = (struct step){next, 0};
		}
	}
	return false;
}

bool loops_are_in(LLVMValueRef function)
{
	unsigned count = LLVMCountBasicBlocks(function), i = 0;
	struct block *blocks = malloc(count * sizeof *blocks);
	struct step *steps = malloc(count * sizeof *steps);
	LLVMBasicBlockRef block;
	bool found = true;

	if (blocks && steps) {
		for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
			blocks[i++] = (struct block){block, UNSEEN};
		qsort(blocks, count, sizeof *blocks, compare);
		found = find_loop(blocks, count, steps, LLVMGetEntryBasicBlock(function));
	}
	free(blocks);
	free(steps);
	return found;
}
