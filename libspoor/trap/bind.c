/* SPDX-License-Identifier: MIT */
/*
 * bind.c - replaces functions of libc by functions of this library in a running process, and reverts that.
 *
 * Calls that were bound before use slots, which relocations name: each slot with the address of a function
 * of libc gets the address of this library's function. Calls that are bound later, and dlsym(3), use libc's
 * symbol table: its addresses change as well. Pointers that the program has copied to other places do not
 * change.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/lib-names.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <unistd.h>

#include "trap/sigtrap_handler.h"

sighandler_t bsd_signal(int signal, sighandler_t handler);
sighandler_t __sysv_signal(int signal, sighandler_t handler);
int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t bytes);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define BINDING(name) { #name, (uintptr_t)name, 0 }

/* All functions of libspoor_trap.map. This library is linked so that these names refer to its own functions. */
static struct binding {
	const char *name;
	uintptr_t ours, libcs;
} bindings[] = {
	BINDING(bsd_signal), BINDING(__sysv_signal), BINDING(epoll_pwait), BINDING(epoll_pwait2), BINDING(ppoll),
	BINDING(__ppoll_chk), BINDING(pselect), BINDING(pthread_attr_setsigmask_np), BINDING(pthread_sigmask),
	BINDING(sigaction), BINDING(sigblock), BINDING(sighold), BINDING(signal), BINDING(sigprocmask), BINDING(sigset),
	BINDING(sigsetmask), BINDING(sigsuspend), BINDING(sysv_signal),
};
#define COUNT (sizeof(bindings) / sizeof(*bindings))

/* Returns the protection of the memory at an address, as for mprotect(2); -1 if it is unknown. */
static int protection_at(uintptr_t address)
{
	int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), protection = -1;
	char text[4096], *line = text;
	size_t bytes = 0;
	ssize_t got;

	while (file >= 0 && protection < 0 && (got = read(file, text + bytes, sizeof(text) - 1 - bytes)) > 0) {
		char *end;

		bytes += (size_t)got;
		text[bytes] = '\0';
		for (line = text; (end = strchr(line, '\n')); line = end + 1) {
			char *rest;
			uintptr_t low = strtoul(line, &rest, 16), high = strtoul(rest + 1, &rest, 16);

			if (address - low < high - low && end - rest > 4)
				protection = (rest[1] == 'r' ? PROT_READ : 0) | (rest[2] == 'w' ? PROT_WRITE : 0) |
					     (rest[3] == 'x' ? PROT_EXEC : 0);
		}
		/* Keep the begin of an incomplete line. A line that does not fit is cut. */
		bytes = line == text ? 0 : (size_t)(text + bytes - line);
		memmove(text, line, bytes);
	}
	if (file >= 0)
		close(file);
	return protection;
}

/* Replaces a word @from by @to, even in memory that is read-only. */
static int exchange(uintptr_t *word, uintptr_t from, uintptr_t to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *begin = (void *)((uintptr_t)word & -page);
	int protection = protection_at((uintptr_t)word);

	if (protection < 0)
		return -ENOENT;
	if (!(protection & PROT_WRITE) && mprotect(begin, page, protection | PROT_WRITE) < 0)
		return -errno;
	__atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	if (!(protection & PROT_WRITE))
		mprotect(begin, page, protection);
	return 0;
}

/* The tables of an object's dynamic section. */
struct tables {
	const ElfW(Sym) *symbols;
	const uint32_t *hash;
	const ElfW(Rela) *relocations[2];
	size_t counts[2];
};

static void read_tables(const struct dl_phdr_info *object, struct tables *tables)
{
	const ElfW(Dyn) *at = NULL;

	*tables = (struct tables){ 0 };
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			at = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
	for (; at && at->d_tag != DT_NULL; at++) {
		/* The dynamic linker has added the load address to some of the entries. */
		uintptr_t address = at->d_un.d_ptr < object->dlpi_addr ? object->dlpi_addr + at->d_un.d_ptr : at->d_un.d_ptr;

		if (at->d_tag == DT_SYMTAB)
			tables->symbols = (const ElfW(Sym) *)address;
		else if (at->d_tag == DT_GNU_HASH)
			tables->hash = (const uint32_t *)address;
		else if (at->d_tag == DT_RELA)
			tables->relocations[0] = (const ElfW(Rela) *)address;
		else if (at->d_tag == DT_RELASZ)
			tables->counts[0] = at->d_un.d_val / sizeof(ElfW(Rela));
		else if (at->d_tag == DT_JMPREL)
			tables->relocations[1] = (const ElfW(Rela) *)address;
		else if (at->d_tag == DT_PLTRELSZ)
			tables->counts[1] = at->d_un.d_val / sizeof(ElfW(Rela));
	}
}

static const ElfW(Phdr) *segment_of(const struct dl_phdr_info *object, uintptr_t address)
{
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_LOAD &&
		    address - object->dlpi_addr - object->dlpi_phdr[i].p_vaddr < object->dlpi_phdr[i].p_memsz)
			return &object->dlpi_phdr[i];
	return NULL;
}

/* Returns the number of symbols in a GNU hash table. */
static uint32_t count_symbols(const uint32_t *hash)
{
	uint32_t bucket_count = hash[0], first = hash[1], last = 0;
	const uint32_t *buckets = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / 4), *chain = buckets + bucket_count;

	for (uint32_t i = 0; i < bucket_count; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < first)
		return first;
	while (!(chain[last - first] & 1))
		last++;
	return last + 1;
}

struct pass {
	bool on, symbols;	/* which of them: symbols, or else slots */
	int error;
};

/* Returns the address that replaces @address; 0 if this library has no replacement for that function. */
static uintptr_t replacement_of(const struct pass *pass, uintptr_t address)
{
	for (size_t i = 0; i < COUNT; i++)
		if (bindings[i].libcs && address == (pass->on ? bindings[i].libcs : bindings[i].ours))
			return pass->on ? bindings[i].ours : bindings[i].libcs;
	return 0;
}

static int note_error(struct pass *pass, int error)
{
	pass->error = pass->error ? pass->error : error;
	return pass->error;
}

static void bind_symbols(struct pass *pass, const struct dl_phdr_info *object, const struct tables *tables)
{
	uint32_t count = tables->symbols && tables->hash ? count_symbols(tables->hash) : 0;

	for (uint32_t i = 0; i < count; i++) {
		const ElfW(Sym) *symbol = &tables->symbols[i];
		uintptr_t to = symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ?
				       0 : replacement_of(pass, object->dlpi_addr + symbol->st_value);

		if (to && note_error(pass, exchange((uintptr_t *)(uintptr_t)&symbol->st_value, symbol->st_value, to - object->dlpi_addr)) < 0)
			return;
	}
}

static void bind_slots(struct pass *pass, const struct dl_phdr_info *object, const struct tables *tables)
{
	for (int table = 0; table < 2; table++)
		for (size_t i = 0; tables->relocations[table] && i < tables->counts[table]; i++) {
			const ElfW(Rela) *relocation = &tables->relocations[table][i];
			uintptr_t *slot = (uintptr_t *)(object->dlpi_addr + relocation->r_offset), was, to;
			const ElfW(Phdr) *segment;

			if (!ELF64_R_SYM(relocation->r_info) || relocation->r_offset % sizeof(*slot))
				continue;
			segment = segment_of(object, (uintptr_t)slot);
			if (!segment || !(segment->p_flags & PF_W))
				continue;
			was = __atomic_load_n(slot, __ATOMIC_RELAXED);
			to = replacement_of(pass, was);
			if (to && note_error(pass, exchange(slot, was, to)) < 0)
				return;
		}
}

static int bind_object(struct dl_phdr_info *object, size_t size, void *argument)
{
	struct pass *pass = argument;
	struct tables tables;

	(void)size;
	if (segment_of(object, (uintptr_t)bind_object))
		return 0;
	read_tables(object, &tables);
	if (pass->symbols)
		bind_symbols(pass, object, &tables);
	else
		bind_slots(pass, object, &tables);
	return pass->error;
}

static void *libc(void)
{
	static void *handle;
	void *found = __atomic_load_n(&handle, __ATOMIC_ACQUIRE);

	if (!found) {
		found = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
		__atomic_store_n(&handle, found, __ATOMIC_RELEASE);
	}
	return found;
}

/* Returns which of the two libraries comes first. Calls no function of libc but one, because constructors come
 * here. */
static int is_libc_first(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (segment_of(object, (uintptr_t)bind_object))
		return 1;
	return segment_of(object, (uintptr_t)gnu_get_libc_version()) ? 2 : 0;
}

bool guard_is_late(void)
{
	static int first;

	if (!first)
		first = dl_iterate_phdr(is_libc_first, NULL);
	return first == 2;
}

void *guard_next(const char *name)
{
	return guard_is_late() ? dlsym(libc(), name) : dlsym(RTLD_NEXT, name);
}

/* Tells if the program's calls of that name go to a third library's function. */
static bool is_taken(const struct binding *binding)
{
	void *found = dlsym(RTLD_DEFAULT, binding->name);
	void *entry = NULL;
	const ElfW(Sym) *symbol;
	Dl_info info;

	if (!found || (uintptr_t)found == binding->libcs)
		return false;
	/* An executable that is not position independent uses a PLT entry as the address of libc's function. */
	if (!dladdr1(found, &info, &entry, RTLD_DL_SYMENT) || !entry)
		return true;
	symbol = entry;
	return symbol->st_shndx != SHN_UNDEF;
}

int guard_bind(bool on)
{
	static bool bound;
	struct pass pass = { .on = on, .symbols = true };

	if (bound == on)
		return 0;
	for (size_t i = 0; i < COUNT && on; i++) {
		bindings[i].libcs = (uintptr_t)guard_next(bindings[i].name);
		if (bindings[i].libcs && is_taken(&bindings[i]))
			return -EEXIST;
	}
	dl_iterate_phdr(bind_object, &pass);
	pass.symbols = false;
	if (!pass.error || !on)
		dl_iterate_phdr(bind_object, &pass);
	bound = on;
	if (pass.error && on)
		guard_bind(false);
	return pass.error;
}
