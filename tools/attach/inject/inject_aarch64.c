/* SPDX-License-Identifier: MIT */
/*
 * inject_aarch64.c - reads and sets registers of a stopped thread, and prepares calls in it.
 *
 * The kernel rewinds an interrupted system call that it will restart before the thread stops: the program counter is
 * at the svc instruction, and x0 has its first value. So only the registers must be restored. A sleep starts again
 * with its full time, because the kernel keeps the remaining time only if the program counter did not change.
 */
#include "attach/inject/inject_registers.h"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#ifndef NT_ARM_SVE
#define NT_ARM_SVE 0x405
#endif

#define CODE_RETURNED 16	/* offset after the svc */

const uint8_t inject_code[] = {
	0x20, 0x02, 0x3f, 0xd6,		/* blr x17 */
	0xf3, 0x03, 0x00, 0xaa,		/* mov x19, x0 */
	0x08, 0x00, 0x80, 0x92,		/* mov x8, #-1 */
	0x01, 0x00, 0x00, 0xd4,		/* svc #0 */
	0x00, 0x00, 0x00, 0x00,		/* udf #0 */
};
const size_t inject_code_bytes = sizeof(inject_code);

const uint8_t inject_system_call[] = { 0x01, 0x00, 0x00, 0xd4 };
const size_t inject_system_call_bytes = sizeof(inject_system_call);
const size_t inject_code_alignment = 4;

/* SVE registers include the others, if the machine has them; they always need more bytes. */
static int choose_vector_set(size_t bytes)
{
	return bytes == sizeof(struct user_fpsimd_struct) ? NT_PRFPREG : NT_ARM_SVE;
}

int inject_registers_get(pid_t thread, struct inject_registers *registers)
{
	struct iovec set = { registers->vector, sizeof(registers->vector) };
	int error = inject_general_get(thread, &registers->general);

	if (error < 0)
		return error;
	if (ptrace(PTRACE_GETREGSET, thread, NT_ARM_SVE, &set) < 0) {
		set.iov_len = sizeof(struct user_fpsimd_struct);
		if (ptrace(PTRACE_GETREGSET, thread, NT_PRFPREG, &set) < 0)
			return -errno;
	}
	registers->vector_bytes = set.iov_len;
	return set.iov_len < sizeof(registers->vector) ? 0 : -E2BIG;
}

int inject_registers_set(pid_t thread, const struct inject_registers *registers)
{
	struct iovec set = { (void *)(uintptr_t)registers->vector, registers->vector_bytes };

	if (ptrace(PTRACE_SETREGSET, thread, choose_vector_set(registers->vector_bytes), &set) < 0)
		return -errno;
	return inject_general_set(thread, &registers->general);
}

void inject_prepare_call(struct user_regs_struct *general, uint64_t code, uint64_t stack, uint64_t function,
			 const uint64_t *arguments, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		general->regs[i] = arguments[i];
	general->pc = code;
	general->sp = stack;
	general->regs[29] = 0;		/* end of the frame chain */
	general->regs[30] = 0;
	general->regs[17] = function;
	general->pstate &= 0xf0000000;	/* no landing pad expected, no single step pending */
}

void inject_prepare_system_call(struct user_regs_struct *general, uint64_t instruction, long number,
				const uint64_t *arguments, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		general->regs[i] = arguments[i];
	general->pc = instruction;
	general->regs[8] = (unsigned long long)number;
	general->pstate &= 0xf0000000;
}

bool inject_has_returned(const struct user_regs_struct *general, uint64_t code)
{
	return general->pc == code + CODE_RETURNED;
}

uint64_t inject_call_result(const struct user_regs_struct *general)
{
	return general->regs[19];
}

uint64_t inject_system_call_result(const struct user_regs_struct *general)
{
	return general->regs[0];
}

long inject_system_call_number(const struct user_regs_struct *general)
{
	return (long)general->regs[8];
}

/* The kernel moves the program counter back to the svc before the thread stops. */
bool inject_is_to_restart(const struct user_regs_struct *general, const struct user_regs_struct *entry)
{
	return general->pc == entry->pc - inject_system_call_bytes;
}

uint64_t inject_program_counter(const struct user_regs_struct *general)
{
	return general->pc;
}

/* Unknown here. The caller examines the instruction before the program counter in any case. */
bool inject_in_system_call(const struct user_regs_struct *general)
{
	(void)general;
	return true;
}

/* Only the kernel knows the value of x0 before the result. */
bool inject_restart(struct user_regs_struct *general)
{
	(void)general;
	return false;
}
