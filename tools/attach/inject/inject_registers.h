/* SPDX-License-Identifier: MIT */
/*
 * inject_registers.h - all registers of a stopped thread, and the calling convention of the machine. One file per
 * architecture.
 */
#ifndef SPOOR_TOOLS_INJECT_REGISTERS_H
#define SPOOR_TOOLS_INJECT_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#define INJECT_VECTOR_BYTES_MAX (64u << 10)	/* AMX needs 11 KiB today */
#define INJECT_ARGUMENTS_MAX 6u

struct inject_registers {
	struct user_regs_struct general;
	size_t vector_bytes;
	_Alignas(64) uint8_t vector[INJECT_VECTOR_BYTES_MAX];
};

/*
 * The injected code: calls the function in a way that suits shadow stacks, then makes a system call that does not
 * exist. The tracer sees that call and needs no signal.
 */
extern const uint8_t inject_code[];
extern const size_t inject_code_bytes;

/* The machine code of a system call instruction. */
extern const uint8_t inject_system_call[];
extern const size_t inject_system_call_bytes;
/* The alignment of instructions, in bytes. */
extern const size_t inject_code_alignment;

/* Reads all registers. Returns 0 or a negative errno. */
int inject_registers_get(pid_t thread, struct inject_registers *registers);
int inject_registers_set(pid_t thread, const struct inject_registers *registers);
int inject_general_get(pid_t thread, struct user_regs_struct *general);
int inject_general_set(pid_t thread, const struct user_regs_struct *general);

/* Sets registers for a call. @code: address of inject_code. @stack: end of a stack, aligned to 16. */
void inject_prepare_call(struct user_regs_struct *general, uint64_t code, uint64_t stack, uint64_t function,
			 const uint64_t *arguments, unsigned int count);

/* Sets registers for a system call. @instruction: address of a system call instruction. */
void inject_prepare_system_call(struct user_regs_struct *general, uint64_t instruction, long number,
				const uint64_t *arguments, unsigned int count);

/* At the start of a system call: returns whether inject_code made it. @code: address of inject_code. */
bool inject_has_returned(const struct user_regs_struct *general, uint64_t code);
uint64_t inject_call_result(const struct user_regs_struct *general);
uint64_t inject_system_call_result(const struct user_regs_struct *general);
/* At a stop in a system call: returns its number. */
long inject_system_call_number(const struct user_regs_struct *general);

/* Returns whether the kernel will restart the system call in which it stopped the thread. @entry: the registers at
 * the start of that call */
bool inject_is_to_restart(const struct user_regs_struct *general, const struct user_regs_struct *entry);

uint64_t inject_program_counter(const struct user_regs_struct *general);

/* Returns whether the thread may have stopped in a system call, whose instruction then precedes the program
 * counter. */
bool inject_in_system_call(const struct user_regs_struct *general);

/*
 * inject_restart - restarts a system call that returned EINTR and that the kernel does not restart (signal(7)):
 * epoll_wait, or calls on a socket with SO_RCVTIMEO.
 *
 * Returns whether the thread was in such a call.
 */
bool inject_restart(struct user_regs_struct *general);

#endif
