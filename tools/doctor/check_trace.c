/* SPDX-License-Identifier: MIT */
/* check_trace.c - spoor doctor: finds the events that are missing from a trace, and the causes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "walk/loss_cause.h"
#include "doctor/doctor.h"
#include "doctor/findings.h"
#include "reader/symbols/symbol_file.h"
#include "reader/files/trace_reader.h"
#include "reader/files/trace_runs.h"
#include "reader/packed/symbol_subset.h"

#define BUSY_NS 50		/* mean time between two events below which writing them takes a good part of it */
#define BUSY_WORDS 100000	/* a thread with fewer words is not judged */

static bool has_losses(const struct process *process)
{
	for (size_t i = 0; i < process->loss_count; i++)
		if (process->losses[i].events)
			return true;
	return false;
}

/* Reports why no event was recorded. */
static void check_empty(const struct process *process, const char *name)
{
	/* A message about the unreadable part has been printed, and that part may have the events. */
	if (process->damaged)
		return;
	if (process->module_count == 0 && process->foreign_count == 0) {
		finding(FINDING_PROBLEM, "%s: no module with sleds was loaded: build the program and its libraries "
			"with "
			"CC=spoor-cc CXX=spoor-c++", name);
	} else if (process->module_count == 0) {
		finding(FINDING_PROBLEM, "%s: no event: none of its modules with sleds could be recorded", name);
	} else if (has_losses(process)) {
		/* check_losses reports cause and remedy of each loss. */
		finding(FINDING_PROBLEM, "%s: no event: all stored events were lost", name);
	} else if (process->mode_count && process->modes[process->mode_count - 1].mode == SPOOR_MODE_NUMBER_OFF) {
		finding(FINDING_PROBLEM, "%s: no event: the mode was 'off': call spoor_enable() in the program, or "
			"use 'spoor ctl "
			"PID mode log'", name);
	} else {
		finding(FINDING_PROBLEM, "%s: no event: no function with sleds was called, or none that --module and --function "
			"choose ('spoor symbols FILE' lists the functions)", name);
	}
}

void doctor_losses(const char *name, const uint64_t lost[SPOOR_LOSS_COUNT + 1], bool in_ring)
{
	const char *const remedies[SPOOR_LOSS_COUNT + 1] = {
		[SPOOR_LOSS_POOL_EXHAUSTED] = in_ring ?
			": record less (--module, --function), or give it a larger pool (libspoor(7))" :
			": record less (--module, --function), give it a larger pool (libspoor(7)), or keep only "
			"the last events (--mode ring)",
		[SPOOR_LOSS_NO_THREAD] = ": out of memory, or too many threads",
		[SPOOR_LOSS_WRITE] = ": free space on the disk, or choose another place with -o",
		[SPOOR_LOSS_LIMIT] = ": raise it, or record less (--module, --function)",
		[SPOOR_LOSS_THREAD_FULL] = ": raise thread_event_buffer_capacity (libspoor(7))",
	};

	/* Events that the program dropped, and the last event of a killed thread, are no problem. */
	for (uint32_t cause = 0; cause <= SPOOR_LOSS_COUNT; cause++)
		if (lost[cause])
			finding(cause == SPOOR_LOSS_CLEARED || cause == SPOOR_LOSS_HOLE ? FINDING_NOTE : FINDING_PROBLEM,
				"%s: %" PRIu64 " event%s lost: %s%s", name, lost[cause], lost[cause] == 1 ? " was" : "s were",
				loss_cause_text(cause), remedies[cause] ? remedies[cause] : "");
}

static void check_losses(const struct process *process, const char *name)
{
	uint64_t lost[SPOOR_LOSS_COUNT + 1] = { 0 };

	for (size_t i = 0; i < process->loss_count; i++) {
		uint32_t cause = process->losses[i].cause;

		lost[cause < SPOOR_LOSS_COUNT ? cause : SPOOR_LOSS_COUNT] += process->losses[i].events;
	}
	doctor_losses(name, lost, process->is_ring);
	if (process->counts.lost)
		finding(FINDING_PROBLEM, "%s: %" PRIu64 " calls could not be counted", name, process->counts.lost);
}

static void check_unpatched_sleds(const struct module *module)
{
	const struct spoor_skipped_sleds *left = &module->skipped_sleds;
	uint64_t all = (uint64_t)left->other_kind + left->unexpected_bytes + left->conditional_jump + left->stack_operand +
		       left->no_function + left->out_of_reach;

	if (module->has_skipped_sleds && left->out_of_reach)
		finding(FINDING_PROBLEM, "%s: %" PRIu32 " sleds stayed dormant: the code could not be made writable (SELinux, a "
			"sandbox)", module->symbols->library, left->out_of_reach);
	else if (module->has_skipped_sleds && all)
		finding(FINDING_NOTE, "%s: %" PRIu64 " sleds were not patched: 'spoor info' shows why",
			module->symbols->library, all);
}

/* Counts the functions with names. A file that is missing or a different build causes a message. */
static void check_names(struct symbol_file *symbols)
{
	uint32_t named = 0, count = 0;

	if (!symbols->count)
		return;
	if (!symbol_file_check(symbols))
		return;
	for (uint32_t i = 0; i < symbols->count; i++) {
		if (!symbol_file_has(symbols, i))
			continue;
		count++;
		named += symbol_file_linkage(symbols, i) != NULL;
	}
	finding(named == count ? FINDING_GOOD : FINDING_NOTE, "%s: %" PRIu32 " of %" PRIu32 " functions have names%s",
		symbols->library, named, count,
		named == count ? "" : "; install its debug file for the others");
}

static void check_modules(const struct process *process)
{
	for (size_t i = 0; i < process->module_count; i++)
		check_unpatched_sleds(&process->modules[i]);
	for (size_t i = 0; i < process->foreign_count; i++)
		finding(FINDING_PROBLEM, "%s: %" PRIu64 " sleds were not patched: %s", process->foreign[i].path,
			process->foreign[i].sleds,
			process->foreign[i].elsewhere ? "it was opened in another link-map namespace (dlmopen), "
			"without "
							"libspoor.so"
						      : "it was linked without spoor's stub: link it with spoor-cc");
}

/* Reports threads with so many events that a good part of the measured time is the tracer's. */
static void check_density(struct process *process, const char *name)
{
	for (size_t i = 0; i < process->threads.count; i++) {
		const struct thread_slices *thread = process->threads.threads[i];
		uint64_t begin = clock_ns(&process->clock, thread->first_counter),
			 end = clock_ns(&process->clock, thread->last_counter);

		if (thread->words >= BUSY_WORDS && end > begin && (end - begin) / thread->words < BUSY_NS)
			finding(FINDING_NOTE, "%s: thread %" PRIu32 " has an event every %" PRIu64 " ns: a good "
				"part of its time "
				"went into tracing: exclude small functions ('spoor filters --suggest', or "
				"--function)", name,
				thread->thread_id, (end - begin) / thread->words);
	}
}

/* Reports the number of events, counted calls and ordered functions. */
static void report_events(const struct process *process, const char *name)
{
	uint64_t events = process_events(process);

	if (events)
		finding(FINDING_GOOD, "%s: %" PRIu64 " event%s", name, events, events == 1 ? "" : "s");
	if (process->counts.calls)
		finding(FINDING_GOOD, "%s: %" PRIu64 " call%s counted", name, process->counts.calls,
			process->counts.calls == 1 ? " was" : "s were");
	if (process->order.count)
		finding(FINDING_GOOD, "%s: the order of %" PRIu32 " function%s", name, process->order.count,
			process->order.count == 1 ? "" : "s");
}

static void check_process(struct process *process)
{
	char name[300];

	snprintf(name, sizeof(name), "process %" PRId64 " (%.200s)", process->process_id, process_title(process));
	if (!process_words(process) && !process->counts.calls && !process->order.count)
		check_empty(process, name);
	report_events(process, name);
	if (process->damaged)
		finding(FINDING_PROBLEM, "%s: a part of it is damaged; the findings are about the readable part",
			name);
	if (process->version0)
		return;
	if (!process->ended)
		finding(FINDING_NOTE, "%s: did not end in order: it was killed, called _exit(), or is still running", name);
	check_losses(process, name);
	check_modules(process);
	check_density(process, name);
}

static char *said;

static void keep_message(const char *text)
{
	free(said);
	said = strdup(text);
}

/* Chooses the run. That a trace has several runs is no problem. Returns 0 or a negative errno. */
static int choose_run(struct trace *trace)
{
	void (*diverted)(const char *) = message_diverted();
	int error;

	message_divert(keep_message);
	error = trace_runs_apply(trace);
	message_divert(diverted);
	if (said)
		finding(error ? FINDING_PROBLEM : FINDING_NOTE, "%s", said);
	free(said);
	said = NULL;
	return error;
}

void doctor_trace(const char *path)
{
	struct trace trace;

	if (trace_open(&trace, path, true))
		return;
	if (choose_run(&trace)) {
		trace_close(&trace);
		return;
	}
	for (size_t i = 0; i < trace.count; i++) {
		struct process process;

		if (trace_open_process(&trace, i, &process))
			continue;
		check_process(&process);
		process_close(&process);
	}
	for (size_t i = 0; i < trace.symbols.count; i++)
		check_names(trace.symbols.files[i]);
	trace_close(&trace);
}
