/* SPDX-License-Identifier: MIT */
/* service.c - the service thread, and how it ends a process whose other threads have ended. */
#define _GNU_SOURCE
#include "trace/service.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/large.h"
#include "drain/drain.h"
#include "event/event_path.h"
#include "base/after_fork.h"
#include "base/main_thread.h"
#include "base/signal_name.h"
#include "base/system.h"
#include "base/warning.h"
#include "config/configuration.h"
#include "event/slices.h"
#include "event/thread.h"

#define STACK_BYTES_MAX ((size_t)64 << 20)
#define TRIALS 8

/* Defined in programs built with -fsanitize=thread. */
extern void __tsan_init(void) __attribute__((weak));

static pthread_mutex_t drain_lock = PTHREAD_MUTEX_INITIALIZER;	/* nests in the registry's lock */
static struct spoor_drain *drain;
static struct spoor_owned_file *events_file;
static const uint32_t *leader;	/* cleared by the kernel when the main thread ends; null if the kernel does not
				 * report that, or has done so */
static sigset_t program_mask;	/* signal mask of the thread that began the runtime */
static pid_t began_runtime;	/* the process in which the runtime began; 0: none yet */
static pid_t began_before;	/* the process that started the service thread; 0: none yet */
static int running, main_ended, outlived;
static int trials_left;
static spoor_mail_server *serve_mail;
static int warned;

/* Opens the events file only before a write: a program may close descriptors that it does not know and reuse their
 * numbers, so the file is not opened again without need. */
static int find_file(void *unused)
{
	(void)unused;
	return spoor_owned_file_fd(events_file);
}

static void drain_slices(uint32_t extent)
{
	int error;

	spoor_drain_run(drain, extent);
	error = spoor_drain_totals(drain).error;
	if (error && !warned) {
		warned = 1;
		spoor_warning("cannot write events: %s; the program continues, and lost events are counted",
			      strerror(error));
		spoor_drain_losses(drain);
	}
}

/* Ends the process as libc does in a program's last thread, on a stack of the same size. */
static __attribute__((noinline)) void *end_program(void *unused)
{
	(void)unused;
	pthread_sigmask(SIG_SETMASK, &program_mask, NULL);
	exit(0);
}

/* Ends the process after the main thread ended without libc's knowledge. The exit status is the last thread's on
 * newer kernels, and the main thread's on older ones. Other threads are assumed to have ended through libc. */
static void leave_silently(int status, bool had_company)
{
	syscall(SYS_exit, had_company ? 0 : status >> 8 & 0xff);
}

/* Leaves a real-time policy that was inherited from a thread of the program. Under seccomp no policy is set: a
 * sandbox may kill a process that tries. */
static void leave_real_time(void)
{
	int policy = prctl(PR_GET_SECCOMP) == 0 ? sched_getscheduler(0) : SCHED_OTHER;

	if (policy == SCHED_FIFO || policy == SCHED_RR)
		sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });
}

static void *serve(void *unused)
{
	static struct spoor_mail mail SPOOR_LARGE;	/* too large for a stack */
	bool silent = false, told_libc = false, had_company = false;
	uint32_t taken = 0;	/* number of the last request from the mailbox */
	spoor_mail_server *serve;
	pthread_t thread;

	(void)unused;
	/* A thread begins with the floating-point modes of the thread that created it. */
	spoor_floats_begin();
	prctl(PR_SET_NAME, "spoor");
	leave_real_time();
	for (;;) {
		struct spoor_clocks clocks;
		int status, company;
		bool over, wanted, restless;

		if (leader && !__atomic_load_n(leader, __ATOMIC_ACQUIRE)) {
			spoor_main_thread_pass_on(leader);
			leader = NULL;
			silent = true;
			had_company = spoor_main_thread_company(&status) > 0;
		}
		/* Set, if at all, before the kernel clears the leader's word. */
		over = __atomic_load_n(&main_ended, __ATOMIC_RELAXED);
		restless = (silent || over) && !told_libc;
		wanted = spoor_drain_wait(drain, restless);
		pthread_mutex_lock(&drain_lock);
		if (wanted)
			drain_slices(0);
		else
			spoor_drain_look_at_clocks(drain, &clocks);
		pthread_mutex_unlock(&drain_lock);
		serve = __atomic_load_n(&serve_mail, __ATOMIC_ACQUIRE);
		if (serve)
			serve(spoor_drain_pool(drain), &taken, &mail);
		if (!restless)
			continue;
		company = spoor_main_thread_company(&status);
		had_company |= company > 0 || __atomic_load_n(&outlived, __ATOMIC_RELAXED);
		if (company != 0)
			continue;
		if (!over)
			leave_silently(status, had_company);
		told_libc = true;
		if (pthread_create(&thread, NULL, end_program, NULL) != 0)
			end_program(NULL);
	}
	return NULL;
}

void spoor_service_main_ended(void)
{
	if (!running)
		return;
	__atomic_store_n(&main_ended, 1, __ATOMIC_RELAXED);
	spoor_drain_wake(drain);
}

void spoor_service_thread_ended(void)
{
	const uint32_t *word = spoor_main_thread_word();

	if (running && word && !__atomic_load_n(word, __ATOMIC_ACQUIRE))
		__atomic_store_n(&outlived, 1, __ATOMIC_RELAXED);
}

void spoor_service_serve_with(spoor_mail_server *serve)
{
	__atomic_store_n(&serve_mail, serve, __ATOMIC_RELEASE);
}

void spoor_service_remember_mask(void)
{
	if (began_runtime)
		return;
	pthread_sigmask(SIG_BLOCK, NULL, &program_mask);
	began_runtime = getpid();
}

static void *end_at_once(void *unused)
{
	return unused;
}

/* pthread_create takes locks of malloc and of the dynamic linker. */
static void begin_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, end_at_once, NULL);
}

/* Tells if the calling thread can take these locks. In an event, perhaps in a signal handler, it may hold one of the
 * locks itself. In a forked child, a thread that does not exist there may hold one. */
static bool can_begin_thread(bool in_event)
{
	bool is_forked = began_before && began_before != getpid();

	/* The thread sanitizer ends a forked child that starts a thread. */
	if (__tsan_init)
		return !is_forked;
	return spoor_after_fork_by_libc() && ((!in_event && !is_forked) || spoor_after_fork_can(begin_thread));
}

static void start_thread(void)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;
	int error = EINVAL;

	began_before = getpid();
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	/* EINVAL: the program's thread-local variables do not fit on the stack. */
	for (size_t stack = 256 << 10; error == EINVAL && stack <= STACK_BYTES_MAX; stack *= 4) {
		pthread_attr_setstacksize(&attributes, stack);
		error = pthread_create(&thread, &attributes, serve, NULL);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (error)
		spoor_warning("cannot start the service thread: %s; the trace ends when its pool is full",
			      strerror(error));
}

void spoor_service_start(bool in_event)
{
	bool can;

	if (!running || !trials_left)
		return;
	can = can_begin_thread(in_event);
	/* In a forked child the linker's lock stays taken; malloc's lock becomes free soon. */
	trials_left = can || !spoor_after_fork_by_libc() || !spoor_after_fork_has_linker() ? 0 : trials_left - 1;
	__atomic_store_n(&spoor_drainer_awaited, trials_left, __ATOMIC_RELAXED);
	if (can)
		start_thread();
}

int spoor_service_begin(struct spoor_pool *pool, struct spoor_owned_file *events)
{
	struct spoor_drain_options options = {
		.pool = pool,
		.fd = events->fd,
		.file = find_file,
		.leader = spoor_main_thread_word(),
		.leader_id = (uint32_t)getpid(),
	};
	int error;

	leader = options.leader;
	events_file = events;
	error = spoor_drain_begin(&drain, &options);
	if (error < 0)
		return error;
	running = 1;
	trials_left = TRIALS;
	/* A forked child may need to have one thread: for unshare(CLONE_NEWUSER), setns, or because it counts its
	 * threads. Until its first slice is full there is nothing to write, except at its end, and a second thread of
	 * the program shows that it needs no single one. A thread has to answer a signal that requests a flush. */
	if (began_runtime != getpid() && spoor_signal_number(spoor_configuration.flush_signal) <= 0)
		__atomic_store_n(&spoor_drainer_awaited, trials_left, __ATOMIC_RELAXED);
	else
		spoor_service_start(spoor_is_attaching());
	return 0;
}

void spoor_service_drain(void)
{
	if (!running)
		return;
	pthread_mutex_lock(&drain_lock);
	drain_slices(SPOOR_DRAIN_RING);
	spoor_drain_losses(drain);
	pthread_mutex_unlock(&drain_lock);
	/* The service thread may sleep without a limit. */
	if (spoor_drain_has_spare(drain))
		spoor_drain_wake(drain);
}

void spoor_service_forget(void)
{
	/* The drain's memory is not freed: the service thread, its owner, may have been using it. */
	running = main_ended = outlived = spoor_drainer_awaited = 0;
	drain = NULL;
	leader = NULL;
	pthread_mutex_init(&drain_lock, NULL);
}
