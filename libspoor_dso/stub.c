/* SPDX-License-Identifier: MIT */
/*
 * stub.c - registers the module that this file is linked into with libspoor.so.
 *
 * Every traced executable and shared library has its own copy. All symbols are hidden: two
 * copies in one process must never see each other. The stub is always position-independent
 * code and never bitcode; otherwise the linker of an executable would replace the weak
 * reference to libspoor.so by null.
 */
#include "format/registration.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define WEAK_HIDDEN __attribute__((weak, visibility("hidden")))

/* The linker defines these if the module has the sections. */
extern const struct spoor_sled __start_xray_instr_map[] WEAK_HIDDEN;
extern const struct spoor_sled __stop_xray_instr_map[] WEAK_HIDDEN;
extern const struct spoor_function __start_spoor_functions[] WEAK_HIDDEN;
extern const struct spoor_function __stop_spoor_functions[] WEAK_HIDDEN;
extern const int32_t __start_spoor_marks[] WEAK_HIDDEN;
extern const int32_t __stop_spoor_marks[] WEAK_HIDDEN;
extern unsigned char __start_spoor_seen[] WEAK_HIDDEN;
extern unsigned char __stop_spoor_seen[] WEAK_HIDDEN;
extern struct spoor_call_slot __start_spoor_slots[] WEAK_HIDDEN;
extern struct spoor_call_slot __stop_spoor_slots[] WEAK_HIDDEN;
extern const char __ehdr_start[] WEAK_HIDDEN;

/* Defined in x86_64.S or aarch64.S. */
extern const char spoor_dso_thunk_entry[] HIDDEN;
extern const char spoor_dso_thunk_exit[] HIDDEN;
extern const char spoor_dso_thunk_tail[] HIDDEN;
extern const char spoor_dso_thunk_framed[] HIDDEN;
extern void *spoor_dso_slots[SPOOR_SLOT_COUNT] HIDDEN;
extern struct spoor_near spoor_dso_near WEAK_HIDDEN;

/* Defined by libspoor.so, if the process has it. */
extern void spoor_dso_register(struct spoor_dso *dso) __attribute__((weak));

/* The driver names this symbol on the link line, to pull this member out of the archive. */
HIDDEN extern const char spoor_dso_anchor;
const char spoor_dso_anchor = 1;

HIDDEN extern struct spoor_dso spoor_dso_self;
struct spoor_dso spoor_dso_self = {
	.size = sizeof(struct spoor_dso),
	.version = SPOOR_DSO_VERSION,
	.image = __ehdr_start,
	.sleds_begin = __start_xray_instr_map,
	.sleds_end = __stop_xray_instr_map,
	.functions_begin = __start_spoor_functions,
	.functions_end = __stop_spoor_functions,
	.thunks = { spoor_dso_thunk_entry, spoor_dso_thunk_exit, spoor_dso_thunk_tail },
	.slots = spoor_dso_slots,
	.framed_thunk = spoor_dso_thunk_framed,
	.marks_begin = __start_spoor_marks,
	.marks_end = __stop_spoor_marks,
	.seen_begin = __start_spoor_seen,
	.seen_end = __stop_spoor_seen,
	.near = &spoor_dso_near,
	.calls_begin = __start_spoor_slots,
	.calls_end = __stop_spoor_slots,
};

static void module_begin(void)
{
	spoor_dso_self.begun = 1;
	/* A module compiled for call mode has functions and no sleds; for order mode, neither. */
	if (spoor_dso_register && (spoor_dso_self.sleds_begin != spoor_dso_self.sleds_end ||
				   spoor_dso_self.functions_begin != spoor_dso_self.functions_end ||
				   spoor_dso_self.seen_begin != spoor_dso_self.seen_end))
		spoor_dso_register(&spoor_dso_self);
}

static void module_end(void)
{
	/* The runtime stores the function in the struct, because the weak reference of a module
	 * that was loaded before libspoor.so stays null. A module that no runtime has adopted by
	 * now is never adopted. */
	void (*unregister)(struct spoor_dso *dso) =
		__atomic_exchange_n(&spoor_dso_self.unregister, SPOOR_DSO_GONE, __ATOMIC_ACQ_REL);

	if (unregister)
		unregister(&spoor_dso_self);
}

/* Run before the module's other constructors and after its other destructors, so that those are
 * traced too. */
__attribute__((section(".init_array.00000"), used))
static void (*const at_begin)(void) = module_begin;
__attribute__((section(".fini_array.00000"), used))
static void (*const at_end)(void) = module_end;
