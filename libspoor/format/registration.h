/* SPDX-License-Identifier: MIT */
/*
 * registration.h - the data that a traced module gives to libspoor.so. The only header that
 * libspoor_dso/ shares with the runtime.
 *
 * Every structure here is part of other people's binaries, which are older or newer than the runtime
 * that reads them. So sizes and meanings never change, and struct spoor_dso only grows at its end.
 */
#ifndef SPOOR_REGISTRATION_H
#define SPOOR_REGISTRATION_H

#include <stddef.h>
#include <stdint.h>

#define SPOOR_DSO_VERSION 1

/* The ELF note (owner "spoor") by which the struct is found even if its constructor has not run. The note's
 * descriptor is the 64-bit distance from the descriptor itself to struct spoor_dso. */
#define SPOOR_NOTE_OWNER "spoor"
#define SPOOR_NOTE_DSO 1

/* Type 4 is used by tracepoints: spoor/sdt.h. */

/* A note in an executable: the runtime is linked, and waits until the program calls it. The note's descriptor
 * is one word, enum spoor_asleep. */
#define SPOOR_NOTE_ASLEEP 2
enum spoor_asleep {
	SPOOR_ASLEEP_NOT_INITIALIZED = 1,	/* waits for spoor_initialize(), */
	SPOOR_ASLEEP_NOT_ENABLED = 2,		/* ... then for spoor_enable() */
};

/* A note in each file that the runtime is linked into: its version as text, padded with zeros. */
#define SPOOR_NOTE_VERSION 3
#define SPOOR_NOTE_VERSION_BYTES 16

/* An entry of the section xray_instr_map, version 2. LLVM defines the layout (llvm/lib/CodeGen/AsmPrinter,
 * emitXRayTable). */
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

/* An entry of the function table, the section spoor_functions. LLVM writes it for !pcsections
 * (llvm/lib/CodeGen/AsmPrinter, emitPCSections). The position of an entry in its module's table is the
 * function's local ID. The table may begin at any address. */
struct spoor_function {
	int32_t address;	/* relative to this field */
	uint32_t size;		/* of its code, in bytes; 0 if LLVM 14 could not compute it */
	uint32_t unit;		/* content hash of its translation unit */
	uint32_t position;	/* position in that unit, from 0, and enum spoor_function_flags */
} __attribute__((packed));

#define SPOOR_FUNCTION_POSITION_MASK 0xffffffu

enum spoor_function_flags {
	/* Exceptions or longjmp may arrive in the function: it has marks (spoor_dso_unwound). */
	SPOOR_FUNCTION_LANDING_PADS = 1 << 24,
	/* The function's entry sled is its first instruction, or with SPOOR_FUNCTION_ENTRY_BEHIND_PAD the one
	 * after the four bytes that guarded branches land on. The sled map does not list it. */
	SPOOR_FUNCTION_NOP_ENTRY = 1 << 25,
	SPOOR_FUNCTION_ENTRY_BEHIND_PAD = 1 << 26,
};

/* The distance in bytes from the function's begin to an entry sled that the sled map does not list. */
static inline uint32_t spoor_nop_entry_distance(const struct spoor_function *function)
{
	return function->position & SPOOR_FUNCTION_ENTRY_BEHIND_PAD ? 4 : 0;
}

/* The trampolines that thunks lead to. */
enum spoor_thunk {
	SPOOR_THUNK_ENTRY,
	SPOOR_THUNK_EXIT,
	SPOOR_THUNK_TAIL,
	SPOOR_THUNK_COUNT,

	/* Only in modules that have these slots. */
	SPOOR_SLOT_FRAMED = SPOOR_THUNK_COUNT,	/* entry of a function that has marks */
	SPOOR_SLOT_UNWOUND,
	SPOOR_SLOT_FIRST,			/* of a function's first execution, in order mode */
	SPOOR_SLOT_COUNT,
};

/* A module's own copies of the x86-64 trampolines for handlers without vector registers. Jumps as far as
 * libspoor.so would cost more than the rest of these trampolines. */
struct spoor_near {
	/* Set at link time. */
	uint64_t layout;	/* SPOOR_NEAR_LAYOUT (event_path.h); copies with another layout stay unused */
	const void *bare[2], *saving[2];	/* SPOOR_THUNK_ENTRY, SPOOR_THUNK_EXIT */

	/* Set by the runtime before a slot leads to one of the copies. */
	const uint64_t *function_ids;
	void (*bare_handler)(uint64_t function_id, int event), (*saving_handler)(uint64_t function_id, int event);
};

/* A call slot, an entry of the section spoor_slots. Calls of a function of another module load @slot (pass/calls/redirect.c).
 * A relocation sets both pointers when the module is loaded, to null for a weak function that is missing. */
struct spoor_call_slot {
	const void *slot;	/* where calls lead: the function, or the wrapper */
	const void *function;	/* called by the wrapper */
	int32_t wrapper;	/* address of the wrapper, relative to this field */
	int32_t name;		/* address of the function's linkage name, relative to this field */
};

struct spoor_dso {
	/* Set at link time. */
	uint32_t size;		/* of this struct, as the module knows it */
	uint32_t version;	/* SPOOR_DSO_VERSION */
	const void *image;	/* the ELF header in memory; null: not loaded */
	const struct spoor_sled *sleds_begin, *sleds_end;
	const struct spoor_function *functions_begin, *functions_end;
	const void *thunks[SPOOR_THUNK_COUNT];	/* code that is within reach of each sled */
	void **slots;		/* the pointers that thunks jump through; SPOOR_SLOT_COUNT of them */

	/* Set by the runtime while the module is registered. */
	void (*unregister)(struct spoor_dso *dso);
	void *instance;

	/* Set at link time, like the first group. A module without these fields has only SPOOR_THUNK_COUNT
	 * slots. */
	const void *framed_thunk;
	const int32_t *marks_begin, *marks_end;	/* addresses of marks, each relative to its own entry */

	/* A byte for each function in order mode: 1 after its first execution. A module without these fields
	 * has no SPOOR_SLOT_FIRST. */
	unsigned char *seen_begin, *seen_end;
	void *first_runs;	/* owned by the runtime */

	/* Set by the module: nonzero after its constructor has run, even if there was no runtime. */
	uint64_t begun;

	struct spoor_near *near;	/* set at link time; null: there are no copies */

	struct spoor_call_slot *calls_begin, *calls_end;	/* set at link time */
};

/* Value of `unregister` after the module's destructor has run while there was no runtime. */
#define SPOOR_DSO_GONE ((void (*)(struct spoor_dso *))1)

/* The least size of struct spoor_dso in any module. */
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

/* Tells if the module's constructor has not run yet. The module will then register itself. */
static inline int spoor_dso_is_to_begin(const struct spoor_dso *dso)
{
	return dso->size >= offsetof(struct spoor_dso, begun) + sizeof(dso->begun) && !dso->begun;
}

static inline int spoor_dso_has_near(const struct spoor_dso *dso)
{
	return dso->size >= offsetof(struct spoor_dso, near) + sizeof(dso->near) && dso->near;
}

static inline int spoor_dso_has_calls(const struct spoor_dso *dso)
{
	return dso->size >= offsetof(struct spoor_dso, calls_end) + sizeof(dso->calls_end) && dso->calls_begin != dso->calls_end;
}

/* Part of the stub. A function calls it at its begin while its byte in [seen_begin, seen_end) is 0
 * (pass/sleds/first_runs.c). Preserves every register except those that the linker's code between caller and function
 * may change. */
void spoor_dso_thunk_first(void);

#define SPOOR_FRAME_LEAVES_STACK (1ull << 63)
#define SPOOR_FRAME_ON_STACK (3ull << 62)

/*
 * spoor_dso_unwound - reports that an exception or longjmp has arrived in a function. Part of the
 * stub; the pass inserts the call if the module has a stub.
 * @frame: address of the function's return address. With SPOOR_FRAME_LEAVES_STACK the function is about
 *         to change to another stack; with SPOOR_FRAME_ON_STACK it has come back.
 *
 * This function, and the code to which its slot leads, preserve every general register except r11.
 */
void spoor_dso_unwound(const void *frame);

/*
 * spoor_dso_register - registers a module with the runtime.
 * @dso: lives as long as the module is mapped; the runtime sets some of its fields
 *
 * Patches the chosen functions. Cannot fail: a module that cannot be traced stays dormant.
 *
 * Context: constructors, any thread. Not signal-safe.
 */
void spoor_dso_register(struct spoor_dso *dso);

#endif
