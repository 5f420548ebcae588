/* SPDX-License-Identifier: MIT */
/* inject_search.c - the threads of a process, one after the other: which of them may call. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <time.h>

#include "attach/frozen.h"
#include "attach/inject.h"
#include "attach/inject_notice.h"
#include "attach/inject_place.h"
#include "attach/inject_thread.h"
#include "attach/inject_undertaker.h"

#define PAUSE_NS 500000	/* before threads are looked at again */
#define LOOKS_LEAST 5	/* at all threads: each may take a second of a process that seldom gets a processor */

/* In the middle of a restartable sequence: the kernel must see the thread leave it. */
static bool in_sequence(struct inject *inject)
{
	struct __ptrace_rseq_configuration where;
	uint64_t at, sequence[4];	/* struct rseq_cs */

	/* A kernel that does not tell has none, or is older than libc's use of it. */
	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, inject->at.thread, sizeof(where), &where) <= 0 || !where.rseq_abi_pointer)
		return false;
	if (target_read(inject->at.pid, where.rseq_abi_pointer + 8, &at, sizeof(at)) < 0)
		return true;
	if (!at)
		return false;
	return target_read(inject->at.pid, at, sequence, sizeof(sequence)) < 0 ||
	       inject_program_counter(&inject->saved.general) - sequence[1] < sequence[2];
}

/* Its last instruction has met a breakpoint or the like: the handler must find the registers of that moment. */
static bool fault_is_coming(const struct inject *inject)
{
	return inject_pending_signals(inject->at.thread) & INJECT_FAULTS & ~inject->mask;
}

/* Reads what is to be put back. */
static int save(struct inject *inject)
{
	int error = inject_registers_get(inject->at.thread, &inject->saved);

	if (error < 0)
		return error;
	return ptrace(PTRACE_GETSIGMASK, inject->at.thread, sizeof(inject->mask), &inject->mask) < 0 ? -errno : 0;
}

struct search {
	struct inject *inject;
	const struct target *target;
	const struct inject_places *places;
	enum inject_care care;
	const struct target_image *image;	/* that none is to be in */
	bool all_outside;
};

/* Return: 0 where the thread is ours now, -EAGAIN where it is not, or what ends the search. */
static int try_thread(void *context, pid_t thread)
{
	struct search *search = context;
	struct inject *inject = search->inject;
	int error = inject_catch(&inject->at, thread);

	if (error < 0)
		return error;
	error = save(inject);
	if (error < 0) {
		inject_let_go(&inject->at);
		return error;
	}
	if (fault_is_coming(inject) || in_sequence(inject) || !inject_place_is_safe(search->places, search->target, thread)) {
		inject_let_go(&inject->at);
		return -EAGAIN;
	}
	error = inject_take(inject, search->target);
	if (error == 0 && search->care == INJECT_MAY_LOAD)
		error = inject_try_locks(inject, search->target);
	if (error < 0) {
		inject_put_back(inject);
		inject_let_go(&inject->at);
	}
	return error == -ETIMEDOUT ? -EAGAIN : error;
}

/* Return: -EAGAIN, for all are to be looked at, or what ends the search. */
static int look_at(void *context, pid_t thread)
{
	struct search *search = context;
	int error = inject_catch(&search->inject->at, thread);

	if (error == 0) {
		search->all_outside &= inject_place_is_outside(search->target, search->image, thread);
		inject_let_go(&search->inject->at);
		error = -EAGAIN;
	} else if (error == -EAGAIN && inject_thread_exists(search->target->pid, thread)) {
		/* It could not be stopped. */
		search->all_outside = false;
	}
	return error;
}

static struct inject *inject_new(const struct target *target)
{
	struct inject *inject = aligned_alloc(64, (sizeof(*inject) + 63) & ~(size_t)63);

	if (!inject)
		return NULL;
	memset(inject, 0, sizeof(*inject));
	inject->at.pid = target->pid;
	return inject;
}

/* Those that sleep in system calls, then all that can be stopped at all. */
static int look_for_thread(struct search *search)
{
	pid_t pid = search->target->pid;
	int error;

	/* A frozen thread may be stopped, and would not run. */
	if (process_is_frozen(pid))
		return -EAGAIN;
	error = inject_each_thread(pid, "S", try_thread, search);
	if (error == -EAGAIN)
		error = inject_each_thread(pid, "RStT", try_thread, search);
	return error == -EAGAIN && !inject_running_thread(pid) ? -ESRCH : error;
}

/* Return: 0 for another look, or -EAGAIN or -EINTR. */
static int wait_for_next_look(const struct target *target, int looks, int64_t deadline_ns, enum inject_wait what)
{
	inject_notice(target->pid, 0, what);
	if (inject_is_interrupted())
		return -EINTR;
	if (looks >= LOOKS_LEAST && inject_now_ns() > deadline_ns)
		return -EAGAIN;
	nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
	return 0;
}

int inject_begin(struct inject **result, const struct target *target, enum inject_care care, int64_t patience_ns)
{
	int64_t deadline_ns = inject_now_ns() + patience_ns;
	struct inject_places places = { 0 };
	struct search search = { .inject = inject_new(target), .target = target, .places = &places, .care = care };
	int error = -ENOMEM;
	sigset_t all;

	*result = NULL;
	if (!search.inject)
		return error;
	/* Without us the thread would go on in the midst of a call, and have nowhere to return to. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &search.inject->signals);
	error = inject_places_find(&places, target);
	for (int looks = 1; error == 0; looks++) {
		error = look_for_thread(&search);
		if (error == -EAGAIN)
			error = wait_for_next_look(target, looks, deadline_ns, INJECT_WAIT_PLACE);
		else if (error == 0)
			break;
	}
	inject_places_free(&places);
	*result = search.inject;
	if (error == 0) {
		inject_undertaker_begin(search.inject);
	} else {
		pthread_sigmask(SIG_SETMASK, &search.inject->signals, NULL);
		free(search.inject);
		*result = NULL;
	}
	return error;
}

int inject_wait_outside(const struct target *target, const struct target_image *image, int64_t patience_ns)
{
	int64_t deadline_ns = inject_now_ns() + patience_ns;
	struct search search = { .inject = inject_new(target), .target = target, .image = image };
	int error = -ENOMEM;

	if (search.inject)
		error = 0;
	for (int looks = 1; error == 0; looks++) {
		search.all_outside = true;
		/* One that waits for a child of vfork's is in no function of ours. */
		error = inject_each_thread(target->pid, "RStT", look_at, &search);
		if (error == -EAGAIN && search.all_outside) {
			error = 0;
			break;
		}
		if (error == -EAGAIN)
			error = wait_for_next_look(target, looks, deadline_ns, INJECT_WAIT_OUTSIDE);
	}
	free(search.inject);
	return error;
}
