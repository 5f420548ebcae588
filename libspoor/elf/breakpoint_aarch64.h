/* SPDX-License-Identifier: MIT */
/* breakpoint_aarch64.h - brk, which replaces a nop, and the state of a thread that reached it. */
#ifndef SPOOR_BREAKPOINT_AARCH64_H
#define SPOOR_BREAKPOINT_AARCH64_H

#include <asm/sigcontext.h>
#include <elf.h>
#include <string.h>
#include <ucontext.h>

#define SPOOR_BREAKPOINT_MACHINE EM_AARCH64
#define SPOOR_BREAKPOINT_BYTES 4u
#define NOP 0xd503201fu
#define BRK 0xd4200000u
#define RET 0xd65f03c0u

static inline unsigned int spoor_breakpoint_nop(const uint8_t *code, size_t bytes)
{
	uint32_t word = 0;

	if (bytes >= sizeof(word))
		memcpy(&word, code, sizeof(word));
	return word == NOP ? sizeof(word) : 0;
}

static inline bool spoor_breakpoint_is_there(uintptr_t address)
{
	return __atomic_load_n((const uint32_t *)address, __ATOMIC_RELAXED) == BRK;
}

/* The architecture allows exchanging these two instructions while other threads execute them. */
static inline void spoor_breakpoint_store(uintptr_t address, bool on, unsigned int length)
{
	(void)length;
	__atomic_store_n((uint32_t *)address, on ? BRK : NOP, __ATOMIC_RELEASE);
}

static inline uintptr_t spoor_breakpoint_address(const ucontext_t *context)
{
	return context->uc_mcontext.pc;
}

static inline bool spoor_breakpoint_is_cause(const siginfo_t *info)
{
	return info->si_code == TRAP_BRKPT;
}

static inline void spoor_breakpoint_leave(ucontext_t *context, uintptr_t address)
{
	context->uc_mcontext.pc = address;
}

static inline void spoor_breakpoint_state(const ucontext_t *context, struct sdt_state *state)
{
	memcpy(state->general, context->uc_mcontext.regs, 31 * sizeof(*state->general));
	state->general[31] = context->uc_mcontext.sp;
}

static inline void spoor_breakpoint_vectors(const ucontext_t *context, struct sdt_state *state)
{
	const char *at = (const char *)context->uc_mcontext.__reserved;
	const char *end = at + sizeof(context->uc_mcontext.__reserved);

	while ((size_t)(end - at) >= sizeof(struct fpsimd_context)) {
		const struct _aarch64_ctx *head = (const void *)at;

		if (head->magic == FPSIMD_MAGIC) {
			const struct fpsimd_context *vectors = (const void *)at;

			for (unsigned int i = 0; i < 32; i++)
				state->vectors[i] = (uint64_t)vectors->vregs[i];
			return;
		}
		if (!head->magic || !head->size)
			return;
		at += head->size;
	}
}

static inline uintptr_t spoor_breakpoint_stack(const ucontext_t *context)
{
	return context->uc_mcontext.sp;
}

static inline bool spoor_breakpoint_returns(uintptr_t address)
{
	return *(const uint32_t *)address == RET;
}
static inline uintptr_t spoor_breakpoint_behind_mark(uintptr_t address)
{
	/* bti c */
	return *(const uint32_t *)address == 0xd503245fu ? address + 4 : address;
}
static inline void spoor_breakpoint_store_return(uintptr_t address, bool on)
{
	__atomic_store_n((uint32_t *)address, on ? BRK : RET, __ATOMIC_RELEASE);
}
static inline void spoor_breakpoint_return(ucontext_t *context)
{
	context->uc_mcontext.pc = context->uc_mcontext.regs[30];
}

#endif
