/* SPDX-License-Identifier: MIT */
/* inject_notice.c - prints messages about long waits, and detects the interrupts that end them. */
#include "attach/inject/inject_notice.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "attach/frozen.h"
#include "attach/inject/inject_thread.h"
#include "base/message.h"
#include "base/system/monotonic.h"

#define NOTICE_NS 5000000000ll
#define INTERRUPT_NS 1000000000ll

/* When the calling thread's operation began; 0: no operation. */
static __thread int64_t begun_ns;
static __thread enum inject_purpose purpose;
static __thread bool told, told_interrupt;

static void interrupt_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGQUIT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

void inject_notice_begin(enum inject_purpose what_for)
{
	begun_ns = monotonic_ns();
	purpose = what_for;
	told = told_interrupt = false;
}

void inject_notice_restore(void)
{
	if (begun_ns)
		inject_notice_begin(INJECT_RESTORE);
}

static bool is_pending(void)
{
	sigset_t wanted, pending;

	interrupt_signals(&wanted);
	for (int number = 1; sigpending(&pending) == 0 && number < SIGSYS; number++)
		if (sigismember(&wanted, number) == 1 && sigismember(&pending, number) == 1)
			return true;
	return false;
}

bool inject_is_interrupted(void)
{
	if (!begun_ns || (purpose == INJECT_RESTORE && !told))
		return false;
	return monotonic_ns() - begun_ns >= INTERRUPT_NS && is_pending();
}

/* Drops interrupts that the user sent before the message explained their effect. */
static void forget_interrupts(void)
{
	sigset_t wanted;

	interrupt_signals(&wanted);
	while (sigtimedwait(&wanted, NULL, &(struct timespec){ 0, 0 }) > 0)
		;
}

static const char *describe_state(pid_t pid, pid_t thread)
{
	char state = inject_thread_state(pid, thread ? thread : pid);

	if (process_is_frozen(pid))
		return "its control group is frozen: thaw it";
	if (state == 'T')
		return "the thread is stopped (SIGSTOP)";
	if (state == 'D')
		return "the thread sleeps in the kernel and cannot be interrupted (a disk, a network, swapping)";
	if (state == 'R')
		return "the thread rarely gets a processor (a quota, SCHED_IDLE, a busy machine)";
	if (state == 'S')
		return "the thread sleeps, perhaps until another thread releases a lock";
	return "the thread is busy";
}

static const char *describe_interrupt(enum inject_wait what)
{
	if (what == INJECT_WAIT_CALL || what == INJECT_WAIT_PUT_BACK)
		return "an interrupt takes effect when the thread has its registers back";
	return purpose == INJECT_RESTORE ? "interrupt again to leave the process in its present state"
					 : "interrupt to give up";
}

static void print_wait(pid_t pid, pid_t thread, enum inject_wait what)
{
	static const char *const waits[] = {
		[INJECT_WAIT_STOP] = "stops", [INJECT_WAIT_PUT_BACK] = "stops",
		[INJECT_WAIT_CALL] = "returns from a function of libspoor.so or libc that spoor called in it",
		[INJECT_WAIT_PLACE] = "", [INJECT_WAIT_OUTSIDE] = "", [INJECT_WAIT_TRACER] = "", [INJECT_WAIT_ANSWER] = "",
	};

	if (thread)
		message("process %d: waiting until thread %d %s: %s; %s", (int)pid, (int)thread, waits[what],
			describe_state(pid, thread), describe_interrupt(what));
	else if (what == INJECT_WAIT_TRACER)
		message("process %d: waiting until process %ld (a debugger, strace or another spoor) detaches; %s",
			(int)pid,
			target_status(pid, "TracerPid", 10), describe_interrupt(what));
	else if (what == INJECT_WAIT_OUTSIDE)
		message("process %d: waiting until all threads have left libspoor.so; %s", (int)pid, describe_interrupt(what));
	else if (what == INJECT_WAIT_ANSWER)
		message("process %d: waiting for its answer: %s; %s", (int)pid, describe_state(pid, 0), describe_interrupt(what));
	else
		message("process %d: waiting until a thread can be stopped outside the dynamic loader, malloc and "
			"similar code: %s; %s", (int)pid, describe_state(pid, 0), describe_interrupt(what));
}

void inject_notice(pid_t pid, pid_t thread, enum inject_wait what)
{
	if (!begun_ns || monotonic_ns() - begun_ns < NOTICE_NS)
		return;
	if (!told) {
		if (purpose == INJECT_RESTORE)
			forget_interrupts();
		print_wait(pid, thread, what);
		told = true;
	} else if (!told_interrupt && (what == INJECT_WAIT_CALL || what == INJECT_WAIT_PUT_BACK) && is_pending()) {
		message("process %d: interrupted; waiting until thread %d has its registers back", (int)pid, (int)thread);
		told_interrupt = true;
	}
}
