/* SPDX-License-Identifier: MIT */
/*
 * breakpoint_x86_64.h - int3, which replaces a nop's first byte, and the state of a thread that reached
 * it. Each architecture has such a file; breakpoint.h includes the right one.
 */
#ifndef SPOOR_BREAKPOINT_X86_64_H
#define SPOOR_BREAKPOINT_X86_64_H

#include <elf.h>
#include <string.h>
#include <ucontext.h>

#define SPOOR_BREAKPOINT_MACHINE EM_X86_64
#define SPOOR_BREAKPOINT_BYTES 1u
#define INT3 0xcc

/* Returns the length of the nop at @code; 0 if it is not a known nop. */
static inline unsigned int spoor_breakpoint_nop(const uint8_t *code, size_t bytes)
{
	static const uint8_t nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	if (bytes >= sizeof(nop5) && memcmp(code, nop5, sizeof(nop5)) == 0)
		return sizeof(nop5);
	return bytes && *code == 0x90;
}

static inline bool spoor_breakpoint_is_there(uintptr_t address)
{
	return __atomic_load_n((const uint8_t *)address, __ATOMIC_RELAXED) == INT3;
}

/* Stores one byte, so a thread executes either the old or the new instruction. */
static inline void spoor_breakpoint_store(uintptr_t address, bool on, unsigned int length)
{
	__atomic_store_n((uint8_t *)address, on ? INT3 : length == 1 ? 0x90 : 0x0f, __ATOMIC_RELEASE);
}

/* The address of the breakpoint that the thread reached. */
static inline uintptr_t spoor_breakpoint_address(const ucontext_t *context)
{
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP] - 1;
}

static inline bool spoor_breakpoint_is_cause(const siginfo_t *info)
{
	return info->si_code == SI_KERNEL || info->si_code == TRAP_BRKPT;
}

/* Makes the thread continue at @address. */
static inline void spoor_breakpoint_leave(ucontext_t *context, uintptr_t address)
{
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)address;
}

/* Copies the general registers in the order of DWARF's numbers. */
static inline void spoor_breakpoint_state(const ucontext_t *context, struct sdt_state *state)
{
	static const uint8_t order[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
					 REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (unsigned int i = 0; i < sizeof(order); i++)
		state->general[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
}

static inline void spoor_breakpoint_vectors(const ucontext_t *context, struct sdt_state *state)
{
	for (unsigned int i = 0; i < 16 && context->uc_mcontext.fpregs; i++)
		memcpy(&state->vectors[i], &context->uc_mcontext.fpregs->_xmm[i], sizeof(state->vectors[i]));
}

static inline uintptr_t spoor_breakpoint_stack(const ucontext_t *context)
{
	return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}

/* The function that the dynamic linker calls for debuggers consists of a return, perhaps after a landing mark. */
static inline bool spoor_breakpoint_returns(uintptr_t address)
{
	return *(const uint8_t *)address == 0xc3;
}
static inline uintptr_t spoor_breakpoint_behind_mark(uintptr_t address)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	return memcmp((const void *)address, endbr64, sizeof(endbr64)) == 0 ? address + sizeof(endbr64) : address;
}
static inline void spoor_breakpoint_store_return(uintptr_t address, bool on)
{
	__atomic_store_n((uint8_t *)address, on ? INT3 : 0xc3, __ATOMIC_RELEASE);
}

/* Executes the return instruction that the breakpoint replaced. */
static inline void spoor_breakpoint_return(ucontext_t *context)
{
	greg_t *registers = context->uc_mcontext.gregs;

	registers[REG_RIP] = *(const greg_t *)registers[REG_RSP];
	registers[REG_RSP] += 8;
}

#endif
