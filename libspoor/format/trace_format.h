/* SPDX-License-Identifier: MIT */
/*
 * trace_format.h - the format of a trace in memory and on disk.
 *
 * A trace directory holds one folder for each process image, named by its process ID ("4711"; "4711.1"
 * after an exec), with
 *   process.spoor  blocks that the process writes: facts about itself, modules, names
 *   events.spoor   blocks that the drainer writes
 *   pool.spoor     the pool itself (pool_format.h), while it has unwritten slices
 *   counts.spoor   counted calls (count_format.h), if there are any
 *   order.spoor    the order of first executions (order_format.h), in mode 'order'
 * and, beside the folders, sched.spoor (sched_format.h) if waiting was recorded.
 *
 * The first two files are sequences of blocks. All numbers are little-endian, as the header says. Every
 * block has its checksum, so an incomplete write at the end costs only the last block.
 */
#ifndef SPOOR_TRACE_FORMAT_H
#define SPOOR_TRACE_FORMAT_H

#include <stdint.h>

#define SPOOR_PROCESS_FILE "process.spoor"
#define SPOOR_EVENTS_FILE "events.spoor"
#define SPOOR_POOL_FILE "pool.spoor"

#define SPOOR_TRACE_MAGIC "\xc8Spoor\r\n\x1a\n"	/* 10 bytes, no final NUL */
#define SPOOR_TRACE_MAGIC_SIZE 10

enum spoor_endianness {
	SPOOR_LITTLE_ENDIAN = 0,
	SPOOR_BIG_ENDIAN = 1,
};

enum spoor_compression {
	SPOOR_COMPRESSION_NONE = 0,	/* event words as stored */
	SPOOR_COMPRESSION_SNAPPY = 1,	/* version 0 only */
	SPOOR_COMPRESSION_PACKED = 2,	/* packing.h */
	SPOOR_COMPRESSION_VALUES = 3,	/* packing.h, with packed records of values */
};

#define SPOOR_TRACE_VERSION 1

/* The first 64 bytes, which version 0 has as well (Microsoft's Spoor, trace.h). */
struct spoor_trace_header {
	uint8_t magic[SPOOR_TRACE_MAGIC_SIZE];
	uint8_t endianness;
	uint8_t compression;
	uint32_t version;
	uint64_t session_id;
	int64_t process_id;
	uint64_t thread_id;		/* the kernel's ID; 0 if the block belongs to no single thread */
	int64_t system_clock_ns;	/* CLOCK_REALTIME */
	int64_t steady_clock_ns;	/* CLOCK_MONOTONIC, read together with the above and with `counter` */
	int32_t event_count;		/* in an event block: number of words before packing */
	uint32_t payload_bytes;		/* number of bytes after this header */
};

/* The first 24 bytes of the payload. */
struct spoor_block_extension {
	uint32_t checksum;	/* low half of XXH3-64 over header, extension with 0 here, and body */
	uint16_t kind;		/* enum spoor_block_kind */
	uint16_t flags;		/* enum spoor_block_flags */
	uint64_t sequence;	/* in an event block: struct spoor_slice_info's */
	uint64_t counter;	/* time stamp counter at the time of the two clocks */
};

struct spoor_block {
	struct spoor_trace_header header;
	struct spoor_block_extension extension;
	/* Followed by the body: payload_bytes - sizeof(extension) bytes. */
};

#define SPOOR_BLOCK_BODY_MAX (1u << 20)

enum spoor_block_flags {
	/* Events: the beginning of a slice that was in use. A block with the same thread serial and sequence
	 * number and without this flag has all events of the slice; of two blocks with the flag, the later one
	 * has more. */
	SPOOR_BLOCK_PARTIAL = 1 << 0,
	/* Events: all of a slice that was in use when recording ended; its thread was running at the header's
	 * clocks. Losses: all threads without other data were running at that time. */
	SPOOR_BLOCK_IN_USE = 1 << 1,
};

enum spoor_block_kind {
	SPOOR_BLOCK_EVENTS = 1,		/* struct spoor_slice_info, then event words */
	SPOOR_BLOCK_PROCESS = 2,	/* "key=value" strings, each terminated by NUL */
	SPOOR_BLOCK_MODULE = 3,		/* struct spoor_module_record, build-id, path, soname */
	SPOOR_BLOCK_MODULE_GONE = 4,	/* struct spoor_module_gone */
	SPOOR_BLOCK_THREAD = 5,		/* the kernel's name of header.thread_id, without NUL */
	SPOOR_BLOCK_LOSS = 6,		/* struct spoor_loss_record[]: totals so far; the last block is valid */
	SPOOR_BLOCK_SKIPPED_SLEDS = 7,	/* struct spoor_skipped_sleds: skipped sleds of one module so far */
	SPOOR_BLOCK_FOREIGN = 8,	/* struct spoor_foreign, path with NUL: sleds in no registered module */
	SPOOR_BLOCK_END = 9,		/* empty: the process ended normally */
	SPOOR_BLOCK_NAMED_THREAD = 10,	/* struct spoor_named_thread, the name that the program gave the thread */
	SPOOR_BLOCK_EVENT_TYPE = 11,	/* struct spoor_event_type, the name of a type of user events */
	SPOOR_BLOCK_MODE = 16,		/* struct spoor_mode_record: a change of mode */
	SPOOR_BLOCK_TRIGGER = 20,	/* struct spoor_trigger_record: a call in header.thread_id takes too long */
	SPOOR_BLOCK_STRING = 12,	/* struct spoor_string, text that the program interned, without NUL */
	SPOOR_BLOCK_THREAD_LOST = 24,	/* struct spoor_thread_lost: losses of header.thread_id, in no slice */
	SPOOR_BLOCK_HOOKED_MODULE = 32,	/* like MODULE; the module's unwind table lists the functions */
	SPOOR_BLOCK_LIBRARY_MODULE = 56,	/* like MODULE; the functions are the library's dynamic symbols */
	SPOOR_BLOCK_TRACEPOINT = 36,	/* struct spoor_tracepoint, "provider:name" NUL, path NUL: it was enabled */
	SPOOR_BLOCK_DORMANT = 40,	/* struct spoor_dormant: a function that was called too often */
	SPOOR_BLOCK_DISABLED = 48,	/* struct spoor_disabled, struct spoor_index_run[]: functions of one module */
	SPOOR_BLOCK_OUTSIDE = 44,	/* struct spoor_outside[], and a PROCESS block of the drainer: a container */
	SPOOR_BLOCK_ROOTS = 28,		/* struct spoor_roots, struct spoor_root[]: calls open at the start */
	/* In the file sched.spoor (sched_format.h). */
	SPOOR_BLOCK_SCHED_BEGIN = 64,	/* struct spoor_sched_begin */
	SPOOR_BLOCK_SCHED = 68,		/* struct spoor_sched_info, words: when header.thread_id ran */
	SPOOR_BLOCK_SCHED_LOST = 72,	/* struct spoor_sched_lost */
	SPOOR_BLOCK_SCHED_WAIT = 76,	/* struct spoor_sched_wait, name NUL, target NUL: header.thread_id waits */
	SPOOR_BLOCK_SCHED_CALLS = 80,	/* struct spoor_sched_info, entries: system calls of header.thread_id */
	SPOOR_BLOCK_SCHED_NAMES = 84,	/* names of system calls (system_call_format.h) */
	SPOOR_BLOCK_SCHED_CALLS_LOST = 88,	/* struct spoor_sched_lost: begins and ends of system calls */
	SPOOR_BLOCK_SCHED_TARGET = 92,	/* struct spoor_sched_target, name NUL: a descriptor of header.process_id */
	SPOOR_BLOCK_CAPTURE = 52,	/* struct spoor_capture_record ... (values_format.h): stored arguments */
};

struct spoor_module_record {
	uint32_t module_id;
	uint32_t base;		/* dense index of local function 0 */
	uint32_t count;		/* number of functions */
	uint32_t build_id_bytes;
	uint64_t load_bias;	/* run-time address minus the ELF file's virtual address */
	uint64_t counter;	/* when the module was registered */
	/* Followed by build_id_bytes bytes, path NUL, soname NUL ("" if the module has no soname). */
};

struct spoor_module_gone {
	uint32_t base;
	uint32_t count;
	uint64_t counter;
};

enum spoor_loss_cause {
	SPOOR_LOSS_POOL_EXHAUSTED = 0,	/* no slice was free */
	SPOOR_LOSS_NO_THREAD,		/* a thread could not be set up */
	SPOOR_LOSS_HOLE,		/* reserved and never stored */
	SPOOR_LOSS_WRITE,		/* the disk was full, or writing failed */
	SPOOR_LOSS_THREAD_FULL,		/* the thread had its share of waiting slices */
	SPOOR_LOSS_CLEARED,		/* the program cleared the pool */
	SPOOR_LOSS_LIMIT,		/* the file had reached --max-size */
	SPOOR_LOSS_COUNT,
};

/* Once besides the causes: the number of bytes that the file had then, instead of events. */
#define SPOOR_LOSS_FILE_BYTES 256u

struct spoor_loss_record {
	uint32_t cause;		/* enum spoor_loss_cause, or SPOOR_LOSS_FILE_BYTES */
	uint32_t thread_id;	/* 0: unknown */
	uint64_t events;
};

/* Number of sleds of a module that the patcher skipped, by reason. */
struct spoor_skipped_sleds {
	uint32_t base;
	uint32_t other_kind;		/* XRay's custom and typed event sleds */
	uint32_t unexpected_bytes;	/* a breakpoint of a debugger or a uprobe, or not a sled */
	uint32_t conditional_jump;	/* conditional tail call */
	uint32_t stack_operand;		/* tail call through memory relative to the stack pointer */
	uint32_t no_function;		/* the function is not in the module's function table */
	uint32_t out_of_reach;		/* the thunk is too far away, or the text cannot be made writable */
	uint32_t padding;
};

struct spoor_foreign {
	uint64_t sleds;			/* number of sleds, and SPOOR_FOREIGN_ELSEWHERE */
};

/* Flag: the module is in another dlmopen() name space than libspoor.so. */
#define SPOOR_FOREIGN_ELSEWHERE (UINT64_C(1) << 63)

struct spoor_named_thread {
	uint32_t thread_serial;
	uint32_t padding;
};

struct spoor_event_type {
	uint32_t type;
	uint32_t payload_1;	/* 0: a number; 1: the ID of an interned string */
};

enum spoor_mode_number {
	SPOOR_MODE_NUMBER_LOG = 0,
	SPOOR_MODE_NUMBER_RING = 1,
	SPOOR_MODE_NUMBER_COUNT = 2,
	SPOOR_MODE_NUMBER_OFF = 3,
	SPOOR_MODE_NUMBER_ORDER = 4,
};

/* Written when a thread or the process ends: all losses of the thread. */
struct spoor_thread_lost {
	uint32_t thread_serial;
	uint32_t padding;
	uint64_t events;
};

/* The fact "mode" of the process is the mode that it began in. */
struct spoor_mode_record {
	uint32_t mode;		/* enum spoor_mode_number: the mode from now on */
	uint32_t padding;
	uint64_t counter;
};

struct spoor_string {
	uint64_t id;
};

struct spoor_tracepoint {
	uint32_t number;	/* number in its events; from 1 */
	uint32_t padding;
};

/* A call that took longer than a trigger allows, or whose values fulfil a trigger's condition. */
struct spoor_trigger_record {
	uint64_t began;		/* counter when the call began */
	uint64_t noticed;	/* counter when the drainer noticed */
	uint64_t ended;		/* counter when the call ended; 0: it had not ended when noticed */
	uint64_t limit_ns;	/* 0: its values fulfil the condition */
	uint32_t index;		/* dense index of the function */
	uint32_t thread_serial;
	uint32_t number;	/* number among the process's records, from 1 */
	uint32_t before_ms, after_ms;	/* time to keep before and after the call */
	uint32_t padding;
};

/*
 * A function whose sleds were disabled because its calls would have cost too much. A DISABLED block
 * has the time of that change.
 */
struct spoor_dormant {
	uint64_t counter;
	uint64_t calls;		/* before the change */
	uint64_t rate, limit;	/* calls per second: measured, and allowed */
	uint32_t index;		/* dense index of the function */
	uint32_t padding;
};

/* Functions that were disabled while events are stored. Calls of them that were open then have no exits. */
struct spoor_disabled {
	uint64_t asked, counter;	/* the change happened between these two counters */
};

struct spoor_index_run {
	uint32_t first, count;	/* of dense indexes */
};

/* IDs of a process or thread of another PID name space: @inside, which all other blocks use, and @outside,
 * which its recorder sees. The last record is valid. */
struct spoor_outside {
	uint32_t inside, outside;
};

/*
 * The calls that were open in a thread when recording of its calls began, if their exits are recorded:
 * the outermost first. They replace all calls that were open so far. Their place is before the first
 * slice that was handed out after @counter, or after the gap (SPOOR_EXTENDED_GAP) with this counter or
 * a later one.
 */
struct spoor_roots {
	uint64_t counter;		/* when the stack was read */
	uint32_t thread_serial;		/* 0: the first thread from then on with header.thread_id */
	uint32_t count;
	uint32_t flags;			/* enum spoor_roots_flags */
	uint32_t padding;
};

enum spoor_roots_flags {
	SPOOR_ROOTS_CUT = 1 << 0,	/* the stack could not be read completely: other calls are around these */
};

struct spoor_root {
	uint32_t index;			/* dense index of the function */
	uint32_t frame;			/* SPOOR_FRAME_BITS; 0: unknown */
};

#define SPOOR_ROOTS_MAX 65536u		/* per thread, the innermost */

/*
 * Event words
 *
 * One event is one 64-bit word, never 0:
 *   bits 0-31   low half of the time stamp counter
 *   bits 32-60  dense index of the function; for a frame, 29 bits of its address
 *   bits 61-63  enum spoor_event_kind
 * A patched sled has the upper half of the word as its immediate operand. Of all times that end in
 * the bits of a word, the right one is nearest to the time of the word before; for the first word, nearest to
 * spoor_slice_info.counter. The order of the slots gives the nesting, and a time that runs backwards is raised
 * to the time of the word before.
 *
 * A function in which exceptions or longjmp may arrive stores a frame word after its entry, which says
 * where its frame is. It stores an unwind word when an exception or longjmp has arrived: all calls
 * inside the call with this frame have ended.
 *
 * A function that changes stacks stores a switch word with its frame before and after. The calls that
 * were open before are open again after; the events between belong to other stacks.
 *
 * A word of kind SPOOR_EVENT_EXTENDED has an enum spoor_extended_type as its low half, and as its index
 * the number of words that follow it. The first word is stored last. A reader skips an unknown type by
 * its length.
 */
enum spoor_event_kind {
	SPOOR_EVENT_ENTRY = 1,
	SPOOR_EVENT_EXIT = 2,
	SPOOR_EVENT_TAIL_EXIT = 3,
	SPOOR_EVENT_FRAME = 4,		/* frame of the innermost open call */
	SPOOR_EVENT_UNWIND = 5,		/* frame of the call that is innermost from now on */
	SPOOR_EVENT_SWITCH = 6,		/* frame of the call that leaves its stack, or is back on it */
	SPOOR_EVENT_EXTENDED = 7,
};

#define SPOOR_INDEX_BITS 29
#define SPOOR_INDEX_MAX ((1u << SPOOR_INDEX_BITS) - 1)
#define SPOOR_EVENT_CODE(kind, index) (((uint32_t)(kind) << SPOOR_INDEX_BITS) | (uint32_t)(index))
#define SPOOR_EVENT_WORD(kind, index, counter) \
	(((uint64_t)SPOOR_EVENT_CODE(kind, index) << 32) | (uint32_t)(counter))

/* A frame is identified by the address of its return address, which is 8 modulo 16. */
#define SPOOR_FRAME_SHIFT 4
/* In a switch: the upper bit of the index says whether the frame continues; the other bits are the frame's. */
#define SPOOR_SWITCH_GOES_ON (1u << (SPOOR_INDEX_BITS - 1))
#define SPOOR_FRAME_BITS(address) ((uint32_t)((uint64_t)(address) >> SPOOR_FRAME_SHIFT) & SPOOR_INDEX_MAX)

enum spoor_extended_type {
	SPOOR_EXTENDED_NOP = 1,		/* 0 words */
	SPOOR_EXTENDED_TIME = 2,	/* 1: the full counter */
	SPOOR_EXTENDED_TIMED_EVENT = 3,	/* 2: the full counter; an event's upper half as a number */
	SPOOR_EXTENDED_LOST = 4,	/* 2: events lost here; enum spoor_loss_cause */
	/* 1: the full counter. The thread may have run in a mode that stores no events: calls that were open
	 * before may have ended. */
	SPOOR_EXTENDED_GAP = 8,
	SPOOR_EXTENDED_USER = 5,	/* 4, or 5 with its own time: spoor_user_pack */
	SPOOR_EXTENDED_TRACEPOINT = 6,	/* 3, and one per argument: spoor_tracepoint_unpack */
	SPOOR_EXTENDED_VALUES = 9,	/* arguments or result of the next entry or exit: values_format.h */
};

/* Tells if the record is an event. The first word of its payload is the full counter and SPOOR_USER_MARK. */
static inline int spoor_extended_is_event(uint32_t type)
{
	return type == SPOOR_EXTENDED_USER || type == SPOOR_EXTENDED_TRACEPOINT;
}
#define SPOOR_EXTENDED_WORDS_MAX 255
#define SPOOR_NOP_WORD SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 0, SPOOR_EXTENDED_NOP)

/*
 * A user event. Words 1 to 5 hold 60 bits each below SPOOR_USER_MARK, so that no word is zero or looks
 * like an event while the first word is missing:
 *   the counter; payload 1, low 48 bits; payload 1 >> 48 and type << 16; payload 2;
 *   CLOCK_MONOTONIC nanoseconds, if the program gave the time
 * Types with a clear upper bit are reserved. SPOOR_EVENT_ENTRY and SPOOR_EVENT_EXIT are injected calls,
 * whose payload 1 is a function ID. If payload 2 is SPOOR_USER_SCOPE they are named scopes, whose
 * payload 1 is the ID of an interned string.
 */
#define SPOOR_USER_SCOPE 1u
#define SPOOR_USER_MARK ((uint64_t)1 << 60)
#define SPOOR_USER_WORDS 4u
#define SPOOR_USER_OWN_TIME_WORDS 5u

struct spoor_user_event {
	uint64_t counter, payload_1, steady_ns;
	uint32_t type, payload_2;
};

static inline void spoor_user_pack(const struct spoor_user_event *event, uint64_t words[SPOOR_USER_OWN_TIME_WORDS])
{
	words[0] = SPOOR_USER_MARK | (event->counter & (SPOOR_USER_MARK - 1));
	words[1] = SPOOR_USER_MARK | (event->payload_1 & 0xffffffffffff);
	words[2] = SPOOR_USER_MARK | event->payload_1 >> 48 | (uint64_t)event->type << 16;
	words[3] = SPOOR_USER_MARK | event->payload_2;
	words[4] = SPOOR_USER_MARK | (event->steady_ns & (SPOOR_USER_MARK - 1));
}

/* @count: number of @words, at least SPOOR_USER_WORDS */
static inline void spoor_user_unpack(const uint64_t *words, uint32_t count, struct spoor_user_event *event)
{
	event->counter = words[0] & (SPOOR_USER_MARK - 1);
	event->payload_1 = (words[1] & 0xffffffffffff) | words[2] << 48;
	event->type = (uint32_t)(words[2] >> 16);
	event->payload_2 = (uint32_t)words[3];
	event->steady_ns = count < SPOOR_USER_OWN_TIME_WORDS ? 0 : words[4] & (SPOOR_USER_MARK - 1);
}

/*
 * A thread reached a static tracepoint. The words hold 60 bits each below SPOOR_USER_MARK, for the same
 * reason:
 *   1  the counter
 *   2  4 bits for each argument's type, and the low 12 bits of the tracepoint's number << 48
 *   3  the upper 4 bits of each argument, and number >> 12 << 48
 *   4  the lower 60 bits of the first argument, and so on
 * The first argument's bits are the lowest. The types are enum spoor_argument_type.
 */
#define SPOOR_TRACEPOINT_WORDS 3u
#define SPOOR_TRACEPOINT_ARGUMENTS_MAX 12u
#define SPOOR_TRACEPOINT_NUMBER_MAX 0xffffffu
#define SPOOR_TRACEPOINT_TYPES_MASK 0xffffffffffffull

enum spoor_argument_type {
	SPOOR_ARGUMENT_LOGARITHM = 3,	/* of the size in bytes */
	SPOOR_ARGUMENT_SIGNED = 4,
	SPOOR_ARGUMENT_POINTER = 8,
	SPOOR_ARGUMENT_REAL = 12,	/* both flags: an IEEE 754 number of 4 or 8 bytes */
};

struct spoor_tracepoint_event {
	uint64_t counter;
	uint64_t types;
	uint32_t number;
	uint32_t count;			/* number of arguments */
	uint64_t arguments[SPOOR_TRACEPOINT_ARGUMENTS_MAX];
};

/* @count: number of @words, at least SPOOR_TRACEPOINT_WORDS. Surplus arguments are ignored. */
static inline void spoor_tracepoint_unpack(const uint64_t *words, uint32_t count, struct spoor_tracepoint_event *event)
{
	event->counter = words[0] & (SPOOR_USER_MARK - 1);
	event->types = words[1] & SPOOR_TRACEPOINT_TYPES_MASK;
	event->number = (uint32_t)(words[1] >> 48 & 0xfff) | (uint32_t)(words[2] >> 48 & 0xfff) << 12;
	event->count = count - SPOOR_TRACEPOINT_WORDS;
	if (event->count > SPOOR_TRACEPOINT_ARGUMENTS_MAX)
		event->count = SPOOR_TRACEPOINT_ARGUMENTS_MAX;
	for (uint32_t i = 0; i < event->count; i++)
		event->arguments[i] = (words[SPOOR_TRACEPOINT_WORDS + i] & (SPOOR_USER_MARK - 1)) |
				      words[2] >> (4 * i) << 60;
}

/* Describes a slice: an element of the pool, and the begin of the body of an event block. */
struct spoor_slice_info {
	uint64_t counter;	/* full counter when it was handed out; 0: it never was */
	uint64_t sequence;	/* position among the thread's slices, from 0 */
	uint32_t process_id;
	uint32_t thread_id;	/* the kernel's ID */
	uint32_t thread_serial;	/* tells threads apart that have the same kernel ID in turn */
	uint32_t words;		/* words reserved from `offset` on when it was retired; 0: in use */
	uint64_t lost;		/* events that this thread lost before this slice, since it began */
	uint32_t holes;		/* words reserved and never stored; set by the drainer */
	uint32_t offset;	/* offset of the first event word in the slice, in bytes */
	/* Used by the process in ring mode. */
	int64_t ended_ns;	/* CLOCK_MONOTONIC when its thread ended; 0: before that; SPOOR_SLICE_TAKEN in any mode */
	uint32_t next;		/* slice + 1 that the thread used after this one; 0: none */
	/* In the pool: words that the drainer wrote while the slice was in use. In the events file: number of events in
	 * these words, plus 1; 0: unknown. */
	uint32_t flushed;
};

/* The slice was taken from its thread before it was full, and the thread went on without it. */
#define SPOOR_SLICE_TAKEN (-1)

#define SPOOR_SLICE_BYTES 32768u
#define SPOOR_SLICE_WORDS (SPOOR_SLICE_BYTES / 8)

_Static_assert(sizeof(struct spoor_trace_header) == 64, "version 0's header");
_Static_assert(sizeof(struct spoor_block_extension) == 24, "no padding");
_Static_assert(sizeof(struct spoor_slice_info) == 64, "it fits a cache line");
_Static_assert(sizeof(struct spoor_roots) + SPOOR_ROOTS_MAX * sizeof(struct spoor_root) <= SPOOR_BLOCK_BODY_MAX,
	       "all roots of a thread fit into a block");

#endif
