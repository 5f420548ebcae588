/* SPDX-License-Identifier: MIT */
/* inject_stop.c - threads of another process are stopped and let go, and notice nothing of it. */
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

#include "attach/inject.h"
#include "attach/inject_notice.h"
#include "attach/inject_thread.h"

#define PAUSE_NS 500000
#define ASK_AGAIN_NS 20000000

int64_t inject_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

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

/* The end of a child of ours is left to whoever has started it. */
static bool is_child(pid_t thread)
{
	return target_status(thread, "PPid", 10) == getpid() && target_status(thread, "Tgid", 10) == thread;
}

/* As waitpid(2) that does not wait, but for such an end. */
static pid_t look(pid_t thread, int *status)
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
	/* Stops of what is traced are told, too, and are not for us. */
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

	while ((got = look(at->thread, status)) == 0) {
		if (inject_now_ns() > deadline_ns)
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

/* Whether the wait for a stop goes on. Return: 0, or -ETIMEDOUT or -EINTR. */
static int wait_on(const struct inject_thread *at, int64_t deadline_ns)
{
	if (inject_now_ns() > deadline_ns)
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
		int64_t look_ns = inject_now_ns() + ASK_AGAIN_NS;

		/* Any other stop takes the place of the one that is asked for, and an execve(2) makes the kernel forget. */
		if (!asked && ptrace(PTRACE_INTERRUPT, at->thread, NULL, NULL) < 0)
			return -errno;
		asked = false;
		error = at->stopped ? inject_resume(at, PTRACE_CONT, at->signal) : 0;
		if (error == 0)
			error = inject_wait_stop(at, look_ns < deadline_ns ? look_ns : deadline_ns, &status);
		if (error == -ETIMEDOUT) {
			error = wait_on(at, deadline_ns);
			if (error < 0)
				return error;
			continue;
		}
		if (error < 0 || status >> 16 == PTRACE_EVENT_STOP)
			return error;
		/* A signal of its own is on its way; it has its handler called. */
		at->signal = status >> 16 || WSTOPSIG(status) == SYSTEM_CALL_STOP ? 0 : WSTOPSIG(status);
	}
}

uint64_t inject_pending_signals(pid_t thread)
{
	/* Threads have folders there, though unlisted. */
	return (uint64_t)target_status(thread, "SigPnd", 16) | (uint64_t)target_status(thread, "ShdPnd", 16);
}

/* Whether a signal is about to be handled: what it interrupted is right to say so. */
static bool signal_is_coming(pid_t thread)
{
	return inject_pending_signals(thread) & ~(uint64_t)target_status(thread, "SigBlk", 16);
}

/* As if the thread had not been stopped. */
static int restart(struct inject_thread *at)
{
	struct user_regs_struct general;
	int error = inject_general_get(at->thread, &general);

	if (error < 0)
		return error;
	return !signal_is_coming(at->thread) && inject_restart(&general) ? inject_general_set(at->thread, &general) : 0;
}

/* One that ends because another thread called execve(2), which waits until we have waited for it, and keeps all
 * from being attached to meanwhile: we would wait for each other. */
static void bury(pid_t thread)
{
	for (int i = 0; i < 200 && inject_reap(thread); i++)
		nanosleep(&(struct timespec){ 0, 100000 }, NULL);
}

/* Why a thread cannot be attached to: is it one that has ended, or that another tracer has? */
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
	/* One that has ended is waited for as all others are. */
	ptrace(PTRACE_INTERRUPT, thread, NULL, NULL);
	return 0;
}

int inject_caught(struct inject_thread *at, int64_t deadline_ns)
{
	int error = inject_stop(at, true, deadline_ns);

	if (error == -ETIMEDOUT || error == -EINTR)
		return error;
	if (error == -ESRCH) {
		bury(at->thread);
		return -EAGAIN;
	}
	if (error == 0)
		error = restart(at);
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

	/* An execve(2) on the way makes the kernel forget what was asked for. */
	while ((got = look(at->thread, &status)) == 0) {
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
		bury(at->thread);
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
		/* utime is field 14, the state is field 3: proc_pid_stat(5). */
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

static int take(void *found, pid_t thread)
{
	*(pid_t *)found = thread;
	return 0;
}

pid_t inject_running_thread(pid_t pid)
{
	pid_t thread = 0;

	inject_each_thread(pid, "RSDIKPWTt", take, &thread);
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
