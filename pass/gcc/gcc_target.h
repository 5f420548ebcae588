/* SPDX-License-Identifier: MIT */
/*
 * gcc_target.h - the parts of GCC's plugin that differ between architectures. There is a source
 * file for each, because each plugin belongs to a GCC for one architecture.
 */
#ifndef SPOOR_GCC_TARGET_H
#define SPOOR_GCC_TARGET_H

#include "pass/gcc/gcc_headers.h"

#include "format/registration.h"
#include "pass/description/signature_record.h"

/* Tells if the runtime can patch code of this compilation; if not, sets @why to the unsupported target. */
bool gcc_target_is_supported(const char **why);

/* Why a function's calling convention or code allows no sleds, or null. */
const char *gcc_target_reason_against(tree decl);

/* The same for its RTL. @exits: its returns and tail calls */
const char *gcc_target_reason_against_code(const std::vector<rtx_insn *> &exits);

/* The assembly of a sled, dormant. @is_mapped: the sled map lists it */
const char *gcc_target_sled(spoor_sled_kind kind, bool is_mapped);

/* The kind of the sled for a return or tail call. */
spoor_sled_kind gcc_target_exit_kind(rtx_insn *exit);

/* Tells if the sled of a return contains the return itself. */
bool gcc_target_sled_returns(void);

/* What precedes the label of a sled that is not an entry. */
const char *gcc_target_alignment(void);

/* What an awake sled may change beyond what the function itself changes: callers in the same unit may rely on
 * registers that their callee does not change (-fipa-ra). */
std::vector<rtx> gcc_target_clobbers(spoor_sled_kind kind);

/* The instruction that indirect branches must land on, if the function begins with it. */
rtx_insn *gcc_target_landing_pad(rtx_insn *first);

/* Assembly before the entry's sled if there is no such instruction, or null. */
const char *gcc_target_own_pad(bool has_pad);

/* The function's first address, in assembly at the entry's sled, if other code precedes that sled and is not in GCC's
 * RTL; else null. */
const char *gcc_target_begin(void);

/* Tells if the sled map lists each entry. */
bool gcc_target_maps_entries(void);

/* Prepares the function for sleds. */
void gcc_target_align(tree decl);

/*
 * Order mode: writes the assembly that tests the function's byte (.Lspoor_<number>_s) and calls the thunk the first
 * time. libspoor's order mode reads the same bytes as those of LLVM's pass (pass/sleds/first_runs.c).
 * @decl: the function, whose arguments no register of the code may hold
 */
void gcc_target_write_first_run(char *text, size_t room, unsigned number, tree decl);

/* The registers that this code and the thunk change. */
std::vector<rtx> gcc_target_first_run_clobbers(void);

/* Tells if values in this register are vectors or real numbers, not integers. */
bool gcc_target_is_vector_register(unsigned number);

/* Tells if numbers of this mode are brain floating-point numbers of 16 bits. */
bool gcc_target_is_brain_float(machine_mode mode);

/* Describes a structure that is in two general registers, as one value of 16 bytes. */
void gcc_target_put_pair(signature_record *record, tree type);

/* Describes an argument on the stack that is no scalar. */
void gcc_target_put_memory(signature_record *record, tree type);

/*
 * Prints the functions that marks call, as a COMDAT group:
 *   spoor_gcc_unwound(cfa, bits)      calls spoor_dso_unwound, if the module has a stub
 *   spoor_gcc_set_jump(cfa, result)   the same without bits, if @result is not 0
 * @cfa is the canonical frame address.
 */
void gcc_target_print_helpers(FILE *file);

#endif
