/* SPDX-License-Identifier: MIT */
/* inject_search.c - searches the threads of a process for one that may run our calls. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <time.h>

#include "attach/frozen.h"
#include "attach/inject/inject.h"
#include "attach/inject/inject_notice.h"
#include "attach/inject/inject_place.h"
#include "attach/inject/inject_thread.h"
#include "attach/inject/inject_undertaker.h"
#include "base/system/monotonic.h"

#define PAUSE_NS 500000	/* pause between two looks at all threads */
#define LOOKS_LEAST 5	/* least number of looks at all threads; one may take a second */

/* Returns whether the thread is inside a restartable sequence. The kernel must see the thread leave it. */
static bool is_in_sequence(struct inject *inject)
{
	struct __ptrace_rseq_configuration where;
	uint64_t at, sequence[4];	/* struct rseq_cs */

	/* A kernel without this request has no restartable sequences, or is older than libc's use of them. */
	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, inject->at.thread, sizeof(where), &where) <= 0 || !where.rseq_abi_pointer)
		return false;
	if (target_read(inject->at.pid, where.rseq_abi_pointer + 8, &at, sizeof(at)) < 0)
		return true;
	if (!at)
		return false;
	return target_read(inject->at.pid, at, sequence, sizeof(sequence)) < 0 ||
	       inject_program_counter(&inject->saved.general) - sequence[1] < sequence[2];
}

/* Returns whether a signal is pending for the thread's last instruction, such as a breakpoint. The handler must
 * find the registers of that moment. */
static bool fault_is_coming(const struct inject *inject)
{
	return inject_pending_signals(inject->at.thread) & INJECT_FAULTS & ~inject->mask;
}

/* Saves the state that is restored later. */
static int save_state(struct inject *inject)
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
	const struct target_image *image;	/* the image that all threads must have left */
	bool all_outside;
};

/* Returns 0 if we borrowed the thread, -EAGAIN to continue the search, or an error that ends it. */
static int try_thread(void *context, pid_t thread)
{
	struct search *search = context;
	struct inject *inject = search->inject;
	int error = inject_catch(&inject->at, thread);

	if (error < 0)
		return error;
	error = save_state(inject);
	if (error < 0) {
		inject_let_go(&inject->at);
		return error;
	}
	if (fault_is_coming(inject) || is_in_sequence(inject) || !inject_place_is_safe(search->places, search->target, thread)) {
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

/* Returns -EAGAIN to continue with the next thread, or an error that ends the search. */
static int examine_thread(void *context, pid_t thread)
{
	struct search *search = context;
	int error = inject_catch(&search->inject->at, thread);

	if (error == 0) {
		search->all_outside &= inject_place_is_outside(search->target, search->image, thread);
		inject_let_go(&search->inject->at);
		error = -EAGAIN;
	} else if (error == -EAGAIN && inject_thread_exists(search->target->pid, thread)) {
		/* The thread could not be stopped. */
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

/* Tries threads that sleep in system calls first, then all threads that can be stopped. */
static int find_thread(struct search *search)
{
	pid_t pid = search->target->pid;
	int error;

	/* A frozen thread can be stopped, but would not run our calls. */
	if (process_is_frozen(pid))
		return -EAGAIN;
	error = inject_each_thread(pid, "S", try_thread, search);
	if (error == -EAGAIN)
		error = inject_each_thread(pid, "RStT", try_thread, search);
	return error == -EAGAIN && !inject_running_thread(pid) ? -ESRCH : error;
}

/* Waits between two looks. Returns 0 for another look, or -EAGAIN or -EINTR. */
static int wait_for_next_look(const struct target *target, int looks, int64_t deadline_ns, enum inject_wait what)
{
	inject_notice(target->pid, 0, what);
	if (inject_is_interrupted())
		return -EINTR;
	if (looks >= LOOKS_LEAST && monotonic_ns() > deadline_ns)
		return -EAGAIN;
	nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
	return 0;
}

int inject_begin(struct inject **result, const struct target *target, enum inject_care care, int64_t patience_ns)
{
	int64_t deadline_ns = monotonic_ns() + patience_ns;
	struct inject_places places = { 0 };
	struct search search = { .inject = inject_new(target), .target = target, .places = &places, .care = care };
	int error = -ENOMEM;
	sigset_t all;

	*result = NULL;
	if (!search.inject)
		return error;
	/* Blocks all signals: without its tracer the borrowed thread would continue inside a call, with no place to
	 * return to. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &search.inject->signals);
	error = inject_places_find(&places, target);
	for (int looks = 1; error == 0; looks++) {
		error = find_thread(&search);
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
	int64_t deadline_ns = monotonic_ns() + patience_ns;
	struct search search = { .inject = inject_new(target), .target = target, .image = image };
	int error = -ENOMEM;

	if (search.inject)
		error = 0;
	for (int looks = 1; error == 0; looks++) {
		search.all_outside = true;
		/* A thread that waits for a child of vfork is in none of our functions. */
		error = inject_each_thread(target->pid, "RStT", examine_thread, &search);
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
