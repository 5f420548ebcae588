/* SPDX-License-Identifier: MIT */
/* left_out.c - one function of each kind that cannot have sleds, and similar functions that can. */
#include "spoor_attributes.h"

volatile int sink;

__attribute__((naked)) void left_naked(void)
{
	__asm__("ret");
}

__attribute__((noinline)) int kept_plain(int x)
{
	return x + sink;
}

int kept_single_instruction(int x)
{
	return x;
}

/* Resolvers: of an ifunc, and clang's own for a function with several versions. */
static int (*left_resolver(void))(int)
{
	return kept_plain;
}

int by_ifunc(int x) __attribute__((ifunc("left_resolver")));

__attribute__((target_clones("avx2", "default"))) int kept_cloned(int x)
{
	return x * sink;
}

int kept_calls_clones(int x)
{
	return kept_cloned(x) + by_ifunc(x);
}

/* Calling conventions. */
#if __has_attribute(preserve_none)
__attribute__((preserve_none)) int left_preserve_none(int x)
{
	return x + sink;
}
#endif

__attribute__((preserve_all)) void left_preserve_all(int x)
{
	sink = x;
}

__attribute__((preserve_most)) void kept_preserve_most(int x)
{
	sink = x;
}

__attribute__((regcall)) int left_regcall(int x)
{
	return x + sink;
}

/* Static, because linkers take its name for a versioned one. */
__attribute__((vectorcall, used)) static int left_vectorcall(int x)
{
	return x + sink;
}

__attribute__((ms_abi)) int left_ms_abi(int x)
{
	return x + sink;
}

__attribute__((sysv_abi)) int kept_sysv_abi(int x)
{
	return x + sink;
}

__attribute__((intel_ocl_bicc)) int left_intel_ocl_bicc(int x)
{
	return x + sink;
}

__attribute__((swiftcall)) int kept_swiftcall(int x)
{
	return x + sink;
}

#pragma clang attribute push(__attribute__((target("general-regs-only"))), apply_to = function)
struct frame;
__attribute__((interrupt)) void left_interrupt(struct frame *frame)
{
	(void)frame;
	sink = 1;
}

__attribute__((no_caller_saved_registers)) int left_no_caller_saved_registers(int x)
{
	return x + sink;
}

int kept_general_regs_only(int x)
{
	return x + sink;
}
#pragma clang attribute pop

/* Attributes that exclude a function. */
__attribute__((xray_never_instrument)) int left_xray_never_instrument(int x)
{
	return x + sink;
}

SPOOR_NEVER int left_never(int x)
{
	return x + sink;
}

/* Without SPOOR_ALWAYS the compiler would inline this function and remove it. */
SPOOR_ALWAYS static int kept_always(int x)
{
	return x + sink;
}

int kept_calls_always(int x)
{
	return kept_always(x);
}

/* A name that spoor itself uses. */
int spoor_dso_left_ours(int x)
{
	return x + sink;
}

__attribute__((section(".text.spoor"))) int left_our_section(int x)
{
	return x + sink;
}

__attribute__((section(".text.other"))) int kept_other_section(int x)
{
	return x + sink;
}

/* Another kind of patchable entry, for which LLVM emits nops and no sled. */
__attribute__((patchable_function_entry(4))) int left_patchable_entry(int x)
{
	return x + sink;
}

/* The function has no instruction, so there is no place for a sled. */
void left_no_code(void)
{
	__builtin_unreachable();
}

#ifdef __OPTIMIZE__
/* With -g the function has a record of its argument, which is no instruction. */
void left_no_code_but_a_variable(int x)
{
	(void)x;
	__builtin_unreachable();
}
#endif

void kept_no_return(void)
{
	for (;;)
		sink++;
}

/* A body that the compiler may use, of a function that is defined in another unit. */
extern inline __attribute__((gnu_inline)) int left_elsewhere(int x)
{
	return kept_plain(x) + 1;
}

int kept_calls_elsewhere(int x)
{
	return left_elsewhere(x);
}
