/* SPDX-License-Identifier: MIT */
/*
 * process.h - one process of a trace: what its process file says, and where
 * the events of its threads are.
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
struct thread_roots;
struct version0;

/* One instance of a module, from its registration to its dlclose. */
struct module {
	uint32_t module_id;
	uint32_t base, count;		/* dense indexes [base, base + count) */
	uint64_t load_bias;
	uint64_t counter, gone_counter;	/* when it came and went; UINT64_MAX: it stayed */
	char *path, *soname;
	uint8_t *build_id;
	uint32_t build_id_bytes;
	bool hooked;			/* its functions call hooks, and have no sleds */
	bool has_left_alone;
	struct spoor_left_alone left_alone;
	struct symbol_file *symbols;	/* the cache's */
};

struct thread_name {
	uint64_t thread_id;
	uint64_t counter;
	char *name;
	bool given;			/* by the thread itself, */
	uint32_t serial;		/* which is this one */
};

struct foreign_module {
	uint64_t sleds;
	bool elsewhere;			/* in a name space of its own */
	char *path;
};

/* A type of the program's own events. */
struct event_type {
	uint32_t type;
	bool is_string;			/* its payload 1 is the ID of one */
	bool is_counter;		/* as spoor/scope.h numbers those by their names */
	char *name;
};

/* A call that took longer than the trigger allows. */
struct noticed_call {
	struct spoor_trigger_record record;
	uint32_t thread_id;
};

/* A static tracepoint that was on at some time. */
struct tracepoint {
	uint32_t number;
	char *name, *path;		/* "provider:name"; of its module */
};

struct interned {
	uint64_t id;
	char *text;
};

/* Functions that were made dormant while the process ran. */
struct disabling {
	uint64_t asked, counter;	/* between the two */
	struct spoor_index_run *runs;	/* in their order */
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

/* A change of the mode while the process ran. */
struct mode_change {
	uint32_t mode;			/* enum spoor_mode_number */
	uint64_t counter;
};

struct process {
	char *name;			/* of its folder */
	char *path;
	char *title;			/* for people; null: not known */
	int64_t process_id;		/* as its recorder called it, and so are threads */
	int64_t inner_id;		/* as it is called in its own name space; 0: the same */
	uint64_t session_id;
	int64_t begin_steady_ns, begin_system_ns;
	uint64_t shift_ns;		/* in begin_steady_ns and all times beside the machine's own clock, */
	uint32_t id_offset;		/* ... as this is in process_id and the threads' (timeline.h) */
	bool ended;			/* it ended in order */
	bool damaged;			/* something of it could not be read */
	uint64_t events_bytes;		/* what its events file had at least, as that itself says */

	struct module *modules;		/* in the order of registration */
	size_t module_count;
	struct thread_name *names;
	size_t name_count;
	struct spoor_loss_record *losses;
	size_t loss_count;
	/* While the process file is read: where the latest module of a base is, and the record of
	 * a cause and thread; + 1. */
	struct map64 module_at, loss_at;
	struct map64 outer_ids;		/* of another name space: what its recorder calls a process or thread */
	struct foreign_module *foreign;
	size_t foreign_count;
	struct event_type *event_types;
	size_t event_type_count;
	struct tracepoint *tracepoints;	/* in the order of their numbers, once the process is open */
	size_t tracepoint_count;
	struct spoor_dormant *dormant;	/* of --max-rate, in the order of time */
	size_t dormant_count;
	struct disabling *disabled;	/* in the order of time */
	size_t disabled_count;
	struct noticed_call *triggers;	/* in the order in which they were noticed */
	size_t trigger_count;
	struct interned *strings;	/* in the order of their IDs, once the process is open */
	size_t string_count;
	char **facts;			/* "key=value" */
	size_t fact_count;
	struct thread_roots **roots;	/* each one thread's at one time */
	size_t root_count;
	struct mode_change *modes;	/* in the order of time */
	size_t mode_count;
	bool is_ring;			/* older slices may have been overwritten */
	bool began_ring;
	uint64_t present_counter;	/* when threads that have logged nothing were still there; 0: not known */

	struct clock clock;
	struct block_file events;
	struct pool_file pool;
	struct count_file counts;
	struct order_file order;
	struct thread_index threads;
	uint64_t event_bytes;		/* good blocks of the events file */
	struct version0 *version0;	/* null, or what it was read from in the place of all that */
};

/*
 * process_open - reads all but the events themselves.
 * @directory: of the trace
 * @name:      the process's folder in it
 * @path:      of that folder, for messages
 * @symbols:   where modules' names are looked up
 *
 * What is damaged is said and left out, and @process->damaged is set.
 *
 * Return: 0, or a negative errno where nothing could be read, which has been said.
 */
int process_open(struct process *process, int directory, const char *name, const char *path,
		 struct symbol_cache *symbols);
void process_close(struct process *process);

/* The value of a fact, or null. */
const char *process_fact(const struct process *process, const char *key);

/* What the process is called: its executable's file name. Never null. */
const char *process_title(const struct process *process);

/* process_stopped - when the process was told, for the last time, to store no more events; UINT64_MAX: it was not. */
uint64_t process_stopped(const struct process *process);

/* Whether the process kept the last events alone at any time between the two. */
bool process_was_ring(const struct process *process, uint64_t begin_counter, uint64_t end_counter);

/* A mode's name. Never null. */
const char *process_mode_name(uint32_t mode);

uint64_t process_words(const struct process *process);

/*
 * What process_open is made of. process_read_files takes the records of all files of
 * @folder, and indexes the slices in events file and pool; process_count_pool_words counts
 * the events of those slices that are in the pool alone, once the index is finished.
 *
 * Return: 0, -ENOMEM, or -ENOTSUP where the files are of another version, or written on a
 * machine of the other byte order. What is damaged is said, and @process->damaged set.
 */
int process_read_files(struct process *process, int folder, struct symbol_cache *symbols);
int process_count_pool_words(struct process *process);

/* Takes one block of the process file. Return: 0, -EBADMSG, or -ENOMEM. */
int process_take_record(struct process *process, const struct block *block, struct symbol_cache *symbols);

/* For who follows a process that is still being recorded (follow.h): */

/* An empty one, with what process_close frees. Return: 0 or -ENOMEM. */
int process_init(struct process *process, const char *name, const char *path);

/* Takes the clocks and IDs of any block. */
void process_take_clocks(struct process *process, const struct block *block);

/* What an event block begins with. Return: whether its lengths make sense. */
bool process_slice_info(const struct block *block, struct spoor_slice_info *info);

/* Puts in order what records have brought. Return: 0 or -ENOMEM. */
int process_settle(struct process *process);

/* The tracepoint of this number, or null. */
const struct tracepoint *process_tracepoint(const struct process *process, uint32_t number);

/* What the program interned under this ID, or null. */
const char *process_string(const struct process *process, uint64_t id);

#endif
