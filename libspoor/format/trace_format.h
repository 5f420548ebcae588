/* SPDX-License-Identifier: MIT */
/*
 * trace_format.h - a trace as it lies in memory and on disk.
 *
 * A trace directory holds one folder for each process image, named by its
 * process ID ("4711"; "4711.1" after an exec), with
 *   process.spoor  blocks written by the process: itself, modules, names
 *   events.spoor   blocks written by whoever drains the pool
 *   pool.spoor     the pool itself (pool_format.h), while slices are left in it
 *   counts.spoor   what was counted (count_format.h), where anything was
 *   order.spoor    which function came when (order_format.h), in mode 'order'
 *
 * The first two are rows of blocks, appended. Everything is little-endian (the
 * header says so), every block carries its checksum, and a torn tail costs
 * the torn block and nothing else.
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
	SPOOR_COMPRESSION_NONE = 0,	/* event words as they were stored */
	SPOOR_COMPRESSION_SNAPPY = 1,	/* version 0 only */
	SPOOR_COMPRESSION_PACKED = 2,	/* packing.h */
};

#define SPOOR_TRACE_VERSION 1

/* The 64 bytes that version 0 has as well (Microsoft's Spoor, trace.h). */
struct spoor_trace_header {
	uint8_t magic[SPOOR_TRACE_MAGIC_SIZE];
	uint8_t endianness;
	uint8_t compression;
	uint32_t version;
	uint64_t session_id;
	int64_t process_id;
	uint64_t thread_id;		/* the kernel's; 0 where it is not one thread's */
	int64_t system_clock_ns;	/* CLOCK_REALTIME, */
	int64_t steady_clock_ns;	/* CLOCK_MONOTONIC, and below `counter`, read together */
	int32_t event_count;		/* words before packing, in an event block */
	uint32_t payload_bytes;		/* all that follows this header */
};

/* The payload's first 24 bytes. */
struct spoor_block_extension {
	uint32_t checksum;	/* low half of XXH3-64 over the header, this with 0 here, the body */
	uint16_t kind;		/* enum spoor_block_kind */
	uint16_t flags;		/* enum spoor_block_flags */
	uint64_t sequence;	/* event blocks: struct spoor_slice_info's */
	uint64_t counter;	/* time stamp counter at the moment of the two clocks */
};

struct spoor_block {
	struct spoor_trace_header header;
	struct spoor_block_extension extension;
	/* then the body: payload_bytes - sizeof(extension) bytes */
};

#define SPOOR_BLOCK_BODY_MAX (1u << 20)

enum spoor_block_flags {
	/* Events: the beginning of a slice that was still in use. Whatever has the same
	 * thread serial and sequence number and not this flag holds all of it; of
	 * two that have it, the later one. */
	SPOOR_BLOCK_PARTIAL = 1 << 0,
	/* Events: all of a slice that was still in use when recording ended; its thread was
	 * there at the header's clocks. Losses: so were all threads of which nothing else is said. */
	SPOOR_BLOCK_IN_USE = 1 << 1,
};

enum spoor_block_kind {
	SPOOR_BLOCK_EVENTS = 1,		/* struct spoor_slice_info, then event words */
	SPOOR_BLOCK_PROCESS = 2,	/* "key=value" strings, each with its NUL */
	SPOOR_BLOCK_MODULE = 3,		/* struct spoor_module_record, build-id, path, soname */
	SPOOR_BLOCK_MODULE_GONE = 4,	/* struct spoor_module_gone */
	SPOOR_BLOCK_THREAD = 5,		/* the name of header.thread_id, no NUL */
	SPOOR_BLOCK_LOSS = 6,		/* struct spoor_loss_record[], totals so far; the last counts */
	SPOOR_BLOCK_LEFT_ALONE = 7,	/* struct spoor_left_alone, totals of one module so far */
	SPOOR_BLOCK_FOREIGN = 8,	/* struct spoor_foreign, path with its NUL: sleds, not registered */
	SPOOR_BLOCK_END = 9,		/* empty: the process ended in order */
	SPOOR_BLOCK_NAMED_THREAD = 10,	/* struct spoor_named_thread, the name that it gave itself */
	SPOOR_BLOCK_EVENT_TYPE = 11,	/* struct spoor_event_type, the name of a user event's type */
	SPOOR_BLOCK_MODE = 16,		/* struct spoor_mode_record, of each change */
	SPOOR_BLOCK_TRIGGER = 20,	/* struct spoor_trigger_record: a call of header.thread_id's takes long */
	SPOOR_BLOCK_STRING = 12,	/* struct spoor_string, what the program interned; no NUL */
	SPOOR_BLOCK_THREAD_LOST = 24,	/* struct spoor_thread_lost: what no slice of header.thread_id's says */
	SPOOR_BLOCK_HOOKED_MODULE = 32,	/* as MODULE; its functions are those of its unwind table */
	SPOOR_BLOCK_TRACEPOINT = 36,	/* struct spoor_tracepoint, "provider:name" NUL, path NUL: one that was on */
	SPOOR_BLOCK_DORMANT = 40,	/* struct spoor_dormant: a function that was called too often */
	SPOOR_BLOCK_DISABLED = 48,	/* struct spoor_disabled, struct spoor_index_run[]: functions of one module */
	SPOOR_BLOCK_OUTSIDE = 44,	/* struct spoor_outside[], and a PROCESS block: the drainer's, of a container */
	SPOOR_BLOCK_ROOTS = 28,		/* struct spoor_roots, struct spoor_root[]: calls that were open before */
};

struct spoor_module_record {
	uint32_t module_id;
	uint32_t base;		/* dense index of local function 0 */
	uint32_t count;		/* of functions */
	uint32_t build_id_bytes;
	uint64_t load_bias;	/* run-time address minus the ELF file's virtual address */
	uint64_t counter;	/* when it was registered */
	/* then build_id_bytes bytes, path NUL, soname NUL ("" where it has none) */
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
	SPOOR_LOSS_WRITE,		/* the disk was full, or failed */
	SPOOR_LOSS_THREAD_FULL,		/* as many of the thread's as may wait did wait */
	SPOOR_LOSS_CLEARED,		/* the program wanted it so */
	SPOOR_LOSS_LIMIT,		/* as much as may be written was (--max-size) */
	SPOOR_LOSS_COUNT,
};

/* Beside the causes, once: not events, but how many bytes the file had by then. */
#define SPOOR_LOSS_FILE_BYTES 256u

struct spoor_loss_record {
	uint32_t cause;		/* enum spoor_loss_cause, or SPOOR_LOSS_FILE_BYTES */
	uint32_t thread_id;	/* 0: not known */
	uint64_t events;
};

/* Sleds that the patcher would not touch, and why. */
struct spoor_left_alone {
	uint32_t base;
	uint32_t other_kind;		/* XRay's custom and typed event sleds */
	uint32_t unexpected_bytes;	/* a debugger's, a uprobe's, or not a sled */
	uint32_t conditional_jump;
	uint32_t stack_operand;		/* tail call through memory based on the stack pointer */
	uint32_t no_function;		/* the function is not in the module's table */
	uint32_t out_of_reach;		/* the module's text could not be made writable */
	uint32_t padding;
};

struct spoor_foreign {
	uint64_t sleds;			/* their number, and the bit below */
};

/* It is in a name space of its own, where libspoor.so is not. */
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

/* At a thread's end, or the process's: all that it lost since it began. */
struct spoor_thread_lost {
	uint32_t thread_serial;
	uint32_t padding;
	uint64_t events;
};

/* The process's fact "mode" says which mode it began in. */
struct spoor_mode_record {
	uint32_t mode;		/* enum spoor_mode_number: what holds from now on */
	uint32_t padding;
	uint64_t counter;
};

struct spoor_string {
	uint64_t id;
};

struct spoor_tracepoint {
	uint32_t number;	/* as in its events; from 1 */
	uint32_t padding;
};

/* A call that took longer than a trigger allows. */
struct spoor_trigger_record {
	uint64_t began;		/* counters: when it began, */
	uint64_t noticed;	/* ... when that was noticed, */
	uint64_t ended;		/* ... when it ended; 0: it had not, when it was noticed */
	uint64_t limit_ns;
	uint32_t index;		/* of the function */
	uint32_t thread_serial;
	uint32_t number;	/* among the process's, from 1 */
	uint32_t before_ms, after_ms;	/* what was to be kept */
	uint32_t padding;
};

/*
 * A function whose sleds a recorder has had made dormant: what its calls would have cost was too much. When that was
 * done a DISABLED block says.
 */
struct spoor_dormant {
	uint64_t counter;
	uint64_t calls;		/* until then */
	uint64_t rate, limit;	/* calls a second: as they were when it was noticed, and as are allowed */
	uint32_t index;
	uint32_t padding;
};

/* Functions that were made dormant while events are stored. Calls of them that were open then have no exits. */
struct spoor_disabled {
	uint64_t asked, counter;	/* they became so between the two */
};

struct spoor_index_run {
	uint32_t first, count;	/* of dense indexes */
};

/* A process or thread of another name space: as it is called in there, and in all other blocks, and as its recorder
 * calls it. The latest counts. */
struct spoor_outside {
	uint32_t inside, outside;
};

/*
 * The calls that were open in a thread when its calls began to be recorded, those whose
 * exits are: the outermost first. They take the place of all that was open so far, before
 * the first slice that was handed out after @counter, or behind the gap
 * (SPOOR_EXTENDED_GAP) that has this counter or a later one.
 */
struct spoor_roots {
	uint64_t counter;		/* when they were looked at */
	uint32_t thread_serial;		/* 0: the first thread from then on that is header.thread_id */
	uint32_t count;
	uint32_t flags;			/* enum spoor_roots_flags */
	uint32_t padding;
};

enum spoor_roots_flags {
	SPOOR_ROOTS_CUT = 1 << 0,	/* the stack could not be read to its begin: others are around them */
};

struct spoor_root {
	uint32_t index;			/* of the function */
	uint32_t frame;			/* SPOOR_FRAME_BITS; 0: not known */
};

#define SPOOR_ROOTS_MAX 65536u		/* of one thread, the innermost */

/*
 * Event words
 *
 * One event is one 64-bit word, never 0:
 *   bits 0-31   low half of the time stamp counter
 *   bits 32-60  dense index of the function; of a frame, 29 bits of its address
 *   bits 61-63  enum spoor_event_kind
 * The upper half of the word is what a patched sled holds as its immediate.
 * A word is dated as the time nearest to its predecessor's; the first one's
 * predecessor is spoor_slice_info.counter. Slot order gives the structure,
 * and a time that runs backwards is clamped to its predecessor's.
 *
 * Functions in which exceptions or longjmp may arrive follow up their entry with
 * a word that says where their frame is, and log another one where such a thing
 * has arrived: all calls within the one that has this frame are gone.
 *
 * A function that changes stacks says so with its frame before and after: what was open
 * before is open again after, and nothing else; what comes between is another stack's.
 *
 * Kind SPOOR_EVENT_EXTENDED has as its low half an enum spoor_extended_type and
 * as its index the number of words that follow it. The first word is stored
 * last. An unknown type is skipped by its length.
 */
enum spoor_event_kind {
	SPOOR_EVENT_ENTRY = 1,
	SPOOR_EVENT_EXIT = 2,
	SPOOR_EVENT_TAIL_EXIT = 3,
	SPOOR_EVENT_FRAME = 4,		/* of the innermost open call */
	SPOOR_EVENT_UNWIND = 5,		/* the frame that is the innermost from now on */
	SPOOR_EVENT_SWITCH = 6,		/* the frame that leaves its stack, or is on it again */
	SPOOR_EVENT_EXTENDED = 7,
};

#define SPOOR_INDEX_BITS 29
#define SPOOR_INDEX_MAX ((1u << SPOOR_INDEX_BITS) - 1)
#define SPOOR_EVENT_CODE(kind, index) (((uint32_t)(kind) << SPOOR_INDEX_BITS) | (uint32_t)(index))
#define SPOOR_EVENT_WORD(kind, index, counter) \
	(((uint64_t)SPOOR_EVENT_CODE(kind, index) << 32) | (uint32_t)(counter))

/* A frame is known by where its return address lies, which is 8 modulo 16. */
#define SPOOR_FRAME_SHIFT 4
/* Of a switch: the upper bit of the index says whether the frame goes on, the others
 * are the frame's. */
#define SPOOR_SWITCH_GOES_ON (1u << (SPOOR_INDEX_BITS - 1))
#define SPOOR_FRAME_BITS(address) ((uint32_t)((uint64_t)(address) >> SPOOR_FRAME_SHIFT) & SPOOR_INDEX_MAX)

enum spoor_extended_type {
	SPOOR_EXTENDED_NOP = 1,		/* 0 words */
	SPOOR_EXTENDED_TIME = 2,	/* 1: the full counter */
	SPOOR_EXTENDED_TIMED_EVENT = 3,	/* 2: the full counter; an event's upper half as a number */
	SPOOR_EXTENDED_LOST = 4,	/* 2: events lost here; enum spoor_loss_cause */
	/* 1: the full counter. The thread may have run unrecorded, in a mode that stores no
	 * events: what was open before is not known to be open any more. */
	SPOOR_EXTENDED_GAP = 8,
	SPOOR_EXTENDED_USER = 5,	/* 4, or 5 with its own time: spoor_user_pack */
	SPOOR_EXTENDED_TRACEPOINT = 6,	/* 3, and one for each argument: spoor_tracepoint_pack */
};

/* Those that are events of themselves; their first word is the full counter and SPOOR_USER_MARK. */
static inline int spoor_extended_is_event(uint32_t type)
{
	return type == SPOOR_EXTENDED_USER || type == SPOOR_EXTENDED_TRACEPOINT;
}
#define SPOOR_EXTENDED_WORDS_MAX 255
#define SPOOR_NOP_WORD SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 0, SPOOR_EXTENDED_NOP)

/*
 * A user event. Words 1 to 5 hold 60 bits each below SPOOR_USER_MARK, so that none is
 * zero or looks like an event while the first one is still missing:
 *   the counter; payload 1, low 48 bits; payload 1 >> 48 and type << 16; payload 2;
 *   CLOCK_MONOTONIC nanoseconds, where the program gave the time itself
 * Types with the upper bit clear are spoor's: SPOOR_EVENT_ENTRY and _EXIT are injected
 * calls, whose payload 1 is a function ID, or with SPOOR_USER_SCOPE as payload 2 named
 * scopes, whose payload 1 is an interned string's.
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

/* @words: how many there are, at least SPOOR_USER_WORDS */
static inline void spoor_user_unpack(const uint64_t *words, uint32_t count, struct spoor_user_event *event)
{
	event->counter = words[0] & (SPOOR_USER_MARK - 1);
	event->payload_1 = (words[1] & 0xffffffffffff) | words[2] << 48;
	event->type = (uint32_t)(words[2] >> 16);
	event->payload_2 = (uint32_t)words[3];
	event->steady_ns = count < SPOOR_USER_OWN_TIME_WORDS ? 0 : words[4] & (SPOOR_USER_MARK - 1);
}

/*
 * A static tracepoint was reached. The words hold 60 bits each below SPOOR_USER_MARK, for the same
 * reason:
 *   the counter; 4 bits for each argument's type, and its number's low 12 bits << 48; the upper 4
 *   bits of each argument, and number >> 12 << 48; then the lower 60 bits of each argument
 * The first argument has the lowest 4 bits of these: enum spoor_argument_type.
 */
#define SPOOR_TRACEPOINT_WORDS 3u
#define SPOOR_TRACEPOINT_ARGUMENTS_MAX 12u
#define SPOOR_TRACEPOINT_NUMBER_MAX 0xffffffu
#define SPOOR_TRACEPOINT_TYPES_MASK 0xffffffffffffull

enum spoor_argument_type {
	SPOOR_ARGUMENT_LOGARITHM = 3,	/* of the size in bytes */
	SPOOR_ARGUMENT_SIGNED = 4,
	SPOOR_ARGUMENT_POINTER = 8,
	SPOOR_ARGUMENT_REAL = 12,	/* both: a real number of 4 or 8 bytes, as IEEE 754 has them */
};

struct spoor_tracepoint_event {
	uint64_t counter;
	uint64_t types;
	uint32_t number;
	uint32_t count;			/* of arguments */
	uint64_t arguments[SPOOR_TRACEPOINT_ARGUMENTS_MAX];
};

/* @words: @count of them, at least SPOOR_TRACEPOINT_WORDS. What is more than there may be is left out. */
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

/* What is known of a slice, in the pool, and what an event block's body begins with. */
struct spoor_slice_info {
	uint64_t counter;	/* full counter when it was handed out; 0: never was */
	uint64_t sequence;	/* among the thread's slices, from 0 */
	uint32_t process_id;
	uint32_t thread_id;	/* the kernel's */
	uint32_t thread_serial;	/* tells threads apart that had one kernel ID in turn */
	uint32_t words;		/* from `offset` on, reserved when it was retired; 0: was still in use */
	uint64_t lost;		/* by this thread before this slice, since it began */
	uint32_t holes;		/* words reserved and never stored: filled in by the drainer */
	uint32_t offset;	/* in bytes, of the first event word in the slice */
	/* The process's own, in circular mode. */
	int64_t ended_ns;	/* CLOCK_MONOTONIC, when its thread had ended; 0: before that */
	uint32_t next;		/* the slice + 1 that the thread took after this one; 0: none */
	uint32_t flushed;	/* words that were written while it was in use: the drainer's; in a trace 0 */
};

#define SPOOR_SLICE_BYTES 32768u
#define SPOOR_SLICE_WORDS (SPOOR_SLICE_BYTES / 8)

_Static_assert(sizeof(struct spoor_trace_header) == 64, "version 0's header");
_Static_assert(sizeof(struct spoor_block_extension) == 24, "no padding");
_Static_assert(sizeof(struct spoor_slice_info) == 64, "one cache line");
_Static_assert(sizeof(struct spoor_roots) + SPOOR_ROOTS_MAX * sizeof(struct spoor_root) <= SPOOR_BLOCK_BODY_MAX,
	       "a block has room for them");

#endif
