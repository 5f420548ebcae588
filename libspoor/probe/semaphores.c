/* SPDX-License-Identifier: MIT */
/* semaphores.c - keeps the lists of tracepoints and of choices. */
#include "probe/semaphores.h"

#include <stdio.h>
#include <string.h>

#include "base/process_end.h"
#include "base/warning.h"
#include "trace/named_things.h"
#include "text/pattern.h"
#include "probe/trap_library.h"
#include "module/registry.h"
#include "config/configuration.h"
#include "mode/mode.h"
#include "event/tracepoint_path.h"

#define RULES_MAX 64u

struct rule {
	bool on;
	const char *patterns;		/* stored by named_things.h */
};

static struct spoor_sdt_probe *probes;
static struct rule rules[RULES_MAX], saved_rules[RULES_MAX];
static uint32_t rule_count, saved_count;
static uint64_t configured_matched, saved_matched;	/* the configuration's patterns that matched, one bit each */
static bool any_added;			/* a tracepoint was added at some time */
static bool used;

/* Returns "provider:name", which is never freed; null if there is no room. */
static const char *name_of(const struct spoor_sdt_probe *probe)
{
	char name[SPOOR_NAME_BYTES_MAX + 1];
	const char *kept = NULL;
	int length = snprintf(name, sizeof(name), "%s:%s", probe->provider, probe->name);

	if (length < 0 || (size_t)length >= sizeof(name) || spoor_names_keep(name, false, NULL, &kept) < 0)
		return NULL;
	return kept;
}

static bool is_all(const char *patterns)
{
	return !patterns || spoor_patterns_are_all(patterns);
}

static bool matches(const char *patterns, const char *name)
{
	return is_all(patterns) || spoor_patterns_choose(patterns, &name, 1);
}

static bool is_chosen(const char *name)
{
	bool chosen = false;

	for (uint32_t i = 0; i < rule_count; i++)
		if (matches(rules[i].patterns, name))
			chosen = rules[i].on;
	return chosen;
}

/* Notes which of the configuration's patterns the name matches, for spoor_tracepoints_unmatched. */
static void note_matches(const char *name)
{
	const char *rest = spoor_configuration.tracepoints, *glob, *end;
	bool excludes;

	for (uint64_t bit = 1; bit && spoor_patterns_next(&rest, &glob, &end, &excludes); bit <<= 1)
		if (spoor_glob_matches(glob, end, name))
			configured_matched |= bit;
}

bool spoor_tracepoints_is_chosen(const struct spoor_sdt_probe *probe)
{
	const char *name = name_of(probe);

	/* Also for a tracepoint that cannot be recorded: the user was warned about it, and its pattern did match. */
	if (name)
		note_matches(name);
	return name && is_chosen(name);
}

typedef uint16_t __attribute__((may_alias)) half;

/* Returns whether the semaphore changed. */
static bool set_semaphore(struct spoor_sdt_probe *probe, bool on)
{
	/* The upper half: processors are little-endian. */
	half *ours = (half *)(uintptr_t)probe->semaphore + 1;

	if (on == (__atomic_load_n(ours, __ATOMIC_RELAXED) != 0))
		return false;
	if (!on)
		__atomic_store_n(ours, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&probe->record, on ? spoor_tracepoint_record : NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&probe->record_many, on ? spoor_tracepoint_record_many : NULL, __ATOMIC_RELEASE);
	if (on)
		__atomic_store_n(ours, 1, __ATOMIC_RELEASE);
	return true;
}

/* Returns whether the semaphore changed. */
static bool settle_probe(struct spoor_sdt_probe *probe)
{
	bool on = spoor_mode_logs() && is_chosen(probe->known_as);

	if (on && !probe->number) {
		__atomic_store_n(&probe->number, spoor_names_tracepoint(probe->known_as, probe->path), __ATOMIC_RELAXED);
		on = probe->number != 0;
	}
	return set_semaphore(probe, on);
}

long spoor_tracepoints_settle(void)
{
	long changed = 0;

	for (struct spoor_sdt_probe *probe = probes; probe; probe = probe->next)
		changed += settle_probe(probe);
	return changed;
}

bool spoor_tracepoints_any_chosen(void)
{
	const struct spoor_sdt_probe *probe = probes;

	while (probe && !is_chosen(probe->known_as))
		probe = probe->next;
	return probe;
}

long spoor_tracepoints_on(void)
{
	long on = 0;

	for (const struct spoor_sdt_probe *probe = probes; probe; probe = probe->next)
		on += probe->record != NULL;
	return on;
}

static void unregister(struct spoor_sdt_probe *probe)
{
	struct spoor_sdt_probe **at = &probes;

	spoor_registry_lock();
	while (*at && *at != probe)
		at = &(*at)->next;
	if (*at) {
		*at = probe->next;
		/* Code that runs after the destructors of an ending process is still recorded. */
		if (!spoor_process_is_ending())
			set_semaphore(probe, false);
	}
	spoor_registry_unlock();
}

bool spoor_tracepoints_add(struct spoor_sdt_probe *probe, const char *path)
{
	void (*unset)(struct spoor_sdt_probe *) = NULL;

	if (probe->size < sizeof(*probe) ||
	    !__atomic_compare_exchange_n(&probe->unregister, &unset, unregister, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	probe->known_as = name_of(probe);
	if (!probe->known_as || spoor_names_keep(path, false, NULL, &probe->path) < 0) {
		spoor_warning("cannot record the tracepoint %.100s:%.100s of %.500s: out of memory",
			      probe->provider, probe->name, path);
		return false;
	}
	probe->number = 0;
	probe->next = probes;
	probes = probe;
	any_added = true;
	note_matches(probe->known_as);
	return settle_probe(probe);
}

bool spoor_tracepoints_are_used(void)
{
	return __atomic_load_n(&used, __ATOMIC_RELAXED);
}

long spoor_tracepoints_choose(bool on, const char *patterns)
{
	struct rule rule = { .on = on };
	uint32_t kept = 0;
	static bool warned;

	if (strcmp(patterns, SPOOR_TRACEPOINTS_NONE) == 0)
		return 0;
	__atomic_store_n(&used, true, __ATOMIC_RELAXED);
	/* Drops the earlier choices that this one replaces. */
	for (uint32_t i = 0; i < rule_count; i++)
		if (!is_all(patterns) && strcmp(rules[i].patterns, patterns) != 0)
			rules[kept++] = rules[i];
	rule_count = kept;
	if (rule_count == RULES_MAX || spoor_names_keep(patterns, false, NULL, &rule.patterns) < 0) {
		if (!warned)
			spoor_warning("too many changes of the chosen tracepoints: '%.200s' and later changes are "
				      "ignored", patterns);
		warned = true;
		return 0;
	}
	rules[rule_count++] = rule;
	return spoor_tracepoints_settle();
}

void spoor_tracepoints_choose_as(const char *patterns)
{
	if (patterns) {
		memcpy(saved_rules, rules, sizeof(saved_rules));
		saved_count = rule_count;
		rule_count = 0;
		saved_matched = configured_matched;
		configured_matched = 0;
		for (const struct spoor_sdt_probe *probe = probes; probe; probe = probe->next)
			note_matches(probe->known_as);
		spoor_tracepoints_choose(true, patterns);
	} else {
		memcpy(rules, saved_rules, sizeof(rules));
		rule_count = saved_count;
		configured_matched = saved_matched;
		__atomic_store_n(&used, rule_count != 0, __ATOMIC_RELAXED);
		spoor_tracepoints_settle();
	}
}

void spoor_tracepoints_unmatched(const char *where)
{
	const char *patterns = spoor_configuration.tracepoints;
	char list[400];

	/* A process without anything to record does not warn. */
	if ((!any_added && !spoor_registry_count()) || strcmp(patterns, SPOOR_TRACEPOINTS_NONE) == 0 ||
	    !spoor_patterns_unmatched(patterns, configured_matched, list, sizeof(list)))
		return;
	spoor_warning("SPOOR_RUNTIME_TRACEPOINTS: no tracepoint%s matches %s%s: 'spoor tracepoints list FILE' lists "
		      "the tracepoints of a file",
		      spoor_probe_guard_is_taken() ? "" : " with a semaphore of spoor/sdt.h", list, where);
}
