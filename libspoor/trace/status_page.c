/* SPDX-License-Identifier: MIT */
/* status_page.c - the process's side of the board. */
#include "trace/status_page.h"

#include <string.h>

#include "event/event_path.h"
#include "mode/mode.h"
#include "module/registry.h"
#include "trace/trace.h"

static struct spoor_board *board(void)
{
	return spoor_trace_is_ours() && spoor_pool ? spoor_pool_board(spoor_pool) : NULL;
}

void spoor_board_name(struct spoor_board_name *shown, const char *path, const char *soname)
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

static void put_module(struct spoor_board *to, const struct spoor_instance *instance)
{
	struct spoor_board_module *module;

	__atomic_store_n(&to->enabled, spoor_registry_patched(), __ATOMIC_RELAXED);
	if (instance->position >= SPOOR_BOARD_MODULES_MAX) {
		to->modules_left_out = spoor_registry_count() - SPOOR_BOARD_MODULES_MAX;
		return;
	}
	module = &to->modules[instance->position];
	module->name = instance->shown;
	module->enabled = instance->enabled;
	__atomic_store_n(&module->count, instance->dso ? instance->count : 0, __ATOMIC_RELEASE);
	if (to->module_count <= instance->position)
		__atomic_store_n(&to->module_count, instance->position + 1, __ATOMIC_RELEASE);
}

void spoor_board_begin(const char *folder, int recorded)
{
	struct spoor_board *to = board();

	if (!to)
		return;
	strncpy(to->folder, folder, sizeof(to->folder) - 1);
	to->recorded = recorded != 0;
	for (uint32_t i = 0; i < spoor_registry_count(); i++)
		put_module(to, spoor_registry_at(i));
	spoor_board_mode();
}

void spoor_board_module(const struct spoor_instance *instance)
{
	struct spoor_board *to = board();

	if (to)
		put_module(to, instance);
}

void spoor_board_mode(void)
{
	static const struct spoor_board_mode modes[] = {
		[SPOOR_MODE_LOG] = { "log" }, [SPOOR_MODE_RING] = { "ring" },
		[SPOOR_MODE_COUNT] = { "count" }, [SPOOR_MODE_OFF] = { "off" },
		[SPOOR_MODE_ORDER] = { "order" },
	};
	struct spoor_board *to = board();

	if (to)
		to->mode = modes[spoor_registry_is_on() ? spoor_mode_now() : SPOOR_MODE_OFF];
}
