/* SPDX-License-Identifier: MIT */
/* handler_library.c - the library that is called with each event, from dlopen to its end. */
#define _GNU_SOURCE
#include "handler/handler_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/libc_stack.h"
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

/* What the library knows of a module's functions; bits by local ID. Kept for good. */
struct told {
	uint64_t *asked;	/* those that somebody is about to tell, or has told */
	uint64_t *told;
	uint64_t *target;	/* scratch: what may be patched */
	size_t bytes;		/* of the three together */
	uint32_t generation;	/* of the module's being loaded */
	bool wants;		/* something wanted was not asked for yet */
};

static enum { LIBRARY_NONE, LIBRARY_LOADING, LIBRARY_READY, LIBRARY_FAILED, LIBRARY_ENDED } state;
static struct spoor_handler_library library;	/* all that this version knows of it */
static char library_path[PATH_MAX];		/* of its module */
static bool something_waits;
static struct told *known[SPOOR_MODULES_MAX];	/* by the module's position */

bool spoor_handler_library_is_used(void)
{
	return spoor_configuration.handler[0] != '\0';
}

/* Around the library's functions but the event's: what they call is not reported to it,
 * and a thread is not cancelled on a stack of ours. */
struct inside {
	bool before;
	int cancel_state;
};

static struct inside enter(void)
{
	struct inside inside = { .before = spoor_in_handler };

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &inside.cancel_state);
	spoor_in_handler = 1;
	return inside;
}

static void leave(struct inside inside)
{
	spoor_in_handler = inside.before;
	pthread_setcancelstate(inside.cancel_state, NULL);
}

/* Any C may leave errno changed, and the program's is not its. */
static void any_event(uint64_t function_id, int event)
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
		spoor_handler_install(any_event, library.flags);
	return true;
}

/* Takes what the library says of itself. Return: null, or what is wrong. */
static const char *take(const struct spoor_handler_library *offered)
{
	size_t size = offered ? offered->size : 0;

	if (!offered)
		return "its spoor_handler_library() returns nothing: it needs another version of spoor";
	if (size < offsetof(struct spoor_handler_library, module_gone) ||
	    offered->version != SPOOR_HANDLER_LIBRARY_VERSION)
		return "it was built for another version of spoor_handler.h";
	memcpy(&library, offered, size < sizeof(library) ? size : sizeof(library));
	if (!library.event)
		return "it has no function for events";
	if (library.flags & ~(unsigned int)SPOOR_HANDLER_FLAGS)
		return "it has flags that this spoor does not know";
	if (library.begin && library.begin() != 0)
		return "its begin() failed";
	return NULL;
}

/* Return: null, or what is wrong. */
static const char *load(void)
{
	const struct spoor_handler_library *(*get)(uint32_t version);
	struct link_map *map;
	const char *wrong;
	void *handle;

	if (spoor_program_is_static())
		return "a static program can load no library";
	handle = dlopen(spoor_configuration.handler, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		wrong = dlerror();
		return wrong ? wrong : "it cannot be loaded";
	}
	get = (__typeof__(get))dlsym(handle, "spoor_handler_library");
	if (!get)
		return "it does not define spoor_handler_library(): it is no handler of spoor's";
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && !realpath(map->l_name, library_path))
		library_path[0] = '\0';
	return take(get(SPOOR_HANDLER_LIBRARY_VERSION));
}

static void load_aside(void *unused)
{
	struct inside inside = enter();
	const char *wrong = load();

	(void)unused;
	leave(inside);
	if (wrong)
		spoor_message("handler %.300s: %.500s; nothing is traced", spoor_configuration.handler, wrong);
	/* Before what its constructors have registered, the destructors of its static objects. */
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
		spoor_libc_stack_call(load_aside, NULL);
		spoor_handler_library_settle();
	}
	errno = saved;
	return __atomic_load_n((int *)&state, __ATOMIC_ACQUIRE) == LIBRARY_FAILED ? -ESHUTDOWN : 0;
}

/* Return: null without memory. */
static struct told *told_of(struct spoor_instance *instance)
{
	size_t bits = spoor_instance_words(instance) * sizeof(uint64_t);
	struct told *told = known[instance->position];

	if (!told)
		told = known[instance->position] = spoor_permanent_alloc(sizeof(*told));
	if (told && !told->asked) {
		told->bytes = 3 * bits + 1;
		told->asked = spoor_memory_map(told->bytes);
		if (!told->asked)
			return NULL;
		told->told = told->asked + bits / 8;
		told->target = told->told + bits / 8;
	}
	return told;
}

static const uint64_t *allowed(struct spoor_instance *instance, const uint64_t *target)
{
	struct told *told;
	uint64_t waits = 0;

	if (!target || !spoor_handler_library_is_used())
		return target;
	if (state != LIBRARY_READY || strcmp(instance->path, library_path) == 0)
		return NULL;
	if (!library.function)
		return target;
	told = told_of(instance);
	if (!told)
		return NULL;
	for (uint32_t i = 0; i < spoor_instance_words(instance); i++) {
		told->target[i] = target[i] & told->told[i];
		waits |= target[i] & ~told->asked[i];
	}
	told->wants = waits != 0;
	if (waits)
		__atomic_store_n(&something_waits, true, __ATOMIC_RELAXED);
	return told->target;
}

/* What is told at once: functions of one module. */
struct batch {
	struct spoor_instance *instance;
	struct spoor_function_facts facts;
	uint32_t generation;
	uint64_t load_bias;
	uint64_t module_id;
};

/* Takes the next module that waits. Under the lock. Return: whether there was one. */
static bool batch_take(struct batch *batch)
{
	memset(batch, 0, sizeof(*batch));
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);
		const struct spoor_sleds *sleds = spoor_instance_sleds(instance);
		struct told *told = known[i];
		int error;

		if (!sleds || !told || !told->wants)
			continue;
		for (uint32_t j = 0; j < spoor_instance_words(instance); j++)
			told->target[j] = sleds->wanted[j] & ~told->asked[j];
		told->wants = false;
		error = spoor_function_facts_find(instance, told->target, &batch->facts);
		if (error < 0) {
			spoor_message("there is no memory to tell the handler of %s, which stays untraced",
				      instance->path);
			continue;
		}
		for (uint32_t j = 0; j < spoor_instance_words(instance); j++)
			told->asked[j] |= told->target[j];
		batch->instance = instance;
		batch->generation = told->generation;
		batch->load_bias = instance->load_bias;
		batch->module_id = instance->module_id;
		return true;
	}
	return false;
}

/* What needs more room than a frame should have. */
struct words {
	struct spoor_text source, demangled;
	char file[2 * PATH_MAX];
};

static void tell(const struct batch *batch, const struct spoor_function_fact *fact, struct words *words)
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

static long settle(void)
{
	struct words *words = spoor_memory_map(sizeof(*words));
	struct batch batch;
	long changed = 0;

	/* Set again by whoever comes later. */
	while (words && __atomic_exchange_n(&something_waits, false, __ATOMIC_RELAXED)) {
		for (;;) {
			struct inside inside;
			bool taken;

			spoor_registry_lock();
			taken = batch_take(&batch);
			spoor_registry_unlock();
			if (!taken)
				break;
			inside = enter();
			for (uint32_t i = 0; i < batch.facts.count; i++)
				tell(&batch, &batch.facts.facts[i], words);
			leave(inside);

			spoor_registry_lock();
			struct told *told = known[batch.instance->position];
			if (told->generation == batch.generation) {
				for (uint32_t i = 0; i < batch.facts.count; i++) {
					uint32_t local = batch.facts.facts[i].local;

					told->told[local / 64] |= 1ull << (local % 64);
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

static void settle_aside(void *changed)
{
	*(long *)changed = settle();
}

long spoor_handler_library_settle(void)
{
	int saved = errno;
	long changed = 0;

	/* Whoever holds the lock comes here again without it. */
	if (__atomic_load_n(&something_waits, __ATOMIC_RELAXED) && !spoor_registry_is_held())
		spoor_libc_stack_call(settle_aside, &changed);
	errno = saved;
	return changed;
}

/* Return: whether the library is to be told. */
static bool removed(struct spoor_instance *instance)
{
	struct told *told = known[instance->position];
	bool any = false;

	if (spoor_process_is_ending() || !told || !told->asked)
		return false;
	for (uint32_t i = 0; i < spoor_instance_words(instance); i++)
		any |= told->asked[i] != 0;
	spoor_memory_unmap(told->asked, told->bytes);
	told->asked = told->told = told->target = NULL;
	told->wants = false;
	told->generation++;
	return any && library.module_gone && state == LIBRARY_READY;
}

static void tell_gone(uint32_t module_id, const char *path)
{
	struct inside inside = enter();

	library.module_gone(module_id, path);
	leave(inside);
}

void spoor_handler_library_after_fork(void)
{
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct told *told = known[i];

		if (told && told->asked)
			memcpy(told->asked, told->told, spoor_instance_words(spoor_registry_at(i)) * sizeof(uint64_t));
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
	if (spoor_any_handler == any_event)
		__atomic_store_n(&spoor_any_handler, spoor_no_event, __ATOMIC_RELEASE);
	if (spoor_bare_handler == library.event)
		__atomic_store_n(&spoor_bare_handler, spoor_no_event, __ATOMIC_RELEASE);
	if (spoor_saving_handler == library.event)
		__atomic_store_n(&spoor_saving_handler, spoor_no_event, __ATOMIC_RELEASE);
	spoor_near_trampolines_update();
	spoor_registry_unlock();
	inside = enter();
	if (library.end)
		library.end(__atomic_load_n(&spoor_handler_unreported, __ATOMIC_RELAXED));
	leave(inside);
}

static void settle_all(void)
{
	spoor_handler_library_settle();
}

const struct spoor_module_observer spoor_handler_modules = {
	.allowed = allowed,
	.removed = removed,
	.gone = tell_gone,
	.settle = settle_all,
};
