/* SPDX-License-Identifier: MIT */
/*
 * inject_aarch64.c - registers of a stopped thread, and calls in it.
 *
 * A system call that was interrupted, and is to be restarted, has been undone by the kernel
 * before the thread stops: the program counter is at its svc and x0 what it was. So nothing more
 * than the registers is to be put back. A sleep that had a while to go begins anew, for the
 * kernel remembers what was left of it only where the program counter has not been
 * anywhere else.
 */
#include "attach/inject_registers.h"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#ifndef NT_ARM_SVE
#define NT_ARM_SVE 0x405
#endif

#define CODE_RETURNED 16	/* behind the svc */

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

/* The scalable registers contain the others, where there are any: never in so few bytes. */
static int vector_set(size_t bytes)
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

	if (ptrace(PTRACE_SETREGSET, thread, vector_set(registers->vector_bytes), &set) < 0)
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
	general->regs[29] = 0;		/* where frames end */
	general->regs[30] = 0;
	general->regs[17] = function;
	general->pstate &= 0xf0000000;	/* no landing pad is expected, no step is under way */
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

/* The kernel has moved the program counter back to the svc before the thread stops. */
bool inject_is_to_restart(const struct user_regs_struct *general, const struct user_regs_struct *entry)
{
	return general->pc == entry->pc - inject_system_call_bytes;
}

uint64_t inject_program_counter(const struct user_regs_struct *general)
{
	return general->pc;
}

/* Not known. What is in front of the program counter tells, and may be asked in any case. */
bool inject_in_system_call(const struct user_regs_struct *general)
{
	(void)general;
	return true;
}

/* Only the kernel knows what x0 was before the result came. */
bool inject_restart(struct user_regs_struct *general)
{
	(void)general;
	return false;
}
