/* SPDX-License-Identifier: MIT */
/* captured_modules.c - chooses the functions whose arguments and results are stored. */
#include "capture/captured_modules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/large.h"
#include "base/memory.h"
#include "base/permanent.h"
#include "base/warning.h"
#include "capture/captured_libraries.h"
#include "capture/library_signatures.h"
#include "capture/plans.h"
#include "capture/signature_file.h"
#include "config/configuration.h"
#include "event/result_addresses.h"
#include "event/value_text.h"
#include "mode/mode.h"
#include "module/choice.h"
#include "module/mixed_modules.h"
#include "module/module_bits.h"
#include "module/registry_apply.h"

#define CHOICES_MAX 255u
#define CHUNK (1u << SPOOR_ACTION_CHUNK_SHIFT)

/* What the user wants: the arguments of some functions, and the results of some. */
struct wish {
	const char *key, *text;
	uint64_t matched;	/* the first 64 choices that have matched; a bit each */
};

static struct wish wishes[] = {
	{ "ARGS", spoor_configuration.args, 0 },
	{ "RETVAL", spoor_configuration.retval, 0 },
	{ "CPU_TIME", spoor_configuration.cpu_time, 0 },
};

#define WISHES (sizeof(wishes) / sizeof(*wishes))

static struct spoor_module_bits looked_up SPOOR_LARGE;
static bool any_looked_up;

/* For each function of a module, for each wish: the number of the choice that decides, from 1; 0: none. */
struct decisions {
	size_t bytes;
	uint64_t *bits, *wanted;	/* by local ID */
	uint8_t *by[WISHES];
	const uint64_t *possible;	/* the functions to decide about; null: all */
	bool needs_description;	/* arguments or results are wanted */
};

/* Where descriptions of functions come from; null: not from there. */
struct descriptions {
	const struct spoor_signature_file *file;
	const struct spoor_library_signatures *library;
};

static bool module_matches(const struct spoor_instance *instance, const struct spoor_capture_choice *choice)
{
	char pattern[1024];

	if (!choice->module)
		return true;
	snprintf(pattern, sizeof(pattern), "%.*s", (int)(choice->module_end - choice->module), choice->module);
	return spoor_choice_module(instance, pattern);
}

static void decide(struct spoor_instance *instance, struct decisions *decisions, size_t wish,
		   const struct spoor_capture_choice *choice, uint32_t number)
{
	char pattern[1024];
	bool any = false;

	snprintf(pattern, sizeof(pattern), "%.*s", (int)(choice->function_end - choice->function), choice->function);
	memset(decisions->bits, 0, spoor_instance_words(instance) * sizeof(uint64_t));
	if (spoor_choice_functions(instance, pattern, decisions->bits, true) <= 0)
		return;
	for (uint32_t i = 0; i < spoor_instance_words(instance); i++) {
		decisions->bits[i] &= decisions->possible ? decisions->possible[i] : UINT64_MAX;
		any |= decisions->bits[i] != 0;
	}
	if (any && number <= 64)
		wishes[wish].matched |= 1ull << (number - 1);
	for (uint32_t local = 0; local < instance->count; local++)
		if (decisions->bits[local / 64] >> (local % 64) & 1)
			decisions->by[wish][local] = choice->excludes ? 0 : (uint8_t)number;
}

static bool decide_all(struct spoor_instance *instance, struct decisions *decisions)
{
	bool any = false;

	for (size_t wish = 0; wish < WISHES; wish++) {
		const char *rest = wishes[wish].text;
		struct spoor_capture_choice choice;

		for (uint32_t number = 1; number <= CHOICES_MAX && spoor_capture_text_next(&rest, &choice); number++)
			if (module_matches(instance, &choice))
				decide(instance, decisions, wish, &choice, number);
	}
	for (uint32_t local = 0; local < instance->count; local++) {
		bool wanted = decisions->by[0][local] || decisions->by[1][local] || decisions->by[2][local];

		any |= wanted;
		decisions->needs_description |= decisions->by[0][local] || decisions->by[1][local];
		decisions->wanted[local / 64] |= (uint64_t)wanted << (local % 64);
	}
	return any;
}

/* Gets choice @number of a wish. Returns null for 0. */
static const struct spoor_capture_choice *choice_at(size_t wish, uint32_t number, struct spoor_capture_choice *choice)
{
	const char *rest = wishes[wish].text;

	for (uint32_t i = 0; i < number; i++)
		spoor_capture_text_next(&rest, choice);
	return number ? choice : NULL;
}

static bool make_chunk(uint32_t chunk)
{
	if (!spoor_actions[chunk])
		spoor_actions[chunk] = spoor_permanent_alloc(CHUNK * sizeof(uint16_t));
	return spoor_actions[chunk];
}

/* Makes the chunks of all indexes that events of a module have: its own ones, and those of functions that its wrappers call. */
static bool make_chunks(const struct spoor_instance *instance)
{
	uint32_t first = instance->base >> SPOOR_ACTION_CHUNK_SHIFT, last = (instance->base + instance->count - 1) >> SPOOR_ACTION_CHUNK_SHIFT;
	const struct spoor_sleds *sleds = spoor_instance_sleds(instance);

	for (uint32_t i = first; i <= last; i++)
		if (!make_chunk(i))
			return false;
	for (uint32_t i = 0; sleds && sleds->aliased && i < instance->count; i++)
		if (spoor_sleds_bit(sleds->aliased, i) && !make_chunk(spoor_sleds_index_of(sleds, i) >> SPOOR_ACTION_CHUNK_SHIFT))
			return false;
	return true;
}

/* Functions of which values are missing for one reason. */
struct missing {
	uint32_t count;
	char names[200];	/* of the first functions, if the module is a library without sleds */
};

static void add_missing(struct missing *missing, struct spoor_instance *instance, uint32_t local)
{
	struct spoor_library_function function;
	size_t used = strlen(missing->names);

	missing->count++;
	if (instance->switch_functions && instance->describe(instance, local, &function) &&
	    used + strlen(function.name) + 3 < sizeof(missing->names))
		sprintf(missing->names + used, "%s%s", used ? ", " : "", function.name);
}

/* Says of how many functions values are missing, by reason. */
static void warn_missing(const struct spoor_instance *instance, const struct missing missing[SPOOR_PLAN_FAULTS])
{
	for (uint32_t i = 1; i < SPOOR_PLAN_FAULTS; i++) {
		const char *names = missing[i].names;

		if (missing[i].count)
			spoor_warning("cannot capture all values of %u function%s of %.500s%s%s%s: %s", missing[i].count,
				      missing[i].count == 1 ? "" : "s", instance->path, *names ? " (" : "", names, *names ? ")" : "",
				      spoor_plan_fault_text((enum spoor_plan_fault)i));
	}
}

/* Pairs with the trampolines: who sees the action sees its capture. */
static void set_action(uint32_t index, uint16_t action)
{
	__atomic_store_n(&spoor_actions[index >> SPOOR_ACTION_CHUNK_SHIFT][index & (CHUNK - 1)], action, __ATOMIC_RELEASE);
}

static uint32_t make_plan(const struct decisions *decisions, uint32_t local, const struct spoor_signature_file *file,
			  struct spoor_capture_choice choices[WISHES], enum spoor_plan_fault *fault)
{
	size_t length = 0;
	const uint8_t *signature = file ? spoor_signature_file_find(file, local, &length) : NULL;
	uint32_t action = spoor_plan_make(signature, length, file && file->exported[local / 64] >> (local % 64) & 1,
					  choice_at(0, decisions->by[0][local], &choices[0]),
					  choice_at(1, decisions->by[1][local], &choices[1]), decisions->by[2][local], fault);

	/* A message has said why a module has no descriptions. */
	if (!file && *fault == SPOOR_PLAN_NO_DESCRIPTION)
		*fault = SPOOR_PLAN_GOOD;
	return action;
}

/* The same for a function of a library. Without a list of its own, an argument has its name in the tables. */
static uint32_t make_library_plan(const struct decisions *decisions, uint32_t local,
				  const struct spoor_library_signatures *library, struct spoor_capture_choice choices[WISHES],
				  enum spoor_plan_fault *fault)
{
	const struct spoor_capture_choice *arguments = choice_at(0, decisions->by[0][local], &choices[0]);
	const struct spoor_capture_choice *result = choice_at(1, decisions->by[1][local], &choices[1]);
	struct spoor_library_function function;
	uint32_t action;

	spoor_library_signatures_find(library, local, &function);
	if (arguments && !arguments->items && function.names) {
		choices[0].items = function.names;
		choices[0].items_end = function.names + strlen(function.names);
	}
	action = spoor_plan_make(function.bytes ? function.signature : NULL, function.bytes, true, arguments,
				 function.is_untimed ? NULL : result, decisions->by[2][local], fault);
	if (*fault == SPOOR_PLAN_NO_DESCRIPTION)
		*fault = SPOOR_PLAN_NO_PROTOTYPE;
	else if (*fault == SPOOR_PLAN_GOOD && result && function.is_untimed)
		*fault = SPOOR_PLAN_UNTIMED;
	return action;
}

/* Most functions have no result; a pattern for all functions means the functions with a result. */
static bool is_expected(enum spoor_plan_fault fault, const struct spoor_capture_choice *result)
{
	return (fault == SPOOR_PLAN_NO_RESULT || fault == SPOOR_PLAN_UNTIMED) && result->function_end - result->function == 1;
}

/* Sets the actions of the wanted functions. Returns the number of captured functions. */
static uint32_t set_actions(struct spoor_instance *instance, const struct decisions *decisions,
			    struct descriptions descriptions)
{
	const struct spoor_sleds *sleds = spoor_instance_sleds(instance);
	struct missing missing[SPOOR_PLAN_FAULTS] = { { 0 } };
	uint32_t captured = 0;

	for (uint32_t local = 0; local < instance->count; local++) {
		struct spoor_capture_choice choices[WISHES];
		enum spoor_plan_fault fault;
		uint32_t action;

		/* The events of a library function's wrapper have the function's index. */
		if (!(decisions->wanted[local / 64] >> (local % 64) & 1) ||
		    (sleds && sleds->aliased && spoor_sleds_bit(sleds->aliased, local)))
			continue;
		action = descriptions.library ? make_library_plan(decisions, local, descriptions.library, choices, &fault)
					      : make_plan(decisions, local, descriptions.file, choices, &fault);
		if (fault && (!decisions->by[1][local] || !is_expected(fault, &choices[1])))
			add_missing(&missing[fault], instance, local);
		set_action(instance->base + local, (uint16_t)action);
		captured += action != 0;
	}
	warn_missing(instance, missing);
	return captured;
}

/* Lets the event path read the constants of the executable directly: they are never unmapped. */
static void add_readable(const struct spoor_instance *instance)
{
	const char *image = instance->dso->image;
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)image;

	for (uint32_t i = 0; image && i < header->e_phnum && spoor_readable_count < SPOOR_READABLE_MAX; i++) {
		const ElfW(Phdr) *segment = (const ElfW(Phdr) *)(image + header->e_phoff + i * header->e_phentsize);

		if (segment->p_type != PT_LOAD || (segment->p_flags & (PF_R | PF_W)) != PF_R)
			continue;
		spoor_readable[spoor_readable_count] = (struct spoor_readable){
			segment->p_vaddr + instance->load_bias, segment->p_filesz,
		};
		__atomic_store_n(&spoor_readable_count, spoor_readable_count + 1, __ATOMIC_RELEASE);
	}
}

static void become_mixed(struct spoor_instance *instance)
{
	if (make_chunks(instance) && spoor_mixed_modules_add(instance) && instance->dso)
		spoor_instance_set_slots(instance);
}

static uint32_t choose_library(struct spoor_instance *instance, const struct decisions *decisions)
{
	struct spoor_library_signatures signatures;
	uint32_t captured;

	if (!make_chunks(instance))
		return 0;
	spoor_library_signatures_open(&signatures, instance, decisions->wanted);
	captured = set_actions(instance, decisions, (struct descriptions){ .library = &signatures });
	spoor_library_signatures_close(&signatures);
	if (!captured)
		return 0;
	become_mixed(instance);
	for (uint32_t i = 0; i < spoor_registry_count(); i++)
		if (spoor_captured_library_is_called(spoor_registry_at(i)))
			become_mixed(spoor_registry_at(i));
	spoor_captured_library_changed(instance);
	return captured;
}

static uint32_t choose(struct spoor_instance *instance, const struct decisions *decisions)
{
	struct spoor_signature_file file;
	uint32_t captured = 0;
	int error = instance->hooked ? -ENOTSUP :
		    !decisions->needs_description ? -ENODATA : spoor_signature_file_open(&file, instance, decisions->wanted);

	if (error < 0 && (error == -ENOTSUP || decisions->needs_description)) {
		spoor_warning("cannot capture functions of %.500s: %s", instance->path,
			      error == -ENOENT ? "the file is gone or was replaced" :
			      error == -ENODATA ? "no descriptions of arguments: compile with this version's spoor-cc" :
			      error == -ENOTSUP ? "its functions call hooks and have no sleds" : strerror(-error));
		if (error == -ENOTSUP || !*wishes[2].text)
			return 0;
	}
	if (make_chunks(instance))
		captured = set_actions(instance, decisions, (struct descriptions){ .file = error < 0 ? NULL : &file });
	if (captured)
		become_mixed(instance);
	if (!error)
		spoor_signature_file_close(&file);
	return captured;
}

uint32_t spoor_capture_module(struct spoor_instance *instance)
{
	size_t words = spoor_instance_words(instance);
	uint32_t captured = 0;
	struct decisions decisions = { .bytes = 2 * words * sizeof(uint64_t) + WISHES * (size_t)instance->count };

	if ((!*wishes[0].text && !*wishes[1].text && !*wishes[2].text) || spoor_mode_is_elsewhere())
		return 0;
	if (spoor_captured_library_is_called(instance))
		become_mixed(instance);
	if (spoor_module_bit(&looked_up, instance->position))
		return 0;
	/* A library's functions are called for the first time at any time. */
	if (instance->switch_functions)
		decisions.possible = spoor_captured_library_new_calls(instance);
	if (instance->switch_functions && !decisions.possible)
		return 0;
	if (!instance->switch_functions)
		spoor_module_bit_set(&looked_up, instance->position);
	any_looked_up = true;
	if (instance->executable && !spoor_readable_count)
		add_readable(instance);
	decisions.bits = spoor_memory_map(decisions.bytes);
	if (!decisions.bits)
		return 0;
	decisions.wanted = decisions.bits + words;
	decisions.by[0] = (uint8_t *)(decisions.wanted + words);
	decisions.by[1] = decisions.by[0] + instance->count;
	decisions.by[2] = decisions.by[1] + instance->count;
	if (decide_all(instance, &decisions))
		captured = instance->switch_functions ? choose_library(instance, &decisions) : choose(instance, &decisions);
	spoor_memory_unmap(decisions.bits, decisions.bytes);
	return captured;
}

static int waking(struct spoor_instance *instance, const uint64_t *target)
{
	(void)target;
	spoor_capture_module(instance);
	/* Wrappers that are about to wake may have indexes of further libraries. */
	return spoor_mixed_modules_has(instance) && !make_chunks(instance) ? -ENOMEM : 0;
}

void spoor_capture_renew(void)
{
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		const struct spoor_instance *instance = spoor_registry_at(i);

		for (uint32_t local = 0; local < instance->count; local++)
			if (spoor_action_of(instance->base + local))
				set_action(instance->base + local, 0);
	}
	spoor_result_addresses_forget();
	spoor_captured_libraries_renew();
	spoor_module_bits_clear(&looked_up);
	any_looked_up = false;
	for (size_t wish = 0; wish < WISHES; wish++)
		wishes[wish].matched = 0;
}

void spoor_capture_unmatched(const char *where)
{
	for (size_t wish = 0; wish < WISHES && any_looked_up; wish++) {
		const char *rest = wishes[wish].text;
		struct spoor_capture_choice choice;

		for (uint32_t i = 0; i < 64 && spoor_capture_text_next(&rest, &choice); i++)
			if (!choice.excludes && !(wishes[wish].matched >> i & 1))
				spoor_warning("SPOOR_RUNTIME_%s: no traced function matches '%.*s'%s", wishes[wish].key,
					      (int)(choice.end - choice.begin), choice.begin, where);
	}
}

const struct spoor_module_observer spoor_capture_modules = { .waking = waking };
