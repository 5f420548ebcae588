/* SPDX-License-Identifier: MIT */
/*
 * process.h - one process of a trace: the contents of its process file, and the places of its threads'
 * events.
 */
#ifndef SPOOR_READER_PROCESS_H
#define SPOOR_READER_PROCESS_H

#include <stdbool.h>

#include "reader/files/block_file.h"
#include "reader/events/clock.h"
#include "reader/files/count_file.h"
#include "reader/files/map64.h"
#include "reader/files/order_file.h"
#include "reader/files/pool_file.h"
#include "reader/events/thread_index.h"

struct symbol_file;
struct symbol_cache;
struct sched_file;
struct thread_roots;
struct version0;

/* One instance of a module, from its registration to its dlclose. */
struct module {
	uint32_t module_id;
	uint32_t base, count;		/* dense indexes [base, base + count) */
	uint64_t load_bias;
	uint64_t counter, gone_counter;	/* when it was registered and removed; UINT64_MAX: never removed */
	char *path, *soname;
	uint8_t *build_id;
	uint32_t build_id_bytes;
	bool hooked;			/* its functions call hooks and have no sleds */
	bool by_symbol;			/* its functions are its dynamic symbols */
	bool has_skipped_sleds;
	struct spoor_skipped_sleds skipped_sleds;
	struct symbol_file *symbols;	/* owned by the symbol cache */
};

struct thread_name {
	uint64_t thread_id;
	uint64_t counter;
	char *name;
	bool given;			/* the thread itself set the name, */
	uint32_t serial;		/* and this is its serial */
};

struct foreign_module {
	uint64_t sleds;
	bool elsewhere;			/* loaded by dlmopen(3), in another name space of the linker */
	char *path;
};

/* A type of events that the program defined. */
struct event_type {
	uint32_t type;
	bool is_string;			/* payload 1 is the ID of a string */
	bool is_counter;		/* spoor/scope.h numbers counters by their names */
	char *name;
};

/* A call that took longer than the trigger's limit. */
struct noticed_call {
	struct spoor_trigger_record record;
	uint32_t thread_id;
};

/* A static tracepoint that was enabled at some time. */
struct tracepoint {
	uint32_t number;
	char *name, *path;		/* "provider:name"; path of its module */
};

struct interned {
	uint64_t id;
	char *text;
};

/* Functions that were made dormant while the process ran. */
struct disabling {
	uint64_t asked, counter;	/* requested and done: between these two times */
	struct spoor_index_run *runs;	/* in ascending order */
	size_t run_count;
};

static inline bool disabling_has(const struct disabling *disabled, uint32_t index)
{
	size_t low = 0, high = disabled->run_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		*(disabled->runs[middle].first <= index ? &low : &high) = middle;
	}
	return index - disabled->runs[low].first < disabled->runs[low].count;
}

/* A change of the mode while the process was running. */
struct mode_change {
	uint32_t mode;			/* enum spoor_mode_number */
	uint64_t counter;
};

struct process {
	char *name;			/* of its folder */
	char *path;
	char *title;			/* for messages and reports; null: unknown */
	int64_t process_id;		/* in the recorder's name space, like the threads' IDs */
	int64_t inner_id;		/* in its own name space; 0: the same */
	uint64_t session_id;
	uint32_t run, run_count;	/* number of its run and of all runs in the trace (trace_runs.h); 0: unknown */
	int64_t begin_steady_ns, begin_system_ns;
	uint64_t shift_ns;		/* added to begin_steady_ns and all other times, */
	uint32_t id_offset;		/* ... and to process_id and the threads' IDs (timeline.h) */
	bool ended;			/* the process exited normally */
	bool damaged;			/* part of its data could not be read */
	uint64_t events_bytes;		/* least size of its events file, by the file's own record */

	struct module *modules;		/* in the order of registration */
	size_t module_count;
	struct thread_name *names;
	size_t name_count;
	struct spoor_loss_record *losses;
	size_t loss_count;
	/* While the process file is read. Both values are positions + 1: the latest module of a base; the loss
	 * record of a cause and thread. */
	struct map64 module_at, loss_at;
	struct map64 outer_ids;		/* the recorder's IDs of processes and threads in another name space */
	struct foreign_module *foreign;
	size_t foreign_count;
	struct event_type *event_types;
	size_t event_type_count;
	struct tracepoint *tracepoints;	/* sorted by number once the process is open */
	size_t tracepoint_count;
	struct capture **captures;	/* by number; null: none has this number (capture_records.h) */
	uint32_t capture_count;
	struct spoor_dormant *dormant;	/* records of --max-rate, by time */
	size_t dormant_count;
	struct disabling *disabled;	/* by time */
	size_t disabled_count;
	struct noticed_call *triggers;	/* in the order of the records */
	size_t trigger_count;
	struct interned *strings;	/* sorted by ID once the process is open */
	size_t string_count;
	char **facts;			/* "key=value" */
	size_t fact_count;
	struct thread_roots **roots;	/* each belongs to one thread at one time */
	size_t root_count;
	struct mode_change *modes;	/* by time */
	size_t mode_count;
	bool is_ring;			/* newer slices may have overwritten older ones */
	bool began_ring;
	uint64_t present_counter;	/* when threads without events were still there; 0: unknown */
	uint64_t pool_counter;		/* when the pool's drainer last looked at the clocks; 0: there is no pool */

	struct clock clock;
	struct block_file events;
	struct pool_file pool;
	struct count_file counts;
	struct order_file order;
	struct thread_index threads;
	uint64_t event_bytes;		/* in good blocks of the events file */
	struct version0 *version0;	/* for a trace of version 0; else null */
	struct sched_file *sched;	/* when its threads ran, owned by the trace; null: unknown */
};

/*
 * process_open - reads all data of a process except the events themselves.
 * @directory: of the trace
 * @name:      the process's folder in it
 * @path:      of that folder, for messages
 * @symbols:   the cache that names modules' functions
 *
 * Writes a message about damaged data, skips them, and sets @process->damaged.
 *
 * Returns 0, or a negative errno after a message if no data could be read.
 */
int process_open(struct process *process, int directory, const char *name, const char *path,
		 struct symbol_cache *symbols);
void process_close(struct process *process);

/* Returns the value of a fact, or null. */
const char *process_fact(const struct process *process, const char *key);

/* Returns the file name of the process's executable. Never null. */
const char *process_title(const struct process *process);

/* process_stopped - returns when the process was last ordered to store no more events; UINT64_MAX: never. */
uint64_t process_stopped(const struct process *process);

/* Returns whether the process used a ring, which keeps only the newest events, at any time between the two. */
bool process_was_ring(const struct process *process, uint64_t begin_counter, uint64_t end_counter);

/* Returns a mode's name. Never null. */
const char *process_mode_name(uint32_t mode);

uint64_t process_words(const struct process *process);
uint64_t process_events(const struct process *process);	/* words that are not events are left out */

/*
 * The steps of process_open. process_read_files reads the records of all files in @folder, and indexes
 * the slices in the events file and the pool. process_count_pool_words counts the events of slices
 * that only the pool holds, once the index is finished.
 *
 * Return 0, -ENOMEM, or -ENOTSUP if the files have another version or byte order. Damaged data cause a
 * message and set @process->damaged.
 */
int process_read_files(struct process *process, int folder, struct symbol_cache *symbols);
int process_count_pool_words(struct process *process);

/* Reads one block of the process file. Returns 0, -EBADMSG, or -ENOMEM. */
int process_take_record(struct process *process, const struct block *block, struct symbol_cache *symbols);

/* For followers of a process that is still being recorded (follow.h): */

/* Makes an empty process, which process_close frees. Returns 0 or -ENOMEM. */
int process_init(struct process *process, const char *name, const char *path);

/* Takes the clocks and IDs from any block. */
void process_take_clocks(struct process *process, const struct block *block);

/* Reads the info at the beginning of an event block. Returns whether its lengths are valid. */
bool process_slice_info(const struct block *block, struct spoor_slice_info *info);

/* Sorts the contents of the records. Returns 0 or -ENOMEM. */
int process_settle(struct process *process);

/* Returns the tracepoint with this number, or null. */
const struct tracepoint *process_tracepoint(const struct process *process, uint32_t number);

/* Returns the string that the program interned under this ID, or null. */
const char *process_string(const struct process *process, uint64_t id);

#endif
