/* SPDX-License-Identifier: MIT */
/*
 * inject_registers.h - all registers of a stopped thread, and how its machine calls a
 * function. One file per architecture.
 */
#ifndef SPOOR_TOOLS_INJECT_REGISTERS_H
#define SPOOR_TOOLS_INJECT_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#define INJECT_VECTOR_BYTES_MAX (64u << 10)	/* with tiles 11 KiB so far */
#define INJECT_ARGUMENTS_MAX 6u

struct inject_registers {
	struct user_regs_struct general;
	size_t vector_bytes;
	_Alignas(64) uint8_t vector[INJECT_VECTOR_BYTES_MAX];
};

/*
 * The code that a thread is sent through: calls the function in a way that shadow
 * stacks agree with, then makes a system call that does not exist. The tracer
 * sees that one and no signal is needed.
 */
extern const uint8_t inject_code[];
extern const size_t inject_code_bytes;

/* The bytes of the machine's system call. */
extern const uint8_t inject_system_call[];
extern const size_t inject_system_call_bytes;
/* Where instructions may begin, in bytes. */
extern const size_t inject_code_alignment;

/* Return: 0 or a negative errno. */
int inject_registers_get(pid_t thread, struct inject_registers *registers);
int inject_registers_set(pid_t thread, const struct inject_registers *registers);
int inject_general_get(pid_t thread, struct user_regs_struct *general);
int inject_general_set(pid_t thread, const struct user_regs_struct *general);

/* @code: where inject_code lies. @stack: the end of one, aligned to 16. */
void inject_prepare_call(struct user_regs_struct *general, uint64_t code, uint64_t stack, uint64_t function,
			 const uint64_t *arguments, unsigned int count);

/* @instruction: where a system call's stands. */
void inject_prepare_system_call(struct user_regs_struct *general, uint64_t instruction, long number,
				const uint64_t *arguments, unsigned int count);

/* At the begin of a system call: whether it is that of inject_code, which lies at @code. */
bool inject_has_returned(const struct user_regs_struct *general, uint64_t code);
uint64_t inject_call_result(const struct user_regs_struct *general);
uint64_t inject_system_call_result(const struct user_regs_struct *general);
/* At a stop in a system call: its number. */
long inject_system_call_number(const struct user_regs_struct *general);

/* Whether the kernel is about to begin a system call anew that it was stopped in. @entry: as it was at its begin */
bool inject_is_to_restart(const struct user_regs_struct *general, const struct user_regs_struct *entry);

uint64_t inject_program_counter(const struct user_regs_struct *general);

/* Whether the thread may have been stopped in a system call, which is in front of its program
 * counter then. */
bool inject_in_system_call(const struct user_regs_struct *general);

/*
 * inject_restart - has it begin a system call anew that said EINTR, which the kernel
 * does not do by itself (signal(7)): epoll_wait, or what has SO_RCVTIMEO.
 *
 * Return: whether it was in such a one.
 */
bool inject_restart(struct user_regs_struct *general);

#endif
