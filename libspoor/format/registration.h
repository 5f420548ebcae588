/* SPDX-License-Identifier: MIT */
/*
 * registration.h - what a traced module hands to libspoor.so, and what it is
 * made of. The only header that libspoor_dso/ shares with the runtime.
 *
 * Every structure here lies in other people's binaries, which are older or
 * newer than the runtime that reads them: sizes and meanings never change,
 * struct spoor_dso only grows at its end.
 */
#ifndef SPOOR_REGISTRATION_H
#define SPOOR_REGISTRATION_H

#include <stddef.h>
#include <stdint.h>

#define SPOOR_DSO_VERSION 1

/* The ELF note (owner "spoor") through which the struct is found without its
 * constructor having run. Its descriptor is a 64-bit offset from the
 * descriptor itself to struct spoor_dso. */
#define SPOOR_NOTE_OWNER "spoor"
#define SPOOR_NOTE_DSO 1

/* 4 is a tracepoint's: spoor/sdt.h. */

/* Another note of the same owner, in an executable: the runtime is there, and does
 * nothing until the program calls it. Its descriptor is one word. */
#define SPOOR_NOTE_ASLEEP 2
enum spoor_asleep {
	SPOOR_ASLEEP_NOT_INITIALIZED = 1,	/* spoor_initialize() first, */
	SPOOR_ASLEEP_NOT_ENABLED = 2,		/* ... then spoor_enable() */
};

/* A third, in whatever the runtime is linked into: its version, as text, filled up with zeros. */
#define SPOOR_NOTE_VERSION 3
#define SPOOR_NOTE_VERSION_BYTES 16

/* One entry of the section xray_instr_map, version 2: LLVM's own layout
 * (llvm/lib/CodeGen/AsmPrinter, emitXRayTable). */
struct spoor_sled {
	int64_t address;	/* of the sled, relative to this field */
	int64_t function;	/* of its function, relative to this field */
	uint8_t kind;		/* enum spoor_sled_kind */
	uint8_t always;
	uint8_t version;	/* 2 */
	uint8_t padding[13];
};

enum spoor_sled_kind {
	SPOOR_SLED_ENTRY = 0,
	SPOOR_SLED_EXIT = 1,
	SPOOR_SLED_TAIL = 2,
	SPOOR_SLED_ENTRY_ARGUMENTS = 3,
	SPOOR_SLED_CUSTOM_EVENT = 4,
	SPOOR_SLED_TYPED_EVENT = 5,
};

/* One entry of the function table, the section spoor_functions: what LLVM makes
 * of !pcsections (llvm/lib/CodeGen/AsmPrinter, emitPCSections). The position of
 * an entry in its module's table is the function's local ID. The table may
 * begin at any address. */
struct spoor_function {
	int32_t address;	/* relative to this field */
	uint32_t size;		/* of its code, in bytes; 0 if LLVM could not tell (14) */
	uint32_t unit;		/* content hash of its translation unit */
	uint32_t position;	/* in that unit, from 0, and enum spoor_function_flags */
} __attribute__((packed));

#define SPOOR_FUNCTION_POSITION_MASK 0xffffffu

enum spoor_function_flags {
	/* Exceptions or longjmp may arrive in it: it has marks (spoor_dso_unwound). */
	SPOOR_FUNCTION_LANDING_PADS = 1 << 24,
	/* Its entry sled is its first instruction, and not in the sled map; or the one behind
	 * the four bytes that guarded branches land on. */
	SPOOR_FUNCTION_NOP_ENTRY = 1 << 25,
	SPOOR_FUNCTION_ENTRY_BEHIND_PAD = 1 << 26,
};

/* How far from its begin a function has the entry sled that is not in the map. */
static inline uint32_t spoor_nop_entry_distance(const struct spoor_function *function)
{
	return function->position & SPOOR_FUNCTION_ENTRY_BEHIND_PAD ? 4 : 0;
}

/* Which trampoline a thunk leads to. */
enum spoor_thunk {
	SPOOR_THUNK_ENTRY,
	SPOOR_THUNK_EXIT,
	SPOOR_THUNK_TAIL,
	SPOOR_THUNK_COUNT,

	/* Of modules that know them. */
	SPOOR_SLOT_FRAMED = SPOOR_THUNK_COUNT,	/* entry of a function with marks */
	SPOOR_SLOT_UNWOUND,
	SPOOR_SLOT_FIRST,			/* of a function's first run, in order mode */
	SPOOR_SLOT_COUNT,
};

/* A module's own copies of the trampolines of handlers without vector registers: x86-64's,
 * where jumps as far as libspoor.so cost more than all else that these do. */
struct spoor_near {
	/* Filled in at link time. */
	uint64_t layout;	/* SPOOR_NEAR_LAYOUT (event_path.h); of another they stay unused */
	const void *bare[2], *saving[2];	/* SPOOR_THUNK_ENTRY, SPOOR_THUNK_EXIT */

	/* Filled in by the runtime before a slot leads to one of them. */
	const uint64_t *function_ids;
	void (*bare_handler)(uint64_t function_id, int event), (*saving_handler)(uint64_t function_id, int event);
};

struct spoor_dso {
	/* Filled in at link time. */
	uint32_t size;		/* of this struct, as the module knows it */
	uint32_t version;	/* SPOOR_DSO_VERSION */
	const void *image;	/* the ELF header in memory, or null */
	const struct spoor_sled *sleds_begin, *sleds_end;
	const struct spoor_function *functions_begin, *functions_end;
	const void *thunks[SPOOR_THUNK_COUNT];	/* code that a sled can reach */
	void **slots;		/* SPOOR_SLOT_COUNT pointers: where thunks lead */

	/* Filled in by the runtime while the module is registered. */
	void (*unregister)(struct spoor_dso *dso);
	void *instance;

	/* Filled in at link time, like the first part; where it is missing there are
	 * SPOOR_THUNK_COUNT slots. */
	const void *framed_thunk;
	const int32_t *marks_begin, *marks_end;	/* where marks are, each relative to itself */

	/* Bytes that order mode gives to functions, 1 for those that have run; where they are
	 * missing there is no SPOOR_SLOT_FIRST. */
	unsigned char *seen_begin, *seen_end;
	void *first_runs;	/* the runtime's */

	/* The module's own: its constructor has run, whoever was there to register with. */
	uint64_t begun;

	struct spoor_near *near;	/* filled in at link time; null where there is none */
};

/* In place of `unregister`: the module's destructor has run, and had nobody to tell. */
#define SPOOR_DSO_GONE ((void (*)(struct spoor_dso *))1)

/* What a module must have at least. */
#define SPOOR_DSO_SIZE_MIN offsetof(struct spoor_dso, framed_thunk)

static inline int spoor_dso_has_frames(const struct spoor_dso *dso)
{
	return dso->size >= offsetof(struct spoor_dso, marks_end) + sizeof(dso->marks_end);
}

static inline int spoor_dso_has_seen(const struct spoor_dso *dso)
{
	return dso->size >= offsetof(struct spoor_dso, first_runs) + sizeof(dso->first_runs) &&
	       dso->seen_begin != dso->seen_end;
}

/* Whether its constructor is still to come, and will find the runtime if anybody's does. */
static inline int spoor_dso_is_to_begin(const struct spoor_dso *dso)
{
	return dso->size >= offsetof(struct spoor_dso, begun) + sizeof(dso->begun) && !dso->begun;
}

static inline int spoor_dso_has_near(const struct spoor_dso *dso)
{
	return dso->size >= offsetof(struct spoor_dso, near) + sizeof(dso->near) && dso->near;
}

/* The stub's; functions begin with a call of it while their byte is 0 (pass/first_runs.c). It
 * keeps every register but those that linkers' code between caller and function may change. */
void spoor_dso_thunk_first(void);

#define SPOOR_FRAME_LEAVES_STACK (1ull << 63)
#define SPOOR_FRAME_ON_STACK (3ull << 62)

/*
 * spoor_dso_unwound - the stub's; the pass calls it where an exception or longjmp
 * has arrived in a function, if the module has a stub.
 * @frame: where the function's return address lies. With SPOOR_FRAME_LEAVES_STACK or
 *         SPOOR_FRAME_ON_STACK it is about to change to another stack, or has come back.
 *
 * It and what its slot leads to keep every general register but r11.
 */
void spoor_dso_unwound(const void *frame);

/*
 * spoor_dso_register - makes a module known to the runtime.
 * @dso: lives as long as the module is mapped; the runtime fills in its part
 *
 * Patches what the configuration chooses. Never fails: a module that cannot be
 * traced stays dormant.
 *
 * Context: constructors, any thread. Not signal-safe.
 */
void spoor_dso_register(struct spoor_dso *dso);

#endif
