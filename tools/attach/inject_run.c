/* SPDX-License-Identifier: MIT */
/*
 * inject_run.c - has a stopped thread make system calls and call functions, and waits until it has.
 *
 * A call has no time limit: what it has locked would stay locked. The one exception is a call that does nothing but wait
 * for a lock, inject_probe.
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "attach/inject.h"
#include "attach/inject_hold.h"
#include "attach/inject_notice.h"
#include "attach/inject_thread.h"
#include "attach/inject_undertaker.h"

#define LOOK_NS 10000000
#define LOOK_MOST_NS 20000000	/* what one look may count for: ours may have been late */

/* The other threads stand still for so long while a call has a processor, or sleeps; or for so long by the clock. */
#define HOLD_OWN_NS 1000000000
#define HOLD_NS 5000000000

/*
 * How long a probe waits for a lock, and then with all other threads held. A thread that has the lock and computes
 * needs some microseconds; the kernel counts time in user mode in steps of 10 ms.
 */
#define PROBE_SLEEP_NS 500000000
#define PROBE_HELD_SLEEP_NS 200000000
#define PROBE_SPIN_NS 20000000
#define PROBE_HELD_SPIN_NS 60000000

/* What a thread does for us. */
struct running {
	struct inject *inject;
	bool calls;		/* a function, by inject_code; else one system call */
	bool in_system_call, returned;
	long number;		/* of the system call that it is in */
	struct user_regs_struct entry;	/* as it was at the begin of that */
	int64_t looked_ns;
	int64_t held_ns;	/* when the others were held */
	/* Time that it has slept for a lock, and spent in user mode; as it was when the others were held; and its limit. */
	struct own { int64_t slept_ns, user_ns; } own, held, most;
};

static const struct own no_limit = { NO_DEADLINE, NO_DEADLINE };

/* How a lock is waited for in the kernel. */
static bool waits_for_locks(long number)
{
	return number == SYS_futex || number == SYS_nanosleep || number == SYS_clock_nanosleep || number == SYS_sched_yield;
}

/*
 * Adds the time since the last look, unless the thread had no processor in it and wanted one: a thread that gets none
 * may hold a lock, one that sleeps in futex(2) or spins waits for one.
 */
static void look(struct running *running)
{
	struct inject *inject = running->inject;
	int64_t now_ns = inject_now_ns(), since_ns = now_ns - running->looked_ns;
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

/* Return: 0, -ESRCH, or -ETIMEDOUT if its own time is over. */
static int wait_for_stop(struct running *running, int *status)
{
	int error;

	do {
		error = inject_wait_stop(&running->inject->at, inject_now_ns() + LOOK_NS, status);
		if (error == -ETIMEDOUT)
			look(running);
	} while (error == -ETIMEDOUT && running->own.slept_ns <= running->most.slept_ns &&
		 running->own.user_ns <= running->most.user_ns);
	return error;
}

/* Whether the SIGTRAP that the thread has stopped for is of a breakpoint that the process handles itself. */
static bool handles_breakpoint(const struct inject *inject)
{
	uint64_t caught = (uint64_t)target_status(inject->at.pid, "SigCgt", 16);
	siginfo_t what;

	return ptrace(PTRACE_GETSIGINFO, inject->at.thread, NULL, &what) == 0 &&
	       (what.si_code == SI_KERNEL || what.si_code == TRAP_BRKPT) && caught >> (SIGTRAP - 1) & 1;
}

/*
 * Lets the thread go on to its next stop in a system call. What can be held back of
 * its signals is; faults come here.
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
		/* A breakpoint of the process's own, as libspoor.so's, is met as always. */
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
	return set.iov_len == sizeof(*general) ? 0 : -ENOEXEC;	/* a thread in 32-bit code has fewer */
}

int inject_general_set(pid_t thread, const struct user_regs_struct *general)
{
	struct iovec set = { (void *)(uintptr_t)general, sizeof(*general) };

	return ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &set) < 0 ? -errno : 0;
}

/* Lets it run until the system call at its beginning, or @code's own, is over; or for its own time: -ETIMEDOUT. */
static int go_on(struct running *running, struct user_regs_struct *end)
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

/* From now on. */
static void limit(struct running *running, const struct own *most)
{
	running->most = no_limit;
	if (most->slept_ns == NO_DEADLINE)
		return;
	running->most.slept_ns = running->own.slept_ns + most->slept_ns;
	running->most.user_ns = running->own.user_ns + most->user_ns;
}

static int begin(struct running *running, struct inject *inject, const struct user_regs_struct *from, bool calls,
		 const struct own *most)
{
	int error = inject_general_set(inject->at.thread, from);

	*running = (struct running){ .inject = inject, .calls = calls };
	running->held_ns = running->looked_ns = inject_now_ns();
	inject_thread_times(inject->at.pid, inject->at.thread, &running->own.user_ns);
	running->held = running->own;
	limit(running, most);
	inject->at.changed |= error == 0;
	return error;
}

int inject_system_call_in(struct inject *inject, long number, const uint64_t *arguments, unsigned int count, int64_t *result)
{
	struct user_regs_struct general = inject->saved.general;
	struct running running;
	int error;

	inject_prepare_system_call(&general, inject->system_call, number, arguments, count);
	error = begin(&running, inject, &general, false, &no_limit);
	if (error == 0)
		error = go_on(&running, &general);
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
	return begin(running, inject, &general, true, most);
}

int inject_run(struct inject *inject, uint64_t function, const uint64_t *arguments, unsigned int count, uint64_t *result)
{
	struct user_regs_struct general;
	struct running running;
	int error = begin_call(&running, inject, function, arguments, count, &no_limit);

	if (error == 0)
		error = go_on(&running, &general);
	if (error == 0 && result)
		*result = inject_call_result(&general);
	return error;
}

/*
 * The probe has waited for long with all other threads held: stops it. Return: 1 if it holds no lock, 0 if it may have
 * got one at last, or a negative errno.
 */
static int take_back(struct running *running)
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
	/* A wake-up that it has taken would be lost for the next one in the queue. */
	return !slept || inject_is_to_restart(&general, &running->entry);
}

/*
 * A probe that has waited for some time waits on with all other threads held. Return: 0 if it has returned now,
 * -ETIMEDOUT if it was stopped without a lock, -EAGAIN if it runs on with all others, or another negative errno.
 */
static int wait_held(struct running *running, struct user_regs_struct *end)
{
	static const struct own most = { PROBE_HELD_SLEEP_NS, PROBE_HELD_SPIN_NS };
	struct inject *inject = running->inject;
	int error;

	inject_undertaker_begin(inject);
	/* Not held, it runs on: it cannot be told from one that has just got the lock. */
	inject_hold(inject);
	running->held_ns = inject_now_ns();
	running->held = running->own;
	limit(running, &most);
	error = go_on(running, end);
	if (error == -ETIMEDOUT) {
		int taken = inject_is_holding(inject) ? take_back(running) : 0;

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
		error = go_on(&running, &general);
		if (error == -ETIMEDOUT)
			error = wait_held(&running, &general);
		if (error != -EAGAIN)
			break;
		limit(&running, &most);
	}
	if (error == 0 && result)
		*result = inject_call_result(&general);
	return error;
}
