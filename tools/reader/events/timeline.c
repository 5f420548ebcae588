/* SPDX-License-Identifier: MIT */
/* timeline.c - puts the processes of several traces on one timeline. */
#include "reader/events/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/file_limits.h"
#include "base/message.h"
#include "reader/files/printable_text.h"
#include "reader/files/trace_runs.h"
#include "reader/packed/trace_names.h"

/* Returns whether the error is a lack of memory or descriptors, which no other trace would cure. */
static bool is_out_of_resources(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

/* The time and place of a process's start, by its own records. The reader owns the strings. */
struct place {
	char *boot, *namespace;
	int64_t steady_ns, system_ns;
	uint64_t session_id;
	int64_t process_id;
	bool is_known;		/* its clocks, session and process ID are known */
};

static void take_header(struct place *place, const struct spoor_trace_header *header)
{
	if (place->is_known)
		return;
	place->is_known = header->steady_clock_ns >= 0 && header->system_clock_ns >= 0;
	place->steady_ns = header->steady_clock_ns;
	place->system_ns = header->system_clock_ns;
	place->session_id = header->session_id;
	place->process_id = header->process_id;
}

/* Returns 0 or -ENOMEM. */
static int take_fact(char **slot, const char *fact, size_t length, const char *key)
{
	size_t prefix = strlen(key);

	if (*slot || length <= prefix || memcmp(fact, key, prefix) != 0)
		return 0;
	*slot = clean_name(strndup(fact + prefix, length - prefix));
	return *slot ? 0 : -ENOMEM;
}

static int take_facts(struct place *place, const struct block *block, const char *namespace_key)
{
	const char *at = (const char *)block->body, *end = at + block->body_bytes;
	int error = 0;

	while (at < end && !error) {
		size_t length = strnlen(at, (size_t)(end - at));

		error = take_fact(&place->boot, at, length, "boot=");
		if (!error)
			error = take_fact(&place->namespace, at, length, namespace_key);
		at += length + 1;
	}
	return error;
}

/* For a process in a container, reads the ID that its drainer recorded. Returns 0 or a resource error. */
static int read_outside(struct place *place, int folder, const char *path)
{
	struct block_file file;
	struct block block;
	int error = block_file_open(&file, folder, SPOOR_EVENTS_FILE, path);
	struct place outer = { 0 };

	if (error)
		return is_out_of_resources(error) ? error : 0;
	/* The process's own records and losses come before all slices. */
	while (!error && block_file_next(&file, &block) > 0 && block.extension.kind != SPOOR_BLOCK_EVENTS) {
		if (block.extension.kind == SPOOR_BLOCK_PROCESS)
			error = take_facts(&outer, &block, "outer_pid_ns=");
	}
	block_file_close(&file);
	free(outer.boot);
	if (outer.namespace) {
		free(place->namespace);
		place->namespace = outer.namespace;
	}
	return error;
}

/* Reads the beginning of a process's file. Unreadable data stay unknown. Returns 0 or a resource error. */
static int read_place(const struct trace *trace, const struct trace_entry *entry, struct place *place)
{
	struct block_file file;
	struct block block;
	int folder, error;

	*place = (struct place){ 0 };
	if (entry->files) {
		if (!entry->files->is_unreadable)
			take_header(place, &entry->files->header);
		return 0;
	}
	folder = openat(trace->directory, entry->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return is_out_of_resources(-errno) ? -errno : 0;
	error = block_file_open(&file, folder, SPOOR_PROCESS_FILE, entry->path);
	if (error) {
		close(folder);
		return is_out_of_resources(error) ? error : 0;
	}
	/* A process writes its own record first. */
	if (block_file_next(&file, &block) > 0) {
		take_header(place, &block.header);
		if (block.extension.kind == SPOOR_BLOCK_PROCESS)
			error = take_facts(place, &block, "pid_namespace=");
	}
	block_file_close(&file);
	if (!error)
		error = read_outside(place, folder, entry->path);
	close(folder);
	return error;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void take_clocks(struct timeline_machine *machine, const struct place *place)
{
	if (!place->is_known || place->steady_ns >= machine->begin_ns)
		return;
	machine->begin_ns = place->steady_ns;
	machine->realtime_ns = place->system_ns - place->steady_ns;
}

/* Returns the machine's number, or UINT32_MAX if memory runs out. The timeline owns the strings afterwards. */
static uint32_t add_machine(struct timeline *timeline, const struct timeline_machine *machine)
{
	struct timeline_machine *machines = reallocarray(timeline->machines, timeline->machine_count + 1, sizeof(*machines));

	if (!machines)
		return UINT32_MAX;
	timeline->machines = machines;
	machines[timeline->machine_count] = *machine;
	return (uint32_t)timeline->machine_count++;
}

/* Returns the number of the machine of a process with a known place, and takes the strings. Errors as for
 * add_machine. */
static uint32_t machine_of(struct timeline *timeline, struct place *place)
{
	struct timeline_machine added = { .boot = place->boot, .namespace = place->namespace, .begin_ns = INT64_MAX };
	uint32_t number = 0;

	while (number < timeline->machine_count && !(same_text(timeline->machines[number].boot, place->boot) &&
						     same_text(timeline->machines[number].namespace, place->namespace)))
		number++;
	if (number == timeline->machine_count) {
		number = add_machine(timeline, &added);
		if (number == UINT32_MAX)
			return number;
	} else {
		free(place->boot);
		free(place->namespace);
	}
	place->boot = place->namespace = NULL;
	take_clocks(&timeline->machines[number], place);
	return number;
}

static void take_session(struct timeline *timeline, const struct place *place)
{
	if (!place->is_known)
		return;
	timeline->sessions_differ |= timeline->has_session && place->session_id != timeline->session_id;
	timeline->session_id = place->session_id;
	timeline->has_session = true;
}

/* Adds the processes of one trace. Returns 0 or a resource error. */
static int add_trace(struct timeline *timeline, struct trace *trace)
{
	struct timeline_machine unknown = { .begin_ns = INT64_MAX };
	struct timeline_process *processes, *added;
	uint32_t home = UINT32_MAX;

	processes = reallocarray(timeline->processes, timeline->count + trace->count, sizeof(*processes));
	if (!processes)
		return -ENOMEM;
	timeline->processes = processes;
	added = processes + timeline->count;
	for (size_t i = 0; i < trace->count; i++) {
		struct place place;
		int error = read_place(trace, &trace->entries[i], &place);
		uint32_t machine = UINT32_MAX;

		take_session(timeline, &place);
		if (!place.boot)
			take_clocks(&unknown, &place);
		else if (!error)
			machine = machine_of(timeline, &place);
		if (error || (place.boot && machine == UINT32_MAX)) {
			free(place.boot);
			free(place.namespace);
			return error ? error : -ENOMEM;
		}
		free(place.namespace);
		if (home == UINT32_MAX)
			home = machine;
		/* The quick look may have read damaged data. */
		added[i] = (struct timeline_process){
			trace, i, machine, place.is_known ? place.steady_ns : trace->entries[i].begin_ns,
			place.session_id, place.process_id, place.is_known
		};
	}
	if (home == UINT32_MAX)
		home = add_machine(timeline, &unknown);
	if (home == UINT32_MAX)
		return -ENOMEM;
	for (size_t i = 0; i < trace->count; i++)
		if (added[i].machine == UINT32_MAX)
			added[i].machine = home;
	timeline->count += trace->count;
	return 0;
}

/* The first name space of a boot represents all name spaces of that boot. */
static const struct timeline_machine *boot_of(const struct timeline *timeline, const struct timeline_machine *machine)
{
	for (size_t i = 0; machine->boot && i < timeline->machine_count; i++)
		if (same_text(timeline->machines[i].boot, machine->boot) && timeline->machines[i].begin_ns != INT64_MAX)
			return &timeline->machines[i];
	return machine;
}

/* Computes how far each machine's times are shifted, to the machine that booted first. */
static void shift_machines(struct timeline *timeline)
{
	int64_t oldest_ns = INT64_MAX;

	for (size_t i = 0; i < timeline->machine_count; i++) {
		const struct timeline_machine *boot = boot_of(timeline, &timeline->machines[i]);

		if (boot->begin_ns != INT64_MAX && boot->realtime_ns < oldest_ns)
			oldest_ns = boot->realtime_ns;
	}
	for (size_t i = 0; i < timeline->machine_count; i++) {
		const struct timeline_machine *boot = boot_of(timeline, &timeline->machines[i]);

		if (boot->begin_ns != INT64_MAX)
			timeline->machines[i].shift_ns = (uint64_t)boot->realtime_ns - (uint64_t)oldest_ns;
	}
}

static int64_t moved(int64_t ns, uint64_t shift_ns)
{
	return (uint64_t)(INT64_MAX - ns) > shift_ns ? (int64_t)((uint64_t)ns + shift_ns) : INT64_MAX;
}

static int compare_processes(const void *left, const void *right)
{
	const struct timeline_process *a = left, *b = right;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	if (a->trace != b->trace)
		return a->trace < b->trace ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static bool stat_of(const struct timeline_process *process, struct stat *status)
{
	const struct trace_entry *entry = &process->trace->entries[process->number];

	return fstatat(process->trace->directory, entry->files ? entry->files->name : entry->name, status, 0) == 0;
}

/*
 * Returns whether two processes that began at the same nanosecond are the same one: they have the same
 * session and process ID on the same machine. The folder's name decides only if the file does not
 * contain these.
 */
static bool is_copy(const struct timeline_process *one, const struct timeline_process *other)
{
	return one->begin_ns >= 0 && one->begin_ns != INT64_MAX && one->machine == other->machine &&
	       one->session_id == other->session_id && one->process_id == other->process_id &&
	       one->has_ids == other->has_ids &&
	       (one->has_ids || strcmp(one->trace->entries[one->number].name, other->trace->entries[other->number].name) == 0);
}

/* Keeps one of each process that was given twice: as a trace and as one of its processes, or as a copy. The
 * processes are sorted. */
static void drop_repeated(struct timeline *timeline)
{
	size_t kept = 0;

	for (size_t i = 0; i < timeline->count; i++) {
		const struct timeline_process *process = &timeline->processes[i];
		struct stat status, other;
		bool repeated = false;

		for (size_t j = kept; !repeated && j-- > 0 && timeline->processes[j].begin_ns == process->begin_ns;)
			repeated = timeline->processes[j].trace != process->trace &&
				   (is_copy(&timeline->processes[j], process) ||
				    (stat_of(process, &status) && stat_of(&timeline->processes[j], &other) &&
				     status.st_dev == other.st_dev && status.st_ino == other.st_ino));
		if (repeated)
			message("%s: duplicate argument: the trace is read once",
				process->trace->entries[process->number].path);
		else
			timeline->processes[kept++] = *process;
	}
	timeline->count = kept;
}

int timeline_open(struct timeline *timeline, const char *const *paths, size_t count, bool demangle)
{
	int error = 0, first_error = 0;

	*timeline = (struct timeline){ .symbols.demangle = demangle };
	timeline->traces = calloc(count, sizeof(*timeline->traces));
	if (!timeline->traces)
		return -ENOMEM;
	limits_raise();
	for (size_t i = 0; i < count && !error; i++) {
		struct trace *trace = &timeline->traces[timeline->trace_count];

		error = trace_open(trace, paths[i], demangle);
		if (!error && (error = trace_runs_apply(trace)))
			trace_close(trace);
		if (!error) {
			timeline->trace_count++;
			trace->shared = &timeline->symbols;
			error = add_trace(timeline, trace);
		} else if (!is_out_of_resources(error)) {
			first_error = first_error ? first_error : error;
			error = 0;
		}
	}
	if (!error && !timeline->trace_count)
		error = first_error;
	if (error == -ENOMEM)
		message("out of memory for the processes");
	else if (is_out_of_resources(error))
		message("too many traces: no file descriptor is left; 'ulimit -Hn' shows the limit");
	if (error) {
		timeline_close(timeline);
		return error;
	}
	timeline->unopened = count - timeline->trace_count;
	if (timeline->sessions_differ && timeline->trace_count > 1)
		message("the traces are from different sessions, and are shown on one timeline");
	if (timeline->machine_count > TIMELINE_MACHINES)
		message("the traces are from %zu machines or containers, and only %u can be distinguished: the others "
			"share process numbers; read fewer traces at once", timeline->machine_count, TIMELINE_MACHINES);
	shift_machines(timeline);
	for (size_t i = 0; i < timeline->count; i++) {
		struct timeline_process *process = &timeline->processes[i];

		if (process->begin_ns >= 0)
			process->begin_ns = moved(process->begin_ns, timeline->machines[process->machine].shift_ns);
	}
	qsort(timeline->processes, timeline->count, sizeof(*timeline->processes), compare_processes);
	drop_repeated(timeline);
	return 0;
}

void timeline_close(struct timeline *timeline)
{
	/* The cache does not distinguish the modules of several traces. */
	if (timeline->trace_count == 1)
		trace_names_keep(&timeline->traces[0], &timeline->symbols);
	for (size_t i = 0; i < timeline->trace_count; i++)
		trace_close(&timeline->traces[i]);
	for (size_t i = 0; i < timeline->machine_count; i++) {
		free(timeline->machines[i].boot);
		free(timeline->machines[i].namespace);
	}
	symbol_cache_free(&timeline->symbols);
	free(timeline->traces);
	free(timeline->machines);
	free(timeline->processes);
	*timeline = (struct timeline){ 0 };
}

uint64_t timeline_begin_ns(const struct timeline *timeline)
{
	int64_t begin_ns = timeline->count ? timeline->processes[0].begin_ns : 0;

	return begin_ns == INT64_MAX || begin_ns < 0 ? 0 : (uint64_t)begin_ns;
}

int timeline_open_process(struct timeline *timeline, size_t number, struct process *process)
{
	const struct timeline_process *one = &timeline->processes[number];
	uint64_t shift_ns = timeline->machines[one->machine].shift_ns;
	int error = trace_open_process(one->trace, one->number, process);

	if (error)
		return error;
	process->id_offset = one->machine * TIMELINE_IDS;
	process->process_id += process->id_offset;
	for (size_t i = 0; i < process->threads.count; i++)
		process->threads.threads[i]->thread_id += process->id_offset;
	process->shift_ns = shift_ns;
	clock_shift(&process->clock, shift_ns);
	if (process->begin_steady_ns >= 0)
		process->begin_steady_ns = moved(process->begin_steady_ns, shift_ns);
	return 0;
}
