/* SPDX-License-Identifier: MIT */
/*
 * inject_run.c - makes system calls and function calls in a stopped thread, and waits for them.
 *
 * A call has no time limit, because an abandoned call could keep a lock. The exception is inject_probe, a call that
 * only waits for a lock.
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "attach/inject/inject.h"
#include "attach/inject/inject_hold.h"
#include "attach/inject/inject_notice.h"
#include "attach/inject/inject_thread.h"
#include "attach/inject/inject_undertaker.h"
#include "base/system/monotonic.h"

#define LOOK_NS 10000000
#define LOOK_MOST_NS 20000000	/* most time that one look adds, because our own look may be late */

/* Limits for holding the other threads: time in which the call has a processor or sleeps, and time by the clock. */
#define HOLD_OWN_NS 1000000000
#define HOLD_NS 5000000000

/*
 * How long a probe waits for a lock, first normally and then with all other threads held. A thread that computes with
 * the lock needs some microseconds; the kernel counts user time in steps of 10 ms.
 */
#define PROBE_SLEEP_NS 500000000
#define PROBE_HELD_SLEEP_NS 200000000
#define PROBE_SPIN_NS 20000000
#define PROBE_HELD_SPIN_NS 60000000

/* A call that runs in the borrowed thread. */
struct running {
	struct inject *inject;
	bool calls;		/* true: a function, by inject_code; false: one system call */
	bool in_system_call, returned;
	long number;		/* of the current system call */
	struct user_regs_struct entry;	/* the registers at the start of that call */
	int64_t looked_ns;
	int64_t held_ns;	/* when holding the others started */
	/* Time in which the thread slept for a lock, and user time: now, at the start of holding, and the limit. */
	struct own { int64_t slept_ns, user_ns; } own, held, most;
};

static const struct own no_limit = { NO_DEADLINE, NO_DEADLINE };

/* Returns whether threads wait for locks in this system call. */
static bool waits_for_locks(long number)
{
	return number == SYS_futex || number == SYS_nanosleep || number == SYS_clock_nanosleep || number == SYS_sched_yield;
}

/*
 * Adds the time since the last look, except time in which the thread was ready and had no processor: such a thread
 * may hold a lock. A thread that sleeps in futex(2) or spins waits for a lock.
 */
static void add_elapsed_time(struct running *running)
{
	struct inject *inject = running->inject;
	int64_t now_ns = monotonic_ns(), since_ns = now_ns - running->looked_ns;
	char state = inject_thread_times(inject->at.pid, inject->at.thread, &running->own.user_ns);

	running->looked_ns = now_ns;
	if (state == 'S' && running->in_system_call && waits_for_locks(running->number))
		running->own.slept_ns += since_ns < LOOK_MOST_NS ? since_ns : LOOK_MOST_NS;
	if (inject->hold && (running->own.slept_ns - running->held.slept_ns > HOLD_OWN_NS ||
			     running->own.user_ns - running->held.user_ns > HOLD_OWN_NS ||
			     now_ns - running->held_ns > HOLD_NS))
		inject_hold_release(inject);
	inject_notice(inject->at.pid, inject->at.thread, INJECT_WAIT_CALL);
}

/* Returns 0, -ESRCH, or -ETIMEDOUT if the thread's own time limit is reached. */
static int wait_for_stop(struct running *running, int *status)
{
	int error;

	do {
		error = inject_wait_stop(&running->inject->at, monotonic_ns() + LOOK_NS, status);
		if (error == -ETIMEDOUT)
			add_elapsed_time(running);
	} while (error == -ETIMEDOUT && running->own.slept_ns <= running->most.slept_ns &&
		 running->own.user_ns <= running->most.user_ns);
	return error;
}

/* Returns whether the process itself handles the breakpoint at which the thread stopped. */
static bool handles_breakpoint(const struct inject *inject)
{
	uint64_t caught = (uint64_t)target_status(inject->at.pid, "SigCgt", 16);
	siginfo_t what;

	return ptrace(PTRACE_GETSIGINFO, inject->at.thread, NULL, &what) == 0 &&
	       (what.si_code == SI_KERNEL || what.si_code == TRAP_BRKPT) && caught >> (SIGTRAP - 1) & 1;
}

/*
 * Continues the thread until its next stop in a system call. Signals stay blocked if they can be blocked; faults
 * arrive here.
 */
static int next_system_call_stop(struct running *running)
{
	struct inject *inject = running->inject;
	int status, error;

	for (;;) {
		error = inject->at.stopped ? inject_resume(&inject->at, PTRACE_SYSCALL, inject->at.signal) : 0;
		if (error == 0)
			error = wait_for_stop(running, &status);
		if (error < 0)
			return error;
		if (WSTOPSIG(status) == SYSTEM_CALL_STOP)
			return 0;
		if (status >> 16)
			continue;
		/* The process handles its own breakpoints, such as those of libspoor.so, as usual. */
		if (WSTOPSIG(status) == SIGTRAP && handles_breakpoint(inject)) {
			inject->at.signal = SIGTRAP;
			continue;
		}
		if (WSTOPSIG(status) != SIGSTOP)
			return -EFAULT;
		inject->at.stop_wanted = true;
	}
}

int inject_general_get(pid_t thread, struct user_regs_struct *general)
{
	struct iovec set = { general, sizeof(*general) };

	if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &set) < 0)
		return -errno;
	return set.iov_len == sizeof(*general) ? 0 : -ENOEXEC;	/* 32-bit code has fewer registers */
}

int inject_general_set(pid_t thread, const struct user_regs_struct *general)
{
	struct iovec set = { (void *)(uintptr_t)general, sizeof(*general) };

	return ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &set) < 0 ? -errno : 0;
}

/* Continues the thread until the given system call, or the one at the end of inject_code, is complete. Returns
 * -ETIMEDOUT at the thread's own time limit. */
static int continue_to_end(struct running *running, struct user_regs_struct *end)
{
	struct inject *inject = running->inject;

	for (;;) {
		int error = next_system_call_stop(running);

		if (error < 0)
			return error;
		running->in_system_call = !running->in_system_call;
		if (!running->in_system_call && running->returned)
			return inject_general_get(inject->at.thread, end);
		if (!running->in_system_call)
			continue;
		error = inject_general_get(inject->at.thread, &running->entry);
		if (error < 0)
			return error;
		running->number = inject_system_call_number(&running->entry);
		running->returned = !running->calls || inject_has_returned(&running->entry, inject->code);
	}
}

/* Sets the time limit, counted from now. */
static void set_limit(struct running *running, const struct own *most)
{
	running->most = no_limit;
	if (most->slept_ns == NO_DEADLINE)
		return;
	running->most.slept_ns = running->own.slept_ns + most->slept_ns;
	running->most.user_ns = running->own.user_ns + most->user_ns;
}

static int begin_run(struct running *running, struct inject *inject, const struct user_regs_struct *from, bool calls,
		     const struct own *most)
{
	int error = inject_general_set(inject->at.thread, from);

	*running = (struct running){ .inject = inject, .calls = calls };
	running->held_ns = running->looked_ns = monotonic_ns();
	inject_thread_times(inject->at.pid, inject->at.thread, &running->own.user_ns);
	running->held = running->own;
	set_limit(running, most);
	inject->at.changed |= error == 0;
	return error;
}

int inject_system_call_in(struct inject *inject, long number, const uint64_t *arguments, unsigned int count, int64_t *result)
{
	struct user_regs_struct general = inject->saved.general;
	struct running running;
	int error;

	inject_prepare_system_call(&general, inject->system_call, number, arguments, count);
	error = begin_run(&running, inject, &general, false, &no_limit);
	if (error == 0)
		error = continue_to_end(&running, &general);
	if (error < 0)
		return error;
	*result = (int64_t)inject_system_call_result(&general);
	return *result < 0 && *result > -4096 ? (int)*result : 0;
}

static int begin_call(struct running *running, struct inject *inject, uint64_t function, const uint64_t *arguments,
		      unsigned int count, const struct own *most)
{
	struct user_regs_struct general = inject->saved.general;

	if (count > INJECT_ARGUMENTS_MAX)
		return -E2BIG;
	inject_prepare_call(&general, inject->code, inject_room(inject), function, arguments, count);
	return begin_run(running, inject, &general, true, most);
}

int inject_run(struct inject *inject, uint64_t function, const uint64_t *arguments, unsigned int count, uint64_t *result)
{
	struct user_regs_struct general;
	struct running running;
	int error = begin_call(&running, inject, function, arguments, count, &no_limit);

	if (error == 0)
		error = continue_to_end(&running, &general);
	if (error == 0 && result)
		*result = inject_call_result(&general);
	return error;
}

/*
 * Stops a probe that waited long while all other threads were held. Returns 1 if it holds no lock, 0 if it may have
 * got the lock in the end, or a negative errno.
 */
static int stop_probe(struct running *running)
{
	struct inject *inject = running->inject;
	bool slept = running->in_system_call && running->number == SYS_futex;
	struct user_regs_struct general;
	int error = inject_stop(&inject->at, false, NO_DEADLINE);

	if (error == 0)
		error = inject_general_get(inject->at.thread, &general);
	if (error < 0)
		return error;
	running->in_system_call = false;
	/* If the thread took a wake-up, another waiting thread would miss it. */
	return !slept || inject_is_to_restart(&general, &running->entry);
}

/*
 * Holds all other threads while a probe continues to wait. Returns 0 if the probe has returned, -ETIMEDOUT if it was
 * stopped without a lock, -EAGAIN if it runs on with all other threads, or another negative errno.
 */
static int wait_with_held_threads(struct running *running, struct user_regs_struct *end)
{
	static const struct own most = { PROBE_HELD_SLEEP_NS, PROBE_HELD_SPIN_NS };
	struct inject *inject = running->inject;
	int error;

	inject_undertaker_begin(inject);
	/* If holding fails, the probe runs on: it cannot be distinguished from a probe that just got the lock. */
	inject_hold(inject);
	running->held_ns = monotonic_ns();
	running->held = running->own;
	set_limit(running, &most);
	error = continue_to_end(running, end);
	if (error == -ETIMEDOUT) {
		int taken = inject_is_holding(inject) ? stop_probe(running) : 0;

		error = taken < 0 ? taken : taken ? -ETIMEDOUT : -EAGAIN;
	}
	inject_hold_release(inject);
	inject_undertaker_end(inject);
	return error;
}

int inject_probe(struct inject *inject, uint64_t function, const uint64_t *arguments, unsigned int count, uint64_t *result)
{
	static const struct own most = { PROBE_SLEEP_NS, PROBE_SPIN_NS };
	struct user_regs_struct general;
	struct running running;
	int error = begin_call(&running, inject, function, arguments, count, &most);

	if (error < 0)
		return error;
	for (;;) {
		error = continue_to_end(&running, &general);
		if (error == -ETIMEDOUT)
			error = wait_with_held_threads(&running, &general);
		if (error != -EAGAIN)
			break;
		set_limit(&running, &most);
	}
	if (error == 0 && result)
		*result = inject_call_result(&general);
	return error;
}
