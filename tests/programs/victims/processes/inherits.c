/* SPDX-License-Identifier: MIT */
/*
 * inherits.c - sets a state that an execve(2) keeps, and executes a command.
 *
 *   inherits WHAT COMMAND [ARGUMENT]...
 *   inherits list      prints the kinds of state
 *
 * The status is 77 if the machine, or the user, cannot have the state.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define CANNOT 77

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

static void need(int result)
{
	if (result < 0)
		exit(CANNOT);
}

static void ignore(int number)
{
	need(signal(number, SIG_IGN) == SIG_ERR ? -1 : 0);
}

static void ignore_child(void)
{
	ignore(SIGCHLD);
}

static void ignore_all(void)
{
	for (int i = 1; i < 65; i++)
		signal(i, SIG_IGN);
}

static void block_all(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

/* Signals that were sent before the execve(2), of which spoor record passes the first two on. */
static void pend(void)
{
	const int sent[] = { SIGUSR1, SIGTERM, SIGALRM, SIGWINCH, SIGRTMIN + 3 };

	block_all();
	for (size_t i = 0; i < sizeof(sent) / sizeof(*sent); i++)
		raise(sent[i]);
}

static void close_input(void)
{
	close(0);
}

static void close_output(void)
{
	close(1);
}

static void close_standard(void)
{
	close_range(0, 2, 0);
}

static void limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard)
{
	need(setrlimit(resource, &(struct rlimit){ soft, hard }));
}

static void few_files(void)
{
	limit(RLIMIT_NOFILE, 16, 32);
}

static void small_files(void)
{
	limit(RLIMIT_FSIZE, 64 << 20, 128 << 20);
}

static void little_memory(void)
{
	limit(RLIMIT_AS, 1 << 30, 1 << 30);
}

static void little_data(void)
{
	limit(RLIMIT_DATA, 256 << 20, 512 << 20);
}

static void small_stack(void)
{
	limit(RLIMIT_STACK, 256 << 10, 256 << 10);
}

static void large_stack(void)
{
	limit(RLIMIT_STACK, (rlim_t)1 << 40, RLIM_INFINITY);
}

static void no_locked_memory(void)
{
	limit(RLIMIT_MEMLOCK, 0, 0);
}

static void no_queued_signals(void)
{
	limit(RLIMIT_SIGPENDING, 0, 0);
}

static void no_core(void)
{
	limit(RLIMIT_CORE, 0, 4096);
}

static void little_time(void)
{
	limit(RLIMIT_CPU, 60, 100);
}

static void no_umask(void)
{
	umask(0);
}

static void strict_umask(void)
{
	umask(0777);
}

static void deleted_folder(void)
{
	char path[] = "../deleted.XXXXXX";

	need(mkdtemp(path) ? 0 : -1);
	need(chdir(path));
	need(rmdir(path));
}

static void no_new_privileges(void)
{
	need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

static void first_in_first_out(void)
{
	need(sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ 1 }));
}

static void idle(void)
{
	need(sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 }));
}

static void nice_most(void)
{
	need(setpriority(PRIO_PROCESS, 0, 19));
}

static void one_processor(void)
{
	cpu_set_t all, one;

	need(sched_getaffinity(0, sizeof(all), &all));
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	need(sched_setaffinity(0, sizeof(one), &one));
}

static void new_session(void)
{
	if (getpgrp() == getpid())
		exit(CANNOT);
	need(setsid());
}

static void new_group(void)
{
	need(setpgid(0, 0));
}

static void first_to_kill(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);

	need(fd);
	need((int)write(fd, "500", 3));
	close(fd);
}

static void death_signal(void)
{
	need(prctl(PR_SET_PDEATHSIG, SIGURG, 0, 0, 0));
}

static void timers(void)
{
	/* Far away: the program must find them, and none must expire. */
	const struct itimerval later = { .it_value.tv_sec = 100000, .it_interval.tv_sec = 200000 };

	need(setitimer(ITIMER_REAL, &later, NULL));
	need(setitimer(ITIMER_VIRTUAL, &later, NULL));
	need(setitimer(ITIMER_PROF, &later, NULL));
}

static void slack(void)
{
	need(prctl(PR_SET_TIMERSLACK, 12345, 0, 0, 0));
}

static void fixed_addresses(void)
{
	need(personality(ADDR_NO_RANDOMIZE));
}

static void no_huge_pages(void)
{
	need(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
}

static void no_writable_code(void)
{
	need(prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0));
}

static void odd_environment(void)
{
	static char *odd[] = { "A=1", "A=2", "no_equals_sign", "=nameless", "", "LC_ALL=nowhere", "TZ=:bad", NULL };

	environ = odd;
}

static void no_environment(void)
{
	static char *none[] = { NULL };

	environ = none;
}

static const struct {
	const char *name;
	void (*set)(void);
} kinds[] = {
	{ "nothing", NULL },
	{ "ignored_children", ignore_child },
	{ "ignored_signals", ignore_all },
	{ "blocked_signals", block_all },
	{ "pending_signals", pend },
	{ "closed_input", close_input },
	{ "closed_output", close_output },
	{ "closed_standard_files", close_standard },
	{ "few_files", few_files },
	{ "small_files", small_files },
	{ "little_memory", little_memory },
	{ "little_data", little_data },
	{ "small_stack", small_stack },
	{ "large_stack", large_stack },
	{ "no_locked_memory", no_locked_memory },
	{ "no_queued_signals", no_queued_signals },
	{ "no_core", no_core },
	{ "little_time", little_time },
	{ "no_umask", no_umask },
	{ "strict_umask", strict_umask },
	{ "deleted_folder", deleted_folder },
	{ "no_new_privileges", no_new_privileges },
	{ "first_in_first_out", first_in_first_out },
	{ "idle", idle },
	{ "nice", nice_most },
	{ "one_processor", one_processor },
	{ "new_session", new_session },
	{ "new_group", new_group },
	{ "first_to_kill", first_to_kill },
	{ "death_signal", death_signal },
	{ "timers", timers },
	{ "timer_slack", slack },
	{ "fixed_addresses", fixed_addresses },
	{ "no_huge_pages", no_huge_pages },
	{ "no_writable_code", no_writable_code },
	{ "odd_environment", odd_environment },
	{ "no_environment", no_environment },
	{ "no_arguments", NULL },
};

int main(int count, char **arguments)
{
	static char *none[] = { NULL };
	bool is_found = false;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(arguments[1], "list") == 0) {
			puts(kinds[i].name);
			continue;
		}
		if (strcmp(arguments[1], kinds[i].name) != 0)
			continue;
		is_found = true;
		if (kinds[i].set)
			kinds[i].set();
	}
	if (!is_found || count < 3)
		return strcmp(arguments[1], "list") != 0;
	if (strcmp(arguments[1], "no_arguments") == 0)
		execv(arguments[2], none);
	else
		execvp(arguments[2], arguments + 2);
	perror(arguments[2]);
	return 126;
}
