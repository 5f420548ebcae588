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
#include "attach/inject_thread.h"

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
		if (pause.tv_nsec < 500000)
			pause.tv_nsec *= 2;
	}
	if (got < 0 || !WIFSTOPPED(*status))
		return -ESRCH;
	at->stopped = true;
	return 0;
}

int inject_stop(struct inject_thread *at, int64_t patience_ns)
{
	int64_t deadline_ns = inject_now_ns() + patience_ns;
	int status, error;

	for (;;) {
		/* Any other stop takes the place of the one that is asked for. */
		if (ptrace(PTRACE_INTERRUPT, at->thread, NULL, NULL) < 0)
			return -errno;
		error = at->stopped ? inject_resume(at, PTRACE_CONT, at->signal) : 0;
		if (error == 0)
			error = inject_wait_stop(at, deadline_ns, &status);
		if (error < 0 || status >> 16 == PTRACE_EVENT_STOP)
			return error;
		/* A signal of its own is on its way; it has its handler called. */
		at->signal = status >> 16 || WSTOPSIG(status) == SYSTEM_CALL_STOP ? 0 : WSTOPSIG(status);
	}
}

/* Whether a signal is about to be handled: what it interrupted is right to say so. */
static bool signal_is_coming(pid_t thread)
{
	/* Threads have folders there, though unlisted. */
	unsigned long own = (unsigned long)target_status(thread, "SigPnd", 16),
		      all = (unsigned long)target_status(thread, "ShdPnd", 16),
		      blocked = (unsigned long)target_status(thread, "SigBlk", 16);

	return (own | all) & ~blocked;
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

int inject_catch(struct inject_thread *at, pid_t thread)
{
	int error;

	at->thread = thread;
	if (ptrace(PTRACE_SEIZE, thread, NULL, PTRACE_O_TRACESYSGOOD) < 0)
		return errno == ESRCH ? -EAGAIN : -errno;
	error = inject_stop(at, STOP_PATIENCE_NS);
	if (error == -ETIMEDOUT)
		return error;
	if (error == -ESRCH) {
		bury(thread);
		return -EAGAIN;
	}
	if (error == 0)
		error = restart(at);
	if (error < 0)
		inject_let_go(at);
	return error;
}

void inject_give_up(struct inject_thread *at)
{
	pid_t got;
	int status;

	/* An execve(2) on the way makes the kernel forget what was asked for. */
	while ((got = look(at->thread, &status)) == 0) {
		ptrace(PTRACE_INTERRUPT, at->thread, NULL, NULL);
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

/* A letter of /proc/PID/task/TID/stat; 0 where it cannot be had. */
static char thread_state(pid_t pid, pid_t thread)
{
	char path[64], line[512], *end;
	char state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)thread);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fgets(line, sizeof(line), file)) {
		end = strrchr(line, ')');
		state = end && end[1] == ' ' ? end[2] : 0;
	}
	fclose(file);
	return state;
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
	return thread_state(pid, thread) != 0;
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
		char state = thread > 0 ? thread_state(pid, thread) : 0;

		if (state && strchr(states, state))
			error = visit(context, thread);
	}
	closedir(tasks);
	return error;
}
