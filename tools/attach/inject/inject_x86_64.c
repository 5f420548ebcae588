/* SPDX-License-Identifier: MIT */
/*
 * inject_x86_64.c - reads and sets registers of a stopped thread, and prepares calls in it.
 *
 * The kernel restarts an interrupted system call when the thread continues: it examines orig_rax and rax. While the
 * thread is borrowed, orig_rax is -1, which means "in no system call". At the end both are restored.
 */
#include "attach/inject/inject_registers.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define FLAG_TRAP 0x100u
#define FLAG_DIRECTION 0x400u
#define FLAG_ALIGNMENT 0x40000u
#define CODE_RETURNED 12	/* offset after the syscall */

const uint8_t inject_code[] = {
	0x41, 0xff, 0xd3,		/* call *%r11 */
	0x48, 0x89, 0xc3,		/* mov %rax, %rbx */
	0x6a, 0xff,			/* push $-1 */
	0x58,				/* pop %rax */
	0x90,				/* nop */
	0x0f, 0x05,			/* syscall */
	0x0f, 0x0b,			/* ud2 */
};
const size_t inject_code_bytes = sizeof(inject_code);

const uint8_t inject_system_call[] = { 0x0f, 0x05 };
const size_t inject_system_call_bytes = sizeof(inject_system_call);
const size_t inject_code_alignment = 1;

int inject_registers_get(pid_t thread, struct inject_registers *registers)
{
	struct iovec set = { registers->vector, sizeof(registers->vector) };
	int error = inject_general_get(thread, &registers->general);

	if (error < 0)
		return error;
	if (ptrace(PTRACE_GETREGSET, thread, NT_X86_XSTATE, &set) < 0)
		return -errno;
	registers->vector_bytes = set.iov_len;
	return set.iov_len < sizeof(registers->vector) ? 0 : -E2BIG;
}

int inject_registers_set(pid_t thread, const struct inject_registers *registers)
{
	struct iovec set = { (void *)(uintptr_t)registers->vector, registers->vector_bytes };

	if (ptrace(PTRACE_SETREGSET, thread, NT_X86_XSTATE, &set) < 0)
		return -errno;
	return inject_general_set(thread, &registers->general);
}

static void leave_system_call(struct user_regs_struct *general)
{
	general->orig_rax = (unsigned long long)-1;
	general->eflags &= ~(unsigned long long)(FLAG_TRAP | FLAG_DIRECTION | FLAG_ALIGNMENT);
}

void inject_prepare_call(struct user_regs_struct *general, uint64_t code, uint64_t stack, uint64_t function,
			 const uint64_t *arguments, unsigned int count)
{
	unsigned long long *const places[INJECT_ARGUMENTS_MAX] = {
		&general->rdi, &general->rsi, &general->rdx, &general->rcx, &general->r8, &general->r9,
	};

	leave_system_call(general);
	for (unsigned int i = 0; i < count; i++)
		*places[i] = arguments[i];
	general->rip = code;
	general->rsp = stack;
	general->rbp = 0;		/* end of the frame chain */
	general->rax = 0;		/* no arguments in vector registers */
	general->r11 = function;
}

void inject_prepare_system_call(struct user_regs_struct *general, uint64_t instruction, long number,
				const uint64_t *arguments, unsigned int count)
{
	unsigned long long *const places[INJECT_ARGUMENTS_MAX] = {
		&general->rdi, &general->rsi, &general->rdx, &general->r10, &general->r8, &general->r9,
	};

	leave_system_call(general);
	for (unsigned int i = 0; i < count; i++)
		*places[i] = arguments[i];
	general->rip = instruction;
	general->rax = (unsigned long long)number;
}

bool inject_has_returned(const struct user_regs_struct *general, uint64_t code)
{
	return general->rip == code + CODE_RETURNED;
}

uint64_t inject_call_result(const struct user_regs_struct *general)
{
	return general->rbx;
}

uint64_t inject_system_call_result(const struct user_regs_struct *general)
{
	return general->rax;
}

long inject_system_call_number(const struct user_regs_struct *general)
{
	return (long)general->orig_rax;
}

bool inject_is_to_restart(const struct user_regs_struct *general, const struct user_regs_struct *entry)
{
	/* ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND and ERESTART_RESTARTBLOCK, which only the kernel's headers
	 * define. */
	long long result = (long long)general->rax;

	return general->orig_rax == entry->orig_rax && ((result <= -512 && result >= -514) || result == -516);
}

uint64_t inject_program_counter(const struct user_regs_struct *general)
{
	return general->rip;
}

bool inject_in_system_call(const struct user_regs_struct *general)
{
	return (long long)general->orig_rax >= 0;
}

bool inject_restart(struct user_regs_struct *general)
{
	/* System calls that had no effect if they return EINTR. close is not one of them. */
	static const int again[] = {
		SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_semop, SYS_semtimedop, SYS_rt_sigtimedwait,
		SYS_io_getevents, SYS_io_pgetevents, SYS_accept, SYS_accept4, SYS_connect, SYS_recvfrom, SYS_recvmsg,
		SYS_recvmmsg, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_read, SYS_readv, SYS_write, SYS_writev,
		SYS_io_uring_enter,
	};

	if ((long long)general->rax != -EINTR)
		return false;
	for (size_t i = 0; i < sizeof(again) / sizeof(*again); i++) {
		if ((long long)general->orig_rax != again[i])
			continue;
		general->rip -= sizeof(inject_system_call);
		general->rax = general->orig_rax;
		return true;
	}
	return false;
}
