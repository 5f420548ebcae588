/* SPDX-License-Identifier: MIT */
/* status_page.c - writes the traced process's status into the header of its pool. */
#include "trace/status_page.h"

#include <string.h>

#include "base/large.h"
#include "event/event_path.h"
#include "mode/mode.h"
#include "trace/trace_state.h"

static struct spoor_status_page *current_page(void)
{
	return spoor_trace_is_ours() && spoor_pool ? spoor_pool_status_page(spoor_pool) : NULL;
}

/* The displayed names of modules. */
static struct spoor_status_page_name names[SPOOR_STATUS_MODULES_MAX] SPOOR_LARGE;

static void name_module(struct spoor_status_page_name *shown, const char *path, const char *soname)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length;

	if (soname[0])
		name = soname;
	length = strlen(name);
	if (length >= sizeof(shown->text)) {
		name += length - (sizeof(shown->text) - 1);
		length = sizeof(shown->text) - 1;
	}
	memcpy(shown->text, name, length + 1);
}

/* @count: number of the module's functions; 0 if it is not loaded */
static void put_module(struct spoor_status_page *to, const struct spoor_instance *instance, uint32_t count)
{
	const struct spoor_sleds *sleds = spoor_sleds_at(instance->position);
	struct spoor_status_page_module *module;

	__atomic_store_n(&to->enabled, spoor_registry_patched(), __ATOMIC_RELAXED);
	if (instance->position >= SPOOR_STATUS_MODULES_MAX) {
		to->modules_left_out = spoor_registry_count() - SPOOR_STATUS_MODULES_MAX;
		return;
	}
	module = &to->modules[instance->position];
	module->name = names[instance->position];
	module->enabled = sleds ? sleds->enabled : 0;
	__atomic_store_n(&module->count, count, __ATOMIC_RELEASE);
	if (to->module_count <= instance->position)
		__atomic_store_n(&to->module_count, instance->position + 1, __ATOMIC_RELEASE);
}

static void put_mode(struct spoor_status_page *to)
{
	static const struct spoor_status_page_mode modes[] = {
		[SPOOR_MODE_LOG] = { "log" }, [SPOOR_MODE_RING] = { "ring" },
		[SPOOR_MODE_COUNT] = { "count" }, [SPOOR_MODE_OFF] = { "off" },
		[SPOOR_MODE_ORDER] = { "order" },
	};

	to->mode = modes[spoor_registry_is_on() ? spoor_mode_now() : SPOOR_MODE_OFF];
}

void spoor_status_page_begin(const char *folder, int recorded)
{
	struct spoor_status_page *to = current_page();

	if (!to)
		return;
	strncpy(to->folder, folder, sizeof(to->folder) - 1);
	to->recorded = recorded != 0;
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		const struct spoor_instance *instance = spoor_registry_at(i);

		put_module(to, instance, instance->dso ? instance->count : 0);
	}
	put_mode(to);
}

static void changed(struct spoor_instance *instance)
{
	struct spoor_status_page *to = current_page();

	if (to)
		put_module(to, instance, instance->count);
}

static void added(struct spoor_instance *instance)
{
	if (instance->position < SPOOR_STATUS_MODULES_MAX)
		name_module(&names[instance->position], instance->path, instance->soname);
	changed(instance);
}

static bool removed(struct spoor_instance *instance)
{
	struct spoor_status_page *to = current_page();

	if (to)
		put_module(to, instance, 0);
	return false;
}

static void all_changed(bool is_on)
{
	struct spoor_status_page *to = current_page();

	(void)is_on;
	if (to)
		put_mode(to);
}

const struct spoor_module_observer spoor_status_page_modules = {
	.added = added,
	.changed = changed,
	.all_changed = all_changed,
	.removed = removed,
};
