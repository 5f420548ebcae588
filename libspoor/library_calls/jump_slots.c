/* SPDX-License-Identifier: MIT */
/*
 * jump_slots.c - writes jump slots.
 *
 * For each slot that leads to a stub its former content is kept, which is the address of the function, or of the
 * module's own procedure linkage table if the slot was not bound yet. The module's memory may be read-only (RELRO): it
 * is writable only for the time of the change.
 */
#define _GNU_SOURCE
#include "library_calls/jump_slots.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/permanent.h"
#include "event/library_path.h"
#include "text/pattern.h"

#ifdef __x86_64__
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#else
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#endif

/* A module with slots that lead, or led, to stubs. */
struct caller {
	struct caller *next;
	uintptr_t bias;
	const void *slots, *dynamic;
	uint32_t count;
	void **originals;	/* by relocation: the slot's former content; null: the slot does not lead to a stub */
};

static struct caller *callers, *unused;

/* Modules whose own calls are not recorded: libc calls its malloc within an event. */
static const char without_calls[] = "libc.so.6,ld-linux*.so.*,ld-musl*,libpthread.so.0,libdl.so.2,librt.so.1,libspoor*.so*,"
				    "libasan.so.*,libtsan.so.*,libubsan.so.*,liblsan.so.*";

bool spoor_jump_slots_has_calls(const struct spoor_dynamic_module *module)
{
	uintptr_t own = (uintptr_t)spoor_library_calls;

	return module->slot_count && !(own >= module->low && own < module->high) &&
	       !(module->soname && spoor_patterns_choose(without_calls, &module->soname, 1));
}

static void **slot_of(const struct spoor_dynamic_module *module, const ElfW(Rela) *relocation)
{
	return (void **)(module->bias + relocation->r_offset);
}

const char *spoor_jump_slot_name(const struct spoor_dynamic_module *module, const ElfW(Rela) *relocation)
{
	uint32_t symbol = (uint32_t)ELF64_R_SYM(relocation->r_info);
	uintptr_t slot = (uintptr_t)slot_of(module, relocation);

	if (ELF64_R_TYPE(relocation->r_info) != JUMP_SLOT || !symbol || slot < module->low ||
	    slot + sizeof(void *) > module->high)
		return NULL;
	return module->strings + module->symbols[symbol].st_name;
}

bool spoor_jump_slot_is_unbound(const struct spoor_dynamic_module *module, const ElfW(Rela) *relocation)
{
	uintptr_t value = (uintptr_t)__atomic_load_n(slot_of(module, relocation), __ATOMIC_ACQUIRE);
	const ElfW(Sym) *symbol = &module->symbols[ELF64_R_SYM(relocation->r_info)];

	return value >= module->low && value < module->high &&
	       !(symbol->st_shndx != SHN_UNDEF && value == module->bias + symbol->st_value);
}

/* The stub that a slot leads to; 0: none. */
static uint32_t stub_of(const void *value)
{
	uintptr_t distance = (uintptr_t)value - (uintptr_t)spoor_library_stubs;

	return distance < (uintptr_t)SPOOR_LIBRARY_STUBS * SPOOR_LIBRARY_STUB_BYTES
	       ? (uint32_t)(distance / SPOOR_LIBRARY_STUB_BYTES) : 0;
}

static const void *stub_at(uint32_t number)
{
	return spoor_library_stubs + (size_t)number * SPOOR_LIBRARY_STUB_BYTES;
}

static bool is_of(const struct caller *caller, const struct spoor_dynamic_module *module)
{
	return caller->bias == module->bias && caller->dynamic == module->dynamic && caller->slots == module->slots &&
	       caller->count == module->slot_count;
}

static struct caller *find_caller(const struct spoor_dynamic_module *module)
{
	struct caller *caller = callers;

	while (caller && !is_of(caller, module))
		caller = caller->next;
	return caller;
}

static struct caller *add_caller(const struct spoor_dynamic_module *module)
{
	struct caller *caller = unused;

	if (caller)
		unused = caller->next;
	else
		caller = spoor_permanent_alloc(sizeof(*caller));
	if (!caller)
		return NULL;
	*caller = (struct caller){ callers, module->bias, module->slots, module->dynamic, module->slot_count,
				   spoor_memory_map(module->slot_count * sizeof(void *)) };
	if (!caller->originals) {
		caller->next = unused;
		unused = caller;
		return NULL;
	}
	callers = caller;
	return caller;
}

void spoor_jump_slots_forget(const struct spoor_dynamic_module *modules, uint32_t count)
{
	struct caller **at = &callers;

	while (*at) {
		struct caller *caller = *at;
		bool is_loaded = false;

		for (uint32_t i = 0; i < count && !is_loaded; i++)
			is_loaded = is_of(caller, &modules[i]);
		if (is_loaded) {
			at = &caller->next;
			continue;
		}
		*at = caller->next;
		spoor_memory_unmap(caller->originals, caller->count * sizeof(void *));
		caller->next = unused;
		unused = caller;
	}
}

/*
 * Whether the loader has made the memory read-only. It does so after it has relocated the module: until then, another
 * thread may be loading the module, and would crash if the memory became read-only too early.
 */
static bool is_read_only(uintptr_t address)
{
	char bytes[8192];
	int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t kept = 0;
	bool result = false;
	ssize_t got;

	while (file >= 0 && (got = read(file, bytes + kept, sizeof(bytes) - 1 - kept)) > 0) {
		char *line = bytes, *end;

		bytes[kept + (size_t)got] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			char *at;
			uintptr_t low = strtoul(line, &at, 16), high = strtoul(at + 1, &at, 16);

			if (address >= low && address < high)
				result = at[1] == 'r' && at[2] == '-';
		}
		kept = strlen(line);
		memmove(bytes, line, kept);
	}
	if (file >= 0)
		close(file);
	return result;
}

/* What a change needs: memory is made writable at the first slot that changes. */
struct change {
	const struct spoor_dynamic_module *module;
	bool is_writable, is_early;
	int error;
};

static void make_writable(struct change *change)
{
	const struct spoor_dynamic_module *module = change->module;

	change->is_early = !is_read_only(module->relro_low);
	if (change->is_early)
		return;
	if (mprotect((void *)module->relro_low, module->relro_high - module->relro_low, PROT_READ | PROT_WRITE) < 0)
		change->error = -errno;
	change->is_writable = change->error == 0;
}

static void write_slot(struct change *change, void **slot, const void *value)
{
	const struct spoor_dynamic_module *module = change->module;
	bool is_protected = (uintptr_t)slot >= module->relro_low && (uintptr_t)slot < module->relro_high;

	if (is_protected && !change->is_writable && !change->is_early && change->error == 0)
		make_writable(change);
	if (!is_protected || change->is_writable)
		__atomic_store_n(slot, (void *)(uintptr_t)value, __ATOMIC_RELEASE);
}

static int end_change(struct change *change)
{
	const struct spoor_dynamic_module *module = change->module;

	if (change->is_writable &&
	    mprotect((void *)module->relro_low, module->relro_high - module->relro_low, PROT_READ) < 0)
		change->error = -errno;
	return change->error;
}

static void restore(struct change *change, struct caller *caller, uint32_t i, void **slot)
{
	if (!caller->originals[i])
		return;
	write_slot(change, slot, caller->originals[i]);
	if (*slot == caller->originals[i])
		caller->originals[i] = NULL;
}

int spoor_jump_slots_restore(const struct spoor_dynamic_module *module)
{
	struct caller *caller = find_caller(module);
	struct change change = { .module = module };

	for (uint32_t i = 0; caller && i < caller->count; i++) {
		void **slot = slot_of(module, &module->slots[i]);
		uint32_t stub = caller->originals[i] ? stub_of(__atomic_load_n(slot, __ATOMIC_ACQUIRE)) : 0;

		if (stub && !spoor_library_calls[stub].awake)
			restore(&change, caller, i, slot);
	}
	return end_change(&change);
}

int spoor_jump_slots_update(const struct spoor_dynamic_module *module, const void *(*resolve)(void *const *slot),
			    spoor_stub_finder *find)
{
	struct caller *caller = find_caller(module);
	struct change change = { .module = module };

	for (uint32_t i = 0; i < module->slot_count; i++) {
		const ElfW(Rela) *relocation = &module->slots[i];
		void **slot = slot_of(module, relocation);
		const void *real;
		uint32_t stub;

		if (!spoor_jump_slot_name(module, relocation))
			continue;
		real = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
		if (stub_of(real))
			continue;
		if (spoor_jump_slot_is_unbound(module, relocation))
			real = resolve(slot);
		stub = real ? find(module, relocation, real) : 0;
		if (!stub || !spoor_library_calls[stub].awake)
			continue;
		if (!caller)
			caller = add_caller(module);
		if (!caller)
			return end_change(&change);
		caller->originals[i] = *slot;
		write_slot(&change, slot, stub_at(stub));
		if (*slot != stub_at(stub))
			caller->originals[i] = NULL;
	}
	return end_change(&change);
}
