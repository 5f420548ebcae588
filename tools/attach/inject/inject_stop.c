/* SPDX-License-Identifier: MIT */
/* inject_stop.c - stops and releases threads of another process without effects that the threads notice. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/inject/inject.h"
#include "attach/inject/inject_notice.h"
#include "attach/inject/inject_thread.h"
#include "base/system/monotonic.h"

#define PAUSE_NS 500000
#define ASK_AGAIN_NS 20000000

int inject_resume(struct inject_thread *at, int how, int signal_number)
{
	at->stopped = false;
	at->signal = 0;
	return ptrace(how, at->thread, NULL, (long)signal_number) < 0 ? -errno : 0;
}

static bool is_end(const siginfo_t *what)
{
	return what->si_code == CLD_EXITED || what->si_code == CLD_KILLED || what->si_code == CLD_DUMPED;
}

/* Returns whether the thread is the first one of our own child. The end of a child is left to the code that started
 * it. */
static bool is_child(pid_t thread)
{
	return target_status(thread, "PPid", 10) == getpid() && target_status(thread, "Tgid", 10) == thread;
}

/* Like waitpid(2) with WNOHANG, but leaves the end of our own child unreaped. */
static pid_t poll_thread(pid_t thread, int *status)
{
	siginfo_t what = { 0 };

	if (waitid(P_PID, (id_t)thread, &what, WEXITED | WSTOPPED | WNOWAIT | WNOHANG | __WALL) < 0)
		return -1;
	if (!what.si_pid)
		return 0;
	return is_end(&what) && is_child(thread) ? -1 : waitpid(thread, status, __WALL | WNOHANG);
}

bool inject_reap(pid_t thread)
{
	siginfo_t what = { 0 };

	if (waitid(P_PID, (id_t)thread, &what, WEXITED | WNOWAIT | WNOHANG | __WALL) < 0)
		return false;
	/* waitid also reports stops of traced threads. These are ignored here. */
	if (!what.si_pid || !is_end(&what))
		return true;
	if (!is_child(thread))
		waitid(P_PID, (id_t)thread, &what, WEXITED | WNOHANG | __WALL);
	return false;
}

int inject_wait_stop(struct inject_thread *at, int64_t deadline_ns, int *status)
{
	struct timespec pause = { 0, 10000 };
	pid_t got;

	while ((got = poll_thread(at->thread, status)) == 0) {
		if (monotonic_ns() > deadline_ns)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < PAUSE_NS)
			pause.tv_nsec *= 2;
	}
	if (got < 0 || !WIFSTOPPED(*status))
		return -ESRCH;
	at->stopped = true;
	return 0;
}

/* Decides whether to continue waiting for a stop. Returns 0, -ETIMEDOUT or -EINTR. */
static int check_deadline(const struct inject_thread *at, int64_t deadline_ns)
{
	if (monotonic_ns() > deadline_ns)
		return -ETIMEDOUT;
	if (deadline_ns != NO_DEADLINE)
		return 0;
	inject_notice(at->pid, at->thread, at->changed ? INJECT_WAIT_PUT_BACK : INJECT_WAIT_STOP);
	return !at->changed && inject_is_interrupted() ? -EINTR : 0;
}

int inject_stop(struct inject_thread *at, bool asked, int64_t deadline_ns)
{
	int status, error;

	for (;;) {
		int64_t look_ns = monotonic_ns() + ASK_AGAIN_NS;

		/* Any other stop replaces the requested one, and an execve(2) makes the kernel forget the request. */
		if (!asked && ptrace(PTRACE_INTERRUPT, at->thread, NULL, NULL) < 0)
			return -errno;
		asked = false;
		error = at->stopped ? inject_resume(at, PTRACE_CONT, at->signal) : 0;
		if (error == 0)
			error = inject_wait_stop(at, look_ns < deadline_ns ? look_ns : deadline_ns, &status);
		if (error == -ETIMEDOUT) {
			error = check_deadline(at, deadline_ns);
			if (error < 0)
				return error;
			continue;
		}
		if (error < 0 || status >> 16 == PTRACE_EVENT_STOP)
			return error;
		/* The thread has received a signal of its own, and its handler must run. */
		at->signal = status >> 16 || WSTOPSIG(status) == SYSTEM_CALL_STOP ? 0 : WSTOPSIG(status);
	}
}

uint64_t inject_pending_signals(pid_t thread)
{
	/* /proc has unlisted folders for threads. */
	return (uint64_t)target_status(thread, "SigPnd", 16) | (uint64_t)target_status(thread, "ShdPnd", 16);
}

/* Returns whether a handler will run next. Then the interrupted system call returns EINTR correctly. */
static bool signal_is_coming(pid_t thread)
{
	return inject_pending_signals(thread) & ~(uint64_t)target_status(thread, "SigBlk", 16);
}

/* Restarts a system call that the stop interrupted. */
static int restart_system_call(struct inject_thread *at)
{
	struct user_regs_struct general;
	int error = inject_general_get(at->thread, &general);

	if (error < 0)
		return error;
	return !signal_is_coming(at->thread) && inject_restart(&general) ? inject_general_set(at->thread, &general) : 0;
}

/* Reaps a thread that ends because another thread called execve(2). execve waits until the thread is reaped, and
 * prevents attaching to all threads meanwhile: both sides would wait for each other. */
static void reap_ended_thread(pid_t thread)
{
	for (int i = 0; i < 200 && inject_reap(thread); i++)
		nanosleep(&(struct timespec){ 0, 100000 }, NULL);
}

/* Returns whether attaching failed because the thread has ended or has another tracer. */
static bool is_lost(pid_t pid, pid_t thread)
{
	char state = inject_thread_state(pid, thread);

	return !state || state == 'Z' || state == 'X' ||
	       (target_status(thread, "TracerPid", 10) > 0 && target_status(pid, "TracerPid", 10) <= 0);
}

int inject_seize(struct inject_thread *at, pid_t thread)
{
	at->thread = thread;
	if (ptrace(PTRACE_SEIZE, thread, NULL, PTRACE_O_TRACESYSGOOD) < 0) {
		int error = -errno;

		return error == -ESRCH || (error == -EPERM && is_lost(at->pid, thread)) ? -EAGAIN : error;
	}
	/* May fail for a thread that has ended; the wait detects this. */
	ptrace(PTRACE_INTERRUPT, thread, NULL, NULL);
	return 0;
}

int inject_caught(struct inject_thread *at, int64_t deadline_ns)
{
	int error = inject_stop(at, true, deadline_ns);

	if (error == -ETIMEDOUT || error == -EINTR)
		return error;
	if (error == -ESRCH) {
		reap_ended_thread(at->thread);
		return -EAGAIN;
	}
	if (error == 0)
		error = restart_system_call(at);
	if (error < 0)
		inject_let_go(at);
	return error;
}

int inject_catch(struct inject_thread *at, pid_t thread)
{
	int error = inject_seize(at, thread);

	return error < 0 ? error : inject_caught(at, NO_DEADLINE);
}

void inject_give_up(struct inject_thread *at)
{
	pid_t got;
	int status;

	/* An execve(2) makes the kernel forget the request. */
	while ((got = poll_thread(at->thread, &status)) == 0) {
		ptrace(PTRACE_INTERRUPT, at->thread, NULL, NULL);
		inject_notice(at->pid, at->thread, INJECT_WAIT_STOP);
		if (inject_is_interrupted())
			return;
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	}
	if (got != at->thread || !WIFSTOPPED(status))
		return;
	at->stopped = true;
	inject_let_go(at);
}

void inject_let_go(struct inject_thread *at)
{
	if (at->stopped && ptrace(PTRACE_DETACH, at->thread, NULL, NULL) < 0 && errno == ESRCH)
		reap_ended_thread(at->thread);
	at->stopped = false;
	if (at->stop_wanted)
		kill(at->pid, SIGSTOP);
	at->stop_wanted = false;
}

char inject_thread_times(pid_t pid, pid_t thread, int64_t *user_ns)
{
	char path[64], line[512], *end;
	unsigned long ticks = 0;
	char state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)thread);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fgets(line, sizeof(line), file)) {
		end = strrchr(line, ')');
		state = end && end[1] == ' ' ? end[2] : 0;
		/* utime is field 14, and the state is field 3: proc_pid_stat(5). */
		if (state)
			sscanf(end + 3, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu", &ticks);
	}
	fclose(file);
	if (user_ns)
		*user_ns = (int64_t)ticks * (1000000000 / sysconf(_SC_CLK_TCK));
	return state;
}

char inject_thread_state(pid_t pid, pid_t thread)
{
	return inject_thread_times(pid, thread, NULL);
}

static int store_thread(void *found, pid_t thread)
{
	*(pid_t *)found = thread;
	return 0;
}

pid_t inject_running_thread(pid_t pid)
{
	pid_t thread = 0;

	inject_each_thread(pid, "RSDIKPWTt", store_thread, &thread);
	return thread;
}

bool inject_thread_exists(pid_t pid, pid_t thread)
{
	return inject_thread_state(pid, thread) != 0;
}

int inject_each_thread(pid_t pid, const char *states, int (*visit)(void *context, pid_t thread), void *context)
{
	struct dirent *entry;
	int error = -EAGAIN;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks)
		return -ESRCH;
	while (error == -EAGAIN && (entry = readdir(tasks))) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
		char state = thread > 0 ? inject_thread_state(pid, thread) : 0;

		if (state && strchr(states, state))
			error = visit(context, thread);
	}
	closedir(tasks);
	return error;
}
