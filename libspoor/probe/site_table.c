/* SPDX-License-Identifier: MIT */
/* site_table.c - finds sites by address, without a lock: a thread that hit a breakpoint must not wait. */
#include <stddef.h>
#include <string.h>

#include "base/permanent.h"
#include "probe/probe.h"

#define FIRST_SLOTS 256u

/* A hash table with open addressing; at most half of the slots are used. A table that was replaced is never freed,
 * because a thread may be reading it. */
struct table {
	uint32_t slots, used;		/* slots in use, including slots of removed sites */
	struct spoor_probe_site *sites[];
};

static struct table *table;
static struct spoor_probe_site removed;	/* marks the slot of a removed site; its address is 0 */

static uint32_t slot_of(const struct table *table, uintptr_t address)
{
	return (uint32_t)((uint64_t)address * 0x9e3779b97f4a7c15 >> 32) & (table->slots - 1);
}

struct spoor_probe_site *spoor_probe_find(uintptr_t address)
{
	const struct table *here = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	struct spoor_probe_site *site;

	if (!here || !address)
		return NULL;
	for (uint32_t i = slot_of(here, address); (site = __atomic_load_n(&here->sites[i], __ATOMIC_ACQUIRE));
	     i = (i + 1) & (here->slots - 1))
		if (site->address == address)
			return site;
	return NULL;
}

static void insert(struct table *into, struct spoor_probe_site *site)
{
	uint32_t i = slot_of(into, site->address);

	while (into->sites[i] && into->sites[i] != &removed)
		i = (i + 1) & (into->slots - 1);
	into->used += !into->sites[i];
	__atomic_store_n(&into->sites[i], site, __ATOMIC_RELEASE);
}

/* Makes a new table: of the same size if enough sites were removed, else twice as large. */
static bool grow(void)
{
	uint32_t slots = table ? table->slots : FIRST_SLOTS / 2, live = 0;
	struct table *larger;

	for (uint32_t i = 0; table && i < table->slots; i++)
		live += table->sites[i] && table->sites[i] != &removed;
	if (!table || live >= slots / 4)
		slots *= 2;
	larger = spoor_permanent_alloc(sizeof(*larger) + slots * sizeof(larger->sites[0]));
	if (!larger)
		return false;
	larger->slots = slots;
	for (uint32_t i = 0; table && i < table->slots; i++)
		if (table->sites[i] && table->sites[i] != &removed)
			insert(larger, table->sites[i]);
	__atomic_store_n(&table, larger, __ATOMIC_RELEASE);
	return true;
}

bool spoor_probe_table_has_equal(const struct spoor_probe_site *site)
{
	for (const struct spoor_probe_site *other = spoor_probe_find(site->address); other; other = other->same)
		if (other->semaphore == site->semaphore && other->types == site->types && other->count == site->count &&
		    strcmp(other->probe.provider, site->probe.provider) == 0 &&
		    strcmp(other->probe.name, site->probe.name) == 0 &&
		    memcmp(other->operands, site->operands, site->count * sizeof(site->operands[0])) == 0)
			return true;
	return false;
}

bool spoor_probe_table_add(struct spoor_probe_site *site)
{
	struct spoor_probe_site *leader = spoor_probe_find(site->address);

	site->leader = leader ? leader : site;
	site->same = leader ? leader->same : NULL;
	if (leader) {
		__atomic_store_n(&leader->same, site, __ATOMIC_RELEASE);
		return true;
	}
	if ((!table || table->used >= table->slots / 2) && !grow())
		return false;
	insert(table, site);
	return true;
}

void spoor_probe_table_remove(const struct spoor_probe_site *site)
{
	for (uint32_t i = 0; table && i < table->slots; i++)
		if (table->sites[i] == site)
			__atomic_store_n(&table->sites[i], &removed, __ATOMIC_RELEASE);
}
