/* SPDX-License-Identifier: MIT */
/* inject_notice.c - words for long waits, and the interrupts that end them. */
#include "attach/inject_notice.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "attach/frozen.h"
#include "attach/inject_thread.h"
#include "base/message.h"

#define NOTICE_NS 5000000000ll
#define INTERRUPT_NS 1000000000ll

/* Of the calling thread's operation; 0: there is none. */
static __thread int64_t begun_ns;
static __thread enum inject_purpose purpose;
static __thread bool told, told_interrupt;

static void interrupts(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGQUIT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

void inject_notice_begin(enum inject_purpose what_for)
{
	begun_ns = inject_now_ns();
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

	interrupts(&wanted);
	for (int number = 1; sigpending(&pending) == 0 && number < SIGSYS; number++)
		if (sigismember(&wanted, number) == 1 && sigismember(&pending, number) == 1)
			return true;
	return false;
}

bool inject_is_interrupted(void)
{
	if (!begun_ns || (purpose == INJECT_RESTORE && !told))
		return false;
	return inject_now_ns() - begun_ns >= INTERRUPT_NS && is_pending();
}

/* Interrupts that came before the user knew what they would do are not meant so. */
static void forget_interrupts(void)
{
	sigset_t wanted;

	interrupts(&wanted);
	while (sigtimedwait(&wanted, NULL, &(struct timespec){ 0, 0 }) > 0)
		;
}

static const char *reason(pid_t pid, pid_t thread)
{
	char state = inject_thread_state(pid, thread ? thread : pid);

	if (process_is_frozen(pid))
		return "its control group is frozen";
	if (state == 'T')
		return "it is stopped (SIGSTOP)";
	if (state == 'D')
		return "it sleeps in the kernel and cannot be interrupted (a disk, a network, swapping)";
	if (state == 'R')
		return "it seldom gets a processor (a quota, SCHED_IDLE, a busy machine)";
	if (state == 'S')
		return "it sleeps, perhaps until another thread gives a lock back";
	return "it is busy";
}

static const char *ending(enum inject_wait what)
{
	if (what == INJECT_WAIT_CALL || what == INJECT_WAIT_PUT_BACK)
		return "an interrupt counts once it has its registers back";
	return purpose == INJECT_RESTORE ? "interrupt again to leave the process as it is now" : "interrupt to give up";
}

static void tell(pid_t pid, pid_t thread, enum inject_wait what)
{
	static const char *const waits[] = {
		[INJECT_WAIT_STOP] = "stops", [INJECT_WAIT_PUT_BACK] = "stops",
		[INJECT_WAIT_CALL] = "returns from a function of libspoor.so or libc that it was made to call",
		[INJECT_WAIT_PLACE] = "", [INJECT_WAIT_OUTSIDE] = "", [INJECT_WAIT_TRACER] = "", [INJECT_WAIT_ANSWER] = "",
	};

	if (thread)
		message("process %d: waiting until thread %d %s: %s; %s", (int)pid, (int)thread, waits[what],
			reason(pid, thread), ending(what));
	else if (what == INJECT_WAIT_TRACER)
		message("process %d: waiting until process %ld (a debugger, strace or another spoor) detaches from it; %s", (int)pid,
			target_status(pid, "TracerPid", 10), ending(what));
	else if (what == INJECT_WAIT_OUTSIDE)
		message("process %d: waiting until no thread is in libspoor.so any more; %s", (int)pid, ending(what));
	else if (what == INJECT_WAIT_ANSWER)
		message("process %d: waiting until it answers: %s; %s", (int)pid, reason(pid, 0), ending(what));
	else
		message("process %d: waiting until a thread of it can be stopped outside of the dynamic loader, malloc and the "
			"like: %s; %s", (int)pid, reason(pid, 0), ending(what));
}

void inject_notice(pid_t pid, pid_t thread, enum inject_wait what)
{
	if (!begun_ns || inject_now_ns() - begun_ns < NOTICE_NS)
		return;
	if (!told) {
		if (purpose == INJECT_RESTORE)
			forget_interrupts();
		tell(pid, thread, what);
		told = true;
	} else if (!told_interrupt && (what == INJECT_WAIT_CALL || what == INJECT_WAIT_PUT_BACK) && is_pending()) {
		message("process %d: interrupted; waiting until thread %d has its registers back", (int)pid, (int)thread);
		told_interrupt = true;
	}
}
