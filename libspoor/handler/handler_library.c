/* SPDX-License-Identifier: MIT */
/* handler_library.c - calls the handler library, from dlopen to the end of the process. */
#define _GNU_SOURCE
#include "handler/handler_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "base/libc_stack.h"
#include "elf/module_path.h"
#include "text/demangled.h"
#include "event/event_path.h"
#include "handler/function_facts.h"
#include "config/configuration.h"
#include "handler/handler_slots.h"
#include "base/permanent.h"
#include "base/process_end.h"
#include "base/memory.h"
#include "base/warning.h"
#include "module/near_trampolines.h"
#include "spoor_handler.h"
#include "text/source_name.h"

/* The functions of a module that were reported to the library; bits by local ID. Never freed. */
struct report {
	uint64_t *asked;	/* functions that some thread is about to report, or has reported */
	uint64_t *reported;
	uint64_t *target;	/* working memory: functions that may be patched */
	size_t bytes;		/* of the three bitmaps together */
	uint32_t generation;	/* increases each time the module is closed */
	bool wants;		/* a wanted function was not requested yet */
};

static enum { LIBRARY_NONE, LIBRARY_LOADING, LIBRARY_READY, LIBRARY_FAILED, LIBRARY_ENDED } state;
static struct spoor_handler_library library;	/* the library's functions, as far as this version knows them */
static char library_path[PATH_MAX] SPOOR_LARGE;		/* of the library itself */
static bool something_waits;
static struct report *reports[SPOOR_MODULES_MAX] SPOOR_LARGE;	/* by the module's position in the registry */

bool spoor_handler_library_is_used(void)
{
	return spoor_configuration.handler[0] != '\0';
}

/* Brackets calls of the library's functions, except for events: functions called inside are not reported as
 * events, and the thread is not cancelled on a stack of spoor. */
struct inside {
	bool before;
	int cancel_state;
};

static struct inside enter_library(void)
{
	struct inside inside = { .before = spoor_in_handler };

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &inside.cancel_state);
	spoor_in_handler = 1;
	return inside;
}

static void leave_library(struct inside inside)
{
	spoor_in_handler = inside.before;
	pthread_setcancelstate(inside.cancel_state, NULL);
}

/* Restores errno, because a handler in C may change it. */
static void event_keeping_errno(uint64_t function_id, int event)
{
	int saved = errno;

	library.event(function_id, event);
	errno = saved;
}

bool spoor_handler_library_resume(void)
{
	if (!spoor_handler_library_is_used())
		return false;
	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != LIBRARY_READY)
		spoor_handler_install(spoor_no_event, SPOOR_HANDLER_SAVES_REGISTERS);
	else if (library.flags)
		spoor_handler_install(library.event, library.flags);
	else
		spoor_handler_install(event_keeping_errno, library.flags);
	return true;
}

/* Copies what the library offers, and calls its begin function. Returns null, or an error message. */
static const char *accept_library(const struct spoor_handler_library *offered)
{
	size_t size = offered ? offered->size : 0;

	if (!offered)
		return "spoor_handler_library() returned null: the library needs another version of spoor";
	if (size < offsetof(struct spoor_handler_library, module_gone) ||
	    offered->version != SPOOR_HANDLER_LIBRARY_VERSION)
		return "the library was built for another version of spoor_handler.h: build it again";
	memcpy(&library, offered, size < sizeof(library) ? size : sizeof(library));
	if (!library.event)
		return "the library has no function for events";
	if (library.flags & ~(unsigned int)SPOOR_HANDLER_FLAGS)
		return "the library has flags that this version of spoor does not know";
	if (library.begin && library.begin() != 0)
		return "the library's begin() failed";
	return NULL;
}

/* Returns null, or an error message. */
static const char *load_library(void)
{
	const struct spoor_handler_library *(*get)(uint32_t version);
	struct link_map *map;
	const char *wrong;
	void *handle;

	if (spoor_program_is_static())
		return "a static program cannot load a library";
	handle = dlopen(spoor_configuration.handler, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		wrong = dlerror();
		return wrong ? wrong : "the dynamic loader gives no reason";
	}
	get = (__typeof__(get))dlsym(handle, "spoor_handler_library");
	if (!get)
		return "the library does not define spoor_handler_library(), so it is not a handler";
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
		spoor_object_path(map->l_name, library_path);
	return accept_library(get(SPOOR_HANDLER_LIBRARY_VERSION));
}

static void load_on_libc_stack(void *unused)
{
	struct inside inside = enter_library();
	const char *wrong = load_library();

	(void)unused;
	leave_library(inside);
	if (wrong)
		spoor_warning("cannot use the handler %.300s: %.500s; the program runs untraced",
			      spoor_configuration.handler, wrong);
	/* Registered last, so spoor's end comes before the destructors that the library's constructors registered. */
	else
		atexit(spoor_handler_library_end);
	spoor_registry_lock();
	__atomic_store_n(&state, wrong ? LIBRARY_FAILED : LIBRARY_READY, __ATOMIC_RELEASE);
	if (!wrong) {
		spoor_handler_library_resume();
		spoor_registry_apply();
	}
	spoor_registry_unlock();
}

int spoor_handler_library_begin(void)
{
	int none = LIBRARY_NONE, saved = errno;

	if (!spoor_handler_library_is_used())
		return 0;
	if (__atomic_load_n((int *)&state, __ATOMIC_RELAXED) == LIBRARY_NONE &&
	    __atomic_compare_exchange_n((int *)&state, &none, LIBRARY_LOADING, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		spoor_libc_stack_call(load_on_libc_stack, NULL);
		spoor_handler_library_settle();
	}
	errno = saved;
	return __atomic_load_n((int *)&state, __ATOMIC_ACQUIRE) == LIBRARY_FAILED ? -ESHUTDOWN : 0;
}

/* Returns null without memory. */
static struct report *report_of(struct spoor_instance *instance)
{
	size_t bits = spoor_instance_words(instance) * sizeof(uint64_t);
	struct report *report = reports[instance->position];

	if (!report)
		report = reports[instance->position] = spoor_permanent_alloc(sizeof(*report));
	if (report && !report->asked) {
		report->bytes = 3 * bits + 1;
		report->asked = spoor_memory_map(report->bytes);
		if (!report->asked)
			return NULL;
		report->reported = report->asked + bits / 8;
		report->target = report->reported + bits / 8;
	}
	return report;
}

static const uint64_t *allowed(struct spoor_instance *instance, const uint64_t *target)
{
	struct report *report;
	uint64_t waits = 0;

	if (!target || !spoor_handler_library_is_used())
		return target;
	if (state != LIBRARY_READY || strcmp(instance->path, library_path) == 0)
		return NULL;
	if (!library.function)
		return target;
	report = report_of(instance);
	if (!report)
		return NULL;
	for (uint32_t i = 0; i < spoor_instance_words(instance); i++) {
		report->target[i] = target[i] & report->reported[i];
		waits |= target[i] & ~report->asked[i];
	}
	report->wants = waits != 0;
	if (waits)
		__atomic_store_n(&something_waits, true, __ATOMIC_RELAXED);
	return report->target;
}

/* Functions of one module that are reported together. */
struct batch {
	struct spoor_instance *instance;
	struct spoor_function_facts facts;
	uint32_t generation;
	uint64_t load_bias;
	uint64_t module_id;
};

/* Takes the next module with functions to report. Returns whether there was one. Under the lock. */
static bool batch_take(struct batch *batch)
{
	memset(batch, 0, sizeof(*batch));
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);
		const struct spoor_sleds *sleds = spoor_instance_sleds(instance);
		struct report *report = reports[i];
		int error;

		if (!sleds || !report || !report->wants)
			continue;
		for (uint32_t j = 0; j < spoor_instance_words(instance); j++)
			report->target[j] = sleds->wanted[j] & ~report->asked[j];
		report->wants = false;
		error = spoor_function_facts_find(instance, report->target, &batch->facts);
		if (error < 0) {
			spoor_warning("%s stays untraced: out of memory while describing its functions to the handler",
				      instance->path);
			continue;
		}
		for (uint32_t j = 0; j < spoor_instance_words(instance); j++)
			report->asked[j] |= report->target[j];
		batch->instance = instance;
		batch->generation = report->generation;
		batch->load_bias = instance->load_bias;
		batch->module_id = instance->module_id;
		return true;
	}
	return false;
}

/* Working memory, too large for a stack frame. */
struct words {
	struct spoor_text source, demangled;
	char file[2 * PATH_MAX];
};

static void report_function(const struct batch *batch, const struct spoor_function_fact *fact, struct words *words)
{
	const char *source = fact->linkage_name;
	size_t length = source ? spoor_source_name_length(source) : 0;
	struct spoor_handler_function function = {
		.size = sizeof(function),
		.id = batch->module_id << 32 | fact->local,
		.address = (const void *)(batch->load_bias + fact->address),
		.linkage_name = fact->linkage_name,
		.module = batch->instance->path,
		.line = (uint32_t)fact->place.line,
	};

	if (source && length && source[length] && length < sizeof(words->source.bytes)) {
		words->source.used = 0;
		spoor_text_add(source, length, &words->source);
		source = words->source.bytes;
	}
	if (source)
		function.name = spoor_demangle(source, true, &words->demangled);
	if (!function.name)
		function.name = source;
	if (fact->place.file && spoor_source_path(&fact->place, words->file, sizeof(words->file)) == 0)
		function.file = words->file;
	library.function(&function);
}

static long report_waiting(void)
{
	struct words *words = spoor_memory_map(sizeof(*words));
	struct batch batch;
	long changed = 0;

	/* A thread that finds more functions sets it again. */
	while (words && __atomic_exchange_n(&something_waits, false, __ATOMIC_RELAXED)) {
		for (;;) {
			struct inside inside;
			bool taken;

			spoor_registry_lock();
			taken = batch_take(&batch);
			spoor_registry_unlock();
			if (!taken)
				break;
			inside = enter_library();
			for (uint32_t i = 0; i < batch.facts.count; i++)
				report_function(&batch, &batch.facts.facts[i], words);
			leave_library(inside);

			spoor_registry_lock();
			struct report *report = reports[batch.instance->position];
			if (report->generation == batch.generation) {
				for (uint32_t i = 0; i < batch.facts.count; i++) {
					uint32_t local = batch.facts.facts[i].local;

					report->reported[local / 64] |= 1ull << (local % 64);
				}
				changed += spoor_registry_apply_to(batch.instance);
			}
			spoor_registry_unlock();
			spoor_function_facts_free(&batch.facts);
		}
	}
	spoor_memory_unmap(words, sizeof(*words));
	return changed;
}

static void report_on_libc_stack(void *changed)
{
	*(long *)changed = report_waiting();
}

long spoor_handler_library_settle(void)
{
	int saved = errno;
	long changed = 0;

	/* The caller that holds the lock calls again without it. */
	if (__atomic_load_n(&something_waits, __ATOMIC_RELAXED) && !spoor_registry_is_held())
		spoor_libc_stack_call(report_on_libc_stack, &changed);
	errno = saved;
	return changed;
}

/* Returns whether the module's end has to be reported to the library. */
static bool removed(struct spoor_instance *instance)
{
	struct report *report = reports[instance->position];
	bool any = false;

	if (spoor_process_is_ending() || !report || !report->asked)
		return false;
	for (uint32_t i = 0; i < spoor_instance_words(instance); i++)
		any |= report->asked[i] != 0;
	spoor_memory_unmap(report->asked, report->bytes);
	report->asked = report->reported = report->target = NULL;
	report->wants = false;
	report->generation++;
	return any && library.module_gone && state == LIBRARY_READY;
}

static void report_gone(uint32_t module_id, const char *path)
{
	struct inside inside = enter_library();

	library.module_gone(module_id, path);
	leave_library(inside);
}

void spoor_handler_library_after_fork(void)
{
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct report *report = reports[i];

		if (report && report->asked)
			memcpy(report->asked, report->reported, spoor_instance_words(spoor_registry_at(i)) * sizeof(uint64_t));
	}
}

void spoor_handler_library_end(void)
{
	struct inside inside;

	spoor_registry_lock();
	if (state != LIBRARY_READY) {
		spoor_registry_unlock();
		return;
	}
	__atomic_store_n(&state, LIBRARY_ENDED, __ATOMIC_RELEASE);
	if (spoor_any_handler == event_keeping_errno)
		__atomic_store_n(&spoor_any_handler, spoor_no_event, __ATOMIC_RELEASE);
	if (spoor_bare_handler == library.event)
		__atomic_store_n(&spoor_bare_handler, spoor_no_event, __ATOMIC_RELEASE);
	if (spoor_saving_handler == library.event)
		__atomic_store_n(&spoor_saving_handler, spoor_no_event, __ATOMIC_RELEASE);
	spoor_near_trampolines_update();
	spoor_registry_unlock();
	inside = enter_library();
	if (library.end)
		library.end(__atomic_load_n(&spoor_handler_unreported, __ATOMIC_RELAXED));
	leave_library(inside);
}

static void settle_all(void)
{
	spoor_handler_library_settle();
}

const struct spoor_module_observer spoor_handler_modules = {
	.allowed = allowed,
	.removed = removed,
	.gone = report_gone,
	.settle = settle_all,
};
