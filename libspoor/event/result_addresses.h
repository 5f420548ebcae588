/* SPDX-License-Identifier: MIT */
/*
 * result_addresses.h - remembers from a function's entry to its exit where its result in memory is (AArch64).
 *
 * The caller passes the address in x8, and the function does not return it (AAPCS64). So the entry of a captured function
 * notes x8, and the exit finds it by the function and the stack pointer, which is the same at both. Functions themselves
 * stay as they are. On x86-64 a function returns the address.
 *
 * Invariants
 *   I1  An exit gets the address of the last entry with the same function and stack pointer, or none. A call that an
 *       exception or longjmp ends leaves its note, which the next such entry replaces.
 *   I2  No exit gets a note that is older than its own entry: spoor_result_addresses_forget invalidates all notes
 *       before functions wake again, so that calls whose entry was not recorded find none.
 *   I3  Notes belong to stack pointers and not to threads, so a call may begin in one thread and end in another, as on
 *       the stack of a fiber.
 *   I4  Any thread and signal handler may write any note at any time. A note that mixes two writers is no note.
 */
#ifndef SPOOR_RESULT_ADDRESSES_H
#define SPOOR_RESULT_ADDRESSES_H

#include "event/capture_path.h"

/*
 * spoor_capture_or_note - at an exit, does as spoor_capture_store does. At an entry, notes the address of the result; then
 * the same if arguments are stored.
 * @registers: x8 is in the first word of x87 at an entry, and is set at an exit; 0: unknown
 * @stack:     the stack pointer in the sled
 *
 * Returns 1; 0 if the caller must store the entry, because it has no arguments. Context: as spoor_event_slow.
 */
int spoor_capture_or_note(uint32_t code, struct spoor_saved_registers *registers, const uint64_t *stack, uint32_t action);

/* Makes the table of notes: 16 MiB of addresses. Call it before an action notes anything. Context: under the registry's lock. */
void spoor_result_addresses_prepare(void);

/* Invalidates all notes: a function may be running whose entry was not noted. Context: any. */
void spoor_result_addresses_forget(void);

#endif
