/* SPDX-License-Identifier: MIT */
/* info.c - spoor info: shows the contents of a trace, and the events that are missing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/commands.h"
#include "walk/loss_cause.h"
#include "info/tracer_cost.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "base/terminal.h"
#include "reader/files/capture_records.h"
#include "reader/symbols/functions.h"
#include "reader/events/root_calls.h"
#include "reader/sched/thread_calls.h"
#include "walk/walk.h"

static void show_begin(const struct process *process)
{
	time_t seconds = (time_t)(process->begin_system_ns / 1000000000);
	struct tm local;
	char text[64];

	if (process->begin_system_ns > 0 && localtime_r(&seconds, &local) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &local))
		fitted_print("  began           %s\n", text);
}

static void show_facts(const struct process *process)
{
	if (process->session_id)
		fitted_print("  session         %016" PRIx64 "\n", process->session_id);
	if (process->run_count > 1 && process->run)
		fitted_print("  run             %" PRIu32 " of %" PRIu32 "\n", process->run, process->run_count);
	for (size_t i = 0; i < process->fact_count; i++) {
		const char *equals = strchr(process->facts[i], '=');

		/* show_tracer prints this fact. */
		if (equals && strncmp(process->facts[i], "event_cost_ps=", strlen("event_cost_ps=")) != 0)
			fitted_print("  %-14.*s  %s\n", (int)(equals - process->facts[i]), process->facts[i], equals + 1);
	}
}

static void show_events(const struct process *process)
{
	uint64_t events = process_events(process), in_file = 0, slices = 0;

	for (size_t i = 0; i < process->threads.count; i++) {
		in_file += process->threads.threads[i]->file_events;
		slices += process->threads.threads[i]->slices;
	}
	fitted_print("  events          %" PRIu64 " in %" PRIu64 " slices", events, slices);
	if (in_file)
		fitted_print(", %.2f bytes each on disk", (double)process->event_bytes / (double)in_file);
	if (events > in_file)
		fitted_print(", %" PRIu64 " of them still in the pool", events - in_file);
	if (process->version0) {
		fitted_print("\n  format          version 0, Spoor's: without names, libraries and losses\n");
		return;
	}
	fitted_print("\n  ended           %s\n", process->ended ? "in order" : "no: it was killed, called _exit(), or is still running");
}

static void show_modes(const struct process *process)
{
	if (process->mode_count)
		fitted_print("  mode changes    %zu, the last to '%s'\n", process->mode_count,
		       process_mode_name(process->modes[process->mode_count - 1].mode));
	if (process->counts.counts)
		fitted_print("  counts          %" PRIu64 " calls of %" PRIu32 " functions\n", process->counts.calls,
		       process->counts.functions);
	if (process->order.count)
		fitted_print("  order           of %" PRIu32 " functions\n", process->order.count);
	if (process->counts.lost)
		fitted_print("    %12" PRIu64 "  calls could not be counted\n", process->counts.lost);
}

static void show_counter(const struct process *process)
{
	const char *counter = process_fact(process, "counter");

	if (counter && strcmp(counter, "clock") == 0)
		fitted_print("  times           by CLOCK_MONOTONIC at each event, not by the time stamp counter\n");
}

/* Shows how many threads have a call stack from the time when recording began. */
static void show_roots(const struct process *process)
{
	size_t threads = 0, cut = 0;

	for (size_t i = 0; i < process->threads.count; i++) {
		const struct thread_roots *roots = process->threads.threads[i]->roots;
		bool is_cut = false;

		threads += roots != NULL;
		for (; roots; roots = roots->next)
			is_cut |= roots->cut;
		cut += is_cut;
	}
	if (!threads)
		return;
	fitted_print("  roots           of %zu thread%s: the calls that were open when recording began", threads,
	       threads == 1 ? "" : "s");
	if (cut)
		fitted_print("; %zu of them lack the outermost calls", cut);
	fitted_print("\n");
}

static void show_threads(const struct process *process)
{
	fitted_print("  threads         %zu\n", process->threads.count);
	for (size_t i = 0; i < process->threads.count; i++) {
		const struct thread_slices *thread = process->threads.threads[i];
		const char *name = thread->name;

		fitted_print("    %-10" PRIu32 "  %-16s %12" PRIu64 " events", thread->thread_id, name ? name : "",
		       thread->events);
		if (thread->lost)
			fitted_print(", %" PRIu64 " lost", thread->lost);
		if (thread->holes)
			fitted_print(", %" PRIu64 " reserved and not stored", thread->holes);
		if (thread->gaps)
			fitted_print(", %" PRIu64 " %s %s", thread->gaps, thread->gaps == 1 ? "slice" : "slices",
			       process->is_ring ? "overwritten" : "missing");
		fitted_print("\n");
	}
}

static void show_user_events(const struct process *process)
{
	if (process->tracepoint_count)
		fitted_print("  tracepoints     %zu\n", process->tracepoint_count);
	for (size_t i = 0; i < process->tracepoint_count; i++)
		fitted_print("    %s  %s\n", process->tracepoints[i].name, process->tracepoints[i].path);
	if (process->event_type_count)
		fitted_print("  event types     %zu\n", process->event_type_count);
	for (size_t i = 0; i < process->event_type_count; i++)
		fitted_print("    0x%08" PRIx32 "  %s%s\n", process->event_types[i].type, process->event_types[i].name,
		       process->event_types[i].is_string ? ", of strings" : "");
	if (process->string_count)
		fitted_print("  strings         %zu\n", process->string_count);
}

/* Returns the milliseconds between two counts of the clock. */
static double span_ms(struct process *process, uint64_t from, uint64_t to)
{
	uint64_t begin = clock_ns(&process->clock, from), end = clock_ns(&process->clock, to);

	return end > begin ? (double)(end - begin) / 1e6 : 0;
}

static void show_triggers(struct process *process)
{
	struct functions functions;

	if (!process->trigger_count || functions_begin(&functions, process))
		return;
	fitted_print("  triggers        %zu\n", process->trigger_count);
	for (size_t i = 0; i < process->trigger_count; i++) {
		const struct spoor_trigger_record *record = &process->triggers[i].record;
		uint32_t number = functions_number(&functions, record->index, record->began);

		fitted_print("    %-10" PRIu32 "  %s %s", process->triggers[i].thread_id, function_name(&functions, number),
		       function_library(&functions, number));
		if (record->limit_ns)
			fitted_print(" took longer than %g ms", (double)record->limit_ns / 1e6);
		else
			fitted_print(" had the trigger's values");
		fitted_print(": %.3f ms%s; %" PRIu32 " ms before and %" PRIu32 " ms after are kept\n",
		       span_ms(process, record->began, record->ended ? record->ended : record->noticed),
		       record->ended ? "" : " so far when it was noticed", record->before_ms, record->after_ms);
	}
	functions_end(&functions);
}

/* Shows the functions whose arguments or results are in the trace. */
static void show_captures(struct process *process)
{
	struct functions functions;
	size_t count = 0;

	for (uint32_t i = 0; i < process->capture_count; i++)
		for (size_t run = 0; process->captures[i] && run < process->captures[i]->run_count; run++)
			count += process->captures[i]->runs[run].count;
	if (!count || functions_begin(&functions, process))
		return;
	fitted_print("  values          of %zu function%s\n", count, count == 1 ? "" : "s");
	for (uint32_t i = 0; i < process->capture_count; i++) {
		const struct capture *capture = process->captures[i];
		static const char *const values[] = { "", "arguments", "result", "arguments and result" };
		const char *what = values[capture ? capture->flags & (SPOOR_CAPTURE_ARGUMENTS | SPOOR_CAPTURE_RESULT) : 0];
		const char *cpu_time = !capture || !(capture->flags & SPOOR_CAPTURE_CPU_TIME) ? "" :
				       *what ? ", processor time" : "processor time";

		for (size_t run = 0; capture && run < capture->run_count; run++) {
			for (uint32_t at = 0; at < capture->runs[run].count; at++) {
				uint32_t number = functions_number(&functions, capture->runs[run].first + at, capture->counter);

				if (number)
					fitted_print("    %s %s  %s%s\n", function_name(&functions, number),
					       function_library(&functions, number), what, cpu_time);
			}
		}
	}
	functions_end(&functions);
}

static void show_dormant(struct process *process)
{
	struct functions functions;

	if (!process->dormant_count || functions_begin(&functions, process))
		return;
	fitted_print("  made dormant    %zu, called more often than --max-rate allows\n", process->dormant_count);
	for (size_t i = 0; i < process->dormant_count; i++) {
		const struct spoor_dormant *dormant = &process->dormant[i];
		uint32_t number = functions_number(&functions, dormant->index, dormant->counter);

		fitted_print("    %s %s after %" PRIu64 " calls, at %" PRIu64 " a second; %" PRIu64 " are allowed\n",
		       function_name(&functions, number), function_library(&functions, number), dormant->calls,
		       dormant->rate, dormant->limit);
	}
	functions_end(&functions);
}

static void show_losses(const struct process *process)
{
	bool any = false;

	for (size_t i = 0; i < process->loss_count; i++) {
		const struct spoor_loss_record *loss = &process->losses[i];

		if (!loss->events)
			continue;
		if (!any)
			fitted_print("  lost\n");
		any = true;
		fitted_print("    %12" PRIu64 "  %s", loss->events, loss_cause_text(loss->cause));
		if (loss->thread_id)
			fitted_print(", thread %" PRIu32, loss->thread_id);
		fitted_print("\n");
	}
	if (!any)
		fitted_print("  lost            nothing (by its own count)\n");
}

static void show_unpatched_sleds(const struct spoor_skipped_sleds *skipped_sleds)
{
	const struct {
		uint32_t count;
		const char *why;
	} reasons[] = {
		{ skipped_sleds->other_kind, "custom or typed event of XRay" },
		{ skipped_sleds->unexpected_bytes, "not the bytes of a sled: changed by a debugger or a probe?" },
		{ skipped_sleds->conditional_jump, "exit before a conditional jump" },
		{ skipped_sleds->stack_operand, "tail call through memory on the stack" },
		{ skipped_sleds->no_function, "its function is not in the function table" },
		{ skipped_sleds->out_of_reach, "its code could not be made writable" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].count)
			fitted_print("      %" PRIu32 " %s not patched: %s\n", reasons[i].count,
			       reasons[i].count == 1 ? "sled" : "sleds", reasons[i].why);
}

/* Tells if a module was unloaded. An executable does not count: it is unloaded at the end of the process. */
static bool was_unloaded_early(const struct process *process, const struct module *module)
{
	const char *executable = process_fact(process, "executable");

	return module->gone_counter != UINT64_MAX && (!executable || strcmp(executable, module->path) != 0);
}

static void show_modules(const struct process *process)
{
	fitted_print("  libraries       %zu\n", process->module_count);
	for (size_t i = 0; i < process->module_count; i++) {
		const struct module *module = &process->modules[i];

		fitted_print("    %s\n      %s, %" PRIu32 " functions, build-id ", module->symbols->library,
		       module->symbols->shown_path, module->count);
		for (uint32_t j = 0; j < module->build_id_bytes; j++)
			fitted_print("%02x", module->build_id[j]);
		fitted_print("%s%s\n", module->build_id_bytes ? "" : "none",
		       was_unloaded_early(process, module) ? ", unloaded" : "");
		if (module->has_skipped_sleds)
			show_unpatched_sleds(&module->skipped_sleds);
	}
	for (size_t i = 0; i < process->foreign_count; i++)
		fitted_print("    %s\n      %" PRIu64 " sleds not patched: %s\n", process->foreign[i].path,
		       process->foreign[i].sleds,
		       process->foreign[i].elsewhere ? "opened in another link-map namespace (dlmopen), without "
		       "libspoor.so"
						     : "linked without spoor's stub (link it with spoor-cc)");
}

static void show_tracer(struct process *process)
{
	int error = info_print_tracer(process);

	if (!error)
		return;
	message("%s: cannot find the functions that are mostly tracer: %s", process->path, strerror(-error));
	process->damaged = true;
}

static void show_system_calls(struct sched_file *file)
{
	struct thread_calls calls = { 0 };
	uint64_t count = 0;

	for (size_t i = 0; i < file->thread_count; i++) {
		if (thread_calls_read(&calls, file, file->threads[i].thread_id, 0)) {
			message("out of memory for the system calls");
			break;
		}
		count += calls.count;
	}
	thread_calls_free(&calls);
	fitted_print("  system calls    %" PRIu64 " of all processes", count);
	if (file->lost_calls)
		fitted_print(", %" PRIu64 " begins and ends lost", file->lost_calls);
	fitted_print("\n");
}

/* The file is the whole trace's, but a reader of one process wants to know, too. */
static void show_sched(const struct process *process)
{
	const struct sched_file *sched = process->sched;

	if (!sched)
		return;
	fitted_print("  waiting         %" PRIu64 " switches%s of all processes", sched->changes,
	       sched->begin.flags & SPOOR_SCHED_HAS_KERNEL_FAULTS ? " and page faults" :
	       sched->begin.flags & SPOOR_SCHED_HAS_FAULTS	  ? " and page faults of user code" : "");
	if (sched->lost)
		fitted_print(", %" PRIu64 " lost", sched->lost);
	fitted_print("\n");
	if (sched->begin.flags & SPOOR_SCHED_HAS_CALLS)
		show_system_calls(process->sched);
}

static void show_process(struct process *process)
{
	fitted_print("process %" PRId64 "  %s\n", process->process_id, process_title(process));
	show_begin(process);
	show_facts(process);
	show_counter(process);
	show_modes(process);
	show_events(process);
	if (!process->version0) {
		show_losses(process);
		show_triggers(process);
		show_captures(process);
		show_dormant(process);
	}
	show_roots(process);
	show_sched(process);
	show_threads(process);
	if (process->version0)
		return;
	show_user_events(process);
	show_tracer(process);
	show_modules(process);
}

static const char help[] =
	"Usage: spoor info [OPTION]... [TRACE]...\n"
	"Show the contents of a trace (default: " TRACE_DEFAULT_PATH "): processes, threads,\n"
	"libraries and events, and the events that are missing, by cause.\n"
	"\n"
	SYMBOL_HELP
	"      --no-pager        on a terminal: do not start $SPOOR_PAGER, $PAGER or less\n"
	"  -q, --quiet           print only warnings and errors\n"
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 for a damaged or unreadable trace, and 2 for a\n"
	"wrong command line. spoor-info(1) describes the output.\n";

int info_main(int argc, char **argv)
{
	static const struct option options[] = {
		SYMBOL_LONG_OPTIONS, { "no-pager", no_argument, NULL, WALK_OWN }, { "help", no_argument, NULL, 'h' }, { 0 },
	};
	struct walk_choice choice;
	struct timeline timeline;
	bool no_pager = false;
	int option, paged, status = 0;

	walk_choice_begin(&choice);
	while (!status && (option = options_next(argc, argv, "", options)) != -1) {
		if (option == 'h') {
			fitted_help(help);
			return SPOOR_EXIT_GOOD;
		}
		if (option == WALK_OWN)
			no_pager = true;
		else
			status = walk_choice_option(&choice, option, optarg);
	}
	if (status)
		return status;
	status = walk_choice_arguments(&choice, argc - optind, argv + optind);
	if (status)
		return status;
	if (walk_choice_open(&choice, &timeline))
		return SPOOR_EXIT_BAD_TRACE;
	if (timeline.unopened)
		status = SPOOR_EXIT_BAD_TRACE;
	fitted_begin();
	if (!no_pager)
		terminal_pager_begin();
	for (size_t i = 0; i < timeline.count && !ferror(stdout); i++) {
		struct process process;

		if (timeline_open_process(&timeline, i, &process)) {
			status = SPOOR_EXIT_BAD_TRACE;
			continue;
		}
		if (i)
			fitted_print("\n");
		show_process(&process);
		if (process.damaged)
			status = SPOOR_EXIT_BAD_TRACE;
		process_close(&process);
	}
	timeline_close(&timeline);
	fitted_end();
	fflush(stdout);
	paged = terminal_pager_end();
	return status ? status : paged;
}
