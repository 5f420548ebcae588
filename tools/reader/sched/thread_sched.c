/* SPDX-License-Identifier: MIT */
/* thread_sched.c - turns the changes of a thread into gaps, and adds up what the thread did in a time. */
#include "reader/sched/thread_sched.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/files/process.h"
#include "reader/sched/thread_calls.h"
#include "reader/symbols/data_symbols.h"

#define LOCKS_SOUGHT 1000	/* an earlier wait for the same lock is looked for among so many */

static uint64_t gap_length(const struct sched_gap *gap, uint64_t time_ns)
{
	uint64_t end_ns = gap->end_ns < time_ns ? gap->end_ns : time_ns;

	return end_ns > gap->begin_ns ? end_ns - gap->begin_ns : 0;
}

/* Adds a gap after the others. Without losses, a thread leaves and gets a processor in turn. */
static void add_gap(struct thread_sched *sched, uint64_t begin_ns, bool is_preempted)
{
	struct sched_gap *gap = &sched->gaps[sched->gap_count++];

	*gap = (struct sched_gap){ .begin_ns = begin_ns, .end_ns = UINT64_MAX, .is_preempted = is_preempted };
	if (sched->gap_count == 1)
		return;
	gap->wait_ns = gap[-1].wait_ns;
	gap->preempted_ns = gap[-1].preempted_ns;
	*(gap[-1].is_preempted ? &gap->preempted_ns : &gap->wait_ns) += gap_length(&gap[-1], UINT64_MAX);
}

static void take_changes(struct thread_sched *sched, const struct sched_change *changes, size_t count,
			 const struct process *process)
{
	uint64_t shift_ns = process->shift_ns;
	bool is_off = true;
	char state = 0;

	/* The thread had no processor before its first change, if it existed. */
	add_gap(sched, 0, false);
	for (size_t i = 0; i < count; i++) {
		uint64_t time_ns = changes[i].time_ns < UINT64_MAX - shift_ns ? changes[i].time_ns + shift_ns : UINT64_MAX;

		switch (changes[i].kind) {
		case SPOOR_SCHED_IN:
			if (is_off)
				sched->gaps[sched->gap_count - 1].end_ns = time_ns;
			is_off = false;
			state = 0;
			break;
		case SPOOR_SCHED_STATE:
			/* Comes just before the thread leaves the processor. */
			state = changes[i].state;
			break;
		case SPOOR_SCHED_OUT:
		case SPOOR_SCHED_PREEMPTED:
		case SPOOR_SCHED_ENDED:
			/* The first change shows that the thread was running, */
			if (is_off && sched->gap_count == 1 && !sched->gaps[0].begin_ns)
				sched->gap_count = 0;
			/* and a second one without a SPOOR_SCHED_IN that changes were lost. */
			else if (is_off)
				break;
			add_gap(sched, time_ns, changes[i].kind == SPOOR_SCHED_PREEMPTED);
			if (changes[i].kind == SPOOR_SCHED_OUT)
				sched->gaps[sched->gap_count - 1].state = state;
			is_off = true;
			break;
		case SPOOR_SCHED_WAKING:
			/* The first one is effective. */
			if (is_off && changes[i].waker && !sched->gaps[sched->gap_count - 1].waker) {
				sched->gaps[sched->gap_count - 1].waker = changes[i].waker + process->id_offset;
				sched->gaps[sched->gap_count - 1].waking_ns = time_ns;
			}
			break;
		case SPOOR_SCHED_FAULT:
			sched->faults[sched->fault_count++] = time_ns;
			break;
		default:
			break;
		}
	}
}

static uint64_t next_change(const struct thread_sched *sched)
{
	uint64_t next_ns = sched->fault_at < sched->fault_count ? sched->faults[sched->fault_at] : UINT64_MAX;
	size_t at = sched->gap_at;

	/* Within a gap there is no time without a change. */
	if (at && sched->gaps[at - 1].end_ns > sched->mark_ns)
		return sched->mark_ns;
	return at < sched->gap_count && sched->gaps[at].begin_ns < next_ns ? sched->gaps[at].begin_ns : next_ns;
}

static size_t find_gap(const struct thread_sched *sched, uint64_t time_ns);
static size_t find_fault(const struct thread_sched *sched, uint64_t time_ns);
static void sum_up(const struct thread_sched *sched, size_t gaps, size_t faults, uint64_t time_ns, struct sched_spent *sums);

/* Finds the gap of each sample. A sample that was taken while the thread ran again belongs to none. */
static void take_waits(struct thread_sched *sched, uint64_t shift_ns)
{
	for (size_t i = 0; i < sched->wait_count; i++) {
		uint64_t begin_ns = sched->waits[i].begin_ns + shift_ns, end_ns = sched->waits[i].end_ns + shift_ns;
		size_t at = find_gap(sched, begin_ns);

		if (at && sched->gaps[at - 1].end_ns >= end_ns && !sched->gaps[at - 1].is_preempted)
			sched->gaps[at - 1].wait = (uint32_t)i + 1;
	}
}

/* Adds what the thread waited for in the gap, for which there is room. @call: null: no system call. Returns 0 or -ENOMEM. */
static int add_wait(struct thread_sched *sched, struct sched_gap *gap, const struct thread_calls *calls,
		    const struct thread_call *call)
{
	char buffer[THREAD_CALL_NAME_MAX];
	const char *name = call ? thread_call_name(calls->file, call->number, buffer) : "";
	const char *target = call ? thread_call_target(calls, call) : NULL;
	struct sched_wait wait = { .begin_ns = gap->begin_ns, .end_ns = gap->end_ns };

	if (call) {
		wait.argument = call->argument;
		wait.is_descriptor = thread_call_flags(calls->file, call->number) & SPOOR_SCHED_NAME_DESCRIPTOR;
	}
	target = target ? target : "";
	wait.name = malloc(strlen(name) + 1 + strlen(target) + 1);
	if (!wait.name)
		return -ENOMEM;
	wait.target = stpcpy(wait.name, name) + 1;
	strcpy(wait.target, target);
	sched->waits[sched->wait_count++] = wait;
	gap->wait = (uint32_t)sched->wait_count;
	return 0;
}

/* Returns whether the thread waited outside of its system calls. A stopped thread does so, too, for no reason of its own. */
static bool is_outside(const struct sched_gap *gap, const struct thread_calls *calls)
{
	return !calls->file->lost_calls && gap->begin_ns > calls->list[0].begin_ns && gap->end_ns != UINT64_MAX &&
	       gap->state != 'T' && gap->state != 't';
}

/* Finds the recorded system call of each gap that has no sample. */
static int take_calls(struct thread_sched *sched, const struct process *process, uint32_t thread_id)
{
	struct thread_calls calls = { 0 };
	int error = thread_calls_load(&calls, process, thread_id);
	struct sched_wait *waits = error || !calls.count ? NULL :
		reallocarray(sched->waits, sched->wait_count + sched->gap_count, sizeof(*waits));

	if (waits)
		sched->waits = waits;
	else if (calls.count)
		error = -ENOMEM;
	for (size_t i = 0; !error && calls.count && i < sched->gap_count; i++) {
		struct sched_gap *gap = &sched->gaps[i];
		const struct thread_call *call;

		if (gap->wait || gap->is_preempted)
			continue;
		call = thread_calls_find(&calls, gap->begin_ns);
		if (call ? call->end_ns >= gap->end_ns : is_outside(gap, &calls))
			error = add_wait(sched, gap, &calls, call);
	}
	thread_calls_free(&calls);
	return error;
}

static bool is_futex(const struct sched_wait *wait)
{
	return strcmp(wait->name, "futex") == 0;
}

/* Names the locks that the thread waited for. Most threads wait for few, so each is sought once. */
static void name_locks(struct thread_sched *sched, const struct process *process)
{
	for (size_t i = 0; i < sched->wait_count; i++) {
		struct sched_wait *wait = &sched->waits[i];
		size_t before = i;

		if (!is_futex(wait))
			continue;
		while (before > 0 && i - before < LOCKS_SOUGHT &&
		       !(is_futex(&sched->waits[before - 1]) && sched->waits[before - 1].argument == wait->argument))
			before--;
		if (before == 0 || i - before == LOCKS_SOUGHT)
			wait->variable = data_symbols_name(process, wait->argument);
		else if (sched->waits[before - 1].variable)
			wait->variable = strdup(sched->waits[before - 1].variable);
	}
}

static void put_wait(const struct sched_wait *wait, bool with_numbers, char *text, size_t size)
{
	char descriptor[THREAD_CALL_NAME_MAX];

	if (!*wait->name)
		snprintf(text, size, "no system call, such as a page fault");
	else if (wait->is_descriptor && with_numbers)
		snprintf(text, size, "%s %s%s%s", wait->name, thread_call_descriptor(wait->argument, descriptor),
			 *wait->target ? " " : "", wait->target);
	else if (wait->is_descriptor)
		snprintf(text, size, "%s%s%.*s", wait->name, *wait->target ? " " : "", (int)strcspn(wait->target, "["), wait->target);
	else if (wait->variable)
		snprintf(text, size, "futex %s", wait->variable);
	else if (is_futex(wait) && with_numbers)
		snprintf(text, size, "futex 0x%" PRIx64, wait->argument);
	else
		snprintf(text, size, "%s", wait->name);
}

bool thread_sched_wait_text(const struct thread_sched *sched, const struct sched_gap *gap, bool with_numbers,
			    char text[SCHED_WAIT_TEXT_MAX])
{
	static const char state[] = " (S)";

	if (gap->wait)
		put_wait(&sched->waits[gap->wait - 1], with_numbers, text, SCHED_WAIT_TEXT_MAX - sizeof(state));
	if (gap->wait && gap->state)
		sprintf(text + strlen(text), " (%c)", gap->state);
	else if (gap->state)
		sprintf(text, "state %c", gap->state);
	return gap->wait || gap->state;
}

int thread_sched_load(struct thread_sched *sched, const struct process *process, uint32_t thread_id)
{
	struct sched_change *changes;
	long count, waits;

	thread_sched_free(sched);
	sched->next_ns = UINT64_MAX;
	if (!process->sched)
		return 0;
	count = sched_file_load(process->sched, thread_id - process->id_offset, &changes);
	if (count <= 0) {
		free(changes);
		return (int)count;
	}
	sched->gaps = calloc((size_t)count + 1, sizeof(*sched->gaps));
	sched->faults = calloc((size_t)count, sizeof(*sched->faults));
	if (sched->gaps && sched->faults) {
		take_changes(sched, changes, (size_t)count, process);
		sched->is_known = true;
		sched->has_faults = process->sched->begin.flags & SPOOR_SCHED_HAS_FAULTS;
		sched->next_ns = 0;
	}
	free(changes);
	waits = sched->is_known ? sched_file_load_waits(process->sched, thread_id - process->id_offset, &sched->waits) : -ENOMEM;
	if (waits < 0) {
		thread_sched_free(sched);
		return (int)waits;
	}
	sched->wait_count = (size_t)waits;
	sched->gap_at = find_gap(sched, 0);
	sched->fault_at = find_fault(sched, 0);
	sum_up(sched, sched->gap_at, sched->fault_at, 0, &sched->sums);
	take_waits(sched, process->shift_ns);
	if (take_calls(sched, process, thread_id)) {
		thread_sched_free(sched);
		return -ENOMEM;
	}
	name_locks(sched, process);
	return 0;
}

void thread_sched_free(struct thread_sched *sched)
{
	for (size_t i = 0; i < sched->wait_count; i++) {
		free(sched->waits[i].name);
		free(sched->waits[i].variable);
	}
	free(sched->waits);
	free(sched->gaps);
	free(sched->faults);
	*sched = (struct thread_sched){ 0 };
}

/* Computes the sums if the first @gaps gaps and @faults faults have begun. */
static void sum_up(const struct thread_sched *sched, size_t gaps, size_t faults, uint64_t time_ns, struct sched_spent *sums)
{
	*sums = (struct sched_spent){ .faults = faults };
	if (!gaps)
		return;
	sums->wait_ns = sched->gaps[gaps - 1].wait_ns;
	sums->preempted_ns = sched->gaps[gaps - 1].preempted_ns;
	*(sched->gaps[gaps - 1].is_preempted ? &sums->preempted_ns : &sums->wait_ns) += gap_length(&sched->gaps[gaps - 1], time_ns);
}

/* Returns the number of gaps that began up to @time_ns. */
static size_t find_gap(const struct thread_sched *sched, uint64_t time_ns)
{
	size_t low = 0, high = sched->gap_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sched->gaps[middle].begin_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t find_fault(const struct thread_sched *sched, uint64_t time_ns)
{
	size_t low = 0, high = sched->fault_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sched->faults[middle] <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void thread_sched_until(const struct thread_sched *sched, uint64_t time_ns, struct sched_spent *sums)
{
	sum_up(sched, find_gap(sched, time_ns), find_fault(sched, time_ns), time_ns, sums);
}

static void subtract(struct sched_spent *spent, const struct sched_spent *before)
{
	spent->wait_ns -= before->wait_ns;
	spent->preempted_ns -= before->preempted_ns;
	spent->faults -= before->faults;
}

void thread_sched_between(const struct thread_sched *sched, uint64_t begin_ns, uint64_t end_ns, struct sched_spent *spent)
{
	struct sched_spent before;

	if (end_ns < begin_ns)
		end_ns = begin_ns;
	thread_sched_until(sched, begin_ns, &before);
	thread_sched_until(sched, end_ns, spent);
	subtract(spent, &before);
	spent->wall_ns = end_ns - begin_ns;
}

void thread_sched_advance(struct thread_sched *sched, uint64_t time_ns, struct sched_spent *spent)
{
	struct sched_spent before = sched->sums;

	*spent = (struct sched_spent){ 0 };
	if (time_ns <= sched->mark_ns)
		return;
	while (sched->gap_at < sched->gap_count && sched->gaps[sched->gap_at].begin_ns <= time_ns)
		sched->gap_at++;
	while (sched->fault_at < sched->fault_count && sched->faults[sched->fault_at] <= time_ns)
		sched->fault_at++;
	sum_up(sched, sched->gap_at, sched->fault_at, time_ns, &sched->sums);
	*spent = sched->sums;
	subtract(spent, &before);
	spent->wall_ns = time_ns - sched->mark_ns;
	sched->mark_ns = time_ns;
	sched->next_ns = next_change(sched);
}
