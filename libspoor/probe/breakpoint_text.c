/* SPDX-License-Identifier: MIT */
/* breakpoint_text.c - makes text writable for the time in which breakpoints change. */
#define _GNU_SOURCE
#include "probe/breakpoint_text.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/breakpoint.h"
#include "patch/text_pages.h"
#include "elf/tracepoint_placement.h"
#include "event/processor.h"
#include "format/sled.h"

/* Makes the text of [low, high] writable, or read-only again. Returns 0, or a negative errno. */
static int protect(const struct dl_phdr_info *object, const ElfW(Phdr) *segment, uintptr_t low, uintptr_t high,
		   bool writable)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = low & -page;
	uint32_t flags = segment->p_flags;
	int protection = PROT_EXEC | (flags & PF_R ? PROT_READ : 0) | (flags & PF_W || writable ? PROT_WRITE : 0) |
			 spoor_text_protection(object->dlpi_phdr, object->dlpi_phnum, object->dlpi_addr);

	return mprotect((void *)begin, (high + SPOOR_BREAKPOINT_BYTES - begin + page - 1) & -page, protection) < 0 ? -errno : 0;
}

static bool is_wanted(const struct spoor_probe_site *site)
{
	return __atomic_load_n(&site->probe.record_many, __ATOMIC_RELAXED) != NULL;
}

/* Tells if any of the sites at the leader's nop is wanted. */
static bool is_nop_wanted(const struct spoor_probe_site *leader)
{
	bool wanted = false;

	for (const struct spoor_probe_site *site = leader; site && !wanted; site = site->same)
		wanted = is_wanted(site);
	return wanted;
}

static bool is_to_change(const struct spoor_probe_site *site)
{
	return site == site->leader && !site->obstacle && !site->occupied && is_nop_wanted(site) != site->written;
}

static void raise_semaphore(struct spoor_probe_site *site, bool on)
{
	if (!site->semaphore || site->raised == on)
		return;
	__atomic_fetch_add(site->semaphore, on ? 1 : -1, __ATOMIC_RELEASE);
	site->raised = on;
}

static void switch_site(struct spoor_probe_site *site)
{
	bool on = is_nop_wanted(site);

	if (on && spoor_breakpoint_nop((const uint8_t *)site->address, 8) != site->nop_bytes) {
		site->occupied = true;
		return;
	}
	site->written = on;
	/* If other code has replaced our breakpoint, that code stays. */
	if (!on && !spoor_breakpoint_is_there(site->address))
		return;
	spoor_breakpoint_store(site->address, on, site->nop_bytes);
	spoor_text_changed(site->address, site->address + SPOOR_BREAKPOINT_BYTES);
}

/* Switches the sites in one segment. Returns 0, or a negative errno. */
static int switch_segment(const struct dl_phdr_info *object, const ElfW(Phdr) *segment, struct spoor_probe_site *first)
{
	uintptr_t low = UINTPTR_MAX, high = 0;
	bool stays_open;
	int error;

	for (const struct spoor_probe_site *site = first; site; site = site->next) {
		if (!is_to_change(site) || !spoor_probe_segment_holds(object, segment, site->address))
			continue;
		low = site->address < low ? site->address : low;
		high = site->address > high ? site->address : high;
	}
	if (low > high)
		return 0;
	stays_open = spoor_patch_text_is_writable(low, high + SPOOR_BREAKPOINT_BYTES);
	error = protect(object, segment, low, high, true);
	if (error < 0)
		return error;
	for (struct spoor_probe_site *site = first; site; site = site->next)
		if (is_to_change(site) && spoor_probe_segment_holds(object, segment, site->address))
			switch_site(site);
	if (!stays_open)
		error = protect(object, segment, low, high, false);
	spoor_patch_synchronise();
	return error;
}

int spoor_probe_text_switch(const struct dl_phdr_info *object, struct spoor_probe_site *first)
{
	int error = 0;

	/* Semaphores fall first, so that the program does not compute unused arguments. */
	for (struct spoor_probe_site *site = first; site; site = site->next) {
		site->occupied = false;
		if (!is_wanted(site))
			raise_semaphore(site, false);
	}
	for (int i = 0; i < object->dlpi_phnum && error == 0; i++)
		if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_flags & PF_X)
			error = switch_segment(object, &object->dlpi_phdr[i], first);
	for (struct spoor_probe_site *site = first; site && error == 0; site = site->next)
		if (is_wanted(site) && site->leader->written)
			raise_semaphore(site, true);
	return error;
}

uintptr_t spoor_probe_text_return(const struct dl_phdr_info *object, uintptr_t address)
{
	uintptr_t at = spoor_probe_text_has(object, address) ? spoor_breakpoint_behind_mark(address) : 0;

	return at && spoor_breakpoint_returns(at) ? at : 0;
}

bool spoor_probe_text_watch(const struct dl_phdr_info *object, uintptr_t address, bool on)
{
	const ElfW(Phdr) *segment = spoor_probe_segment_of(object, address);
	bool stays_open = spoor_patch_text_is_writable(address, address + SPOOR_BREAKPOINT_BYTES);

	if (!segment || protect(object, segment, address, address, true) < 0)
		return false;
	spoor_breakpoint_store_return(address, on);
	spoor_text_changed(address, address + SPOOR_BREAKPOINT_BYTES);
	if (!stays_open)
		protect(object, segment, address, address, false);
	spoor_patch_synchronise();
	return true;
}
