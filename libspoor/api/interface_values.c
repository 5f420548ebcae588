/* SPDX-License-Identifier: MIT */
/* interface_values.c - the functions of spoor.h that choose whose arguments and results are recorded. */
#include <errno.h>
#include <string.h>

#include "api/interface.h"
#include "api/runtime.h"
#include "base/libc_stack.h"
#include "capture/captured_modules.h"
#include "config/configuration.h"
#include "mode/mode.h"
#include "module/registry.h"
#include "text/capture_text.h"
#include "trace/recorded_captures.h"
#include "trace/recorded_modules.h"

struct call {
	char *wish;		/* the part of the configuration */
	const char *choices;
	long count;
};

/* A function keeps its sleds; calls that run meanwhile are recorded without values. */
static void choose_on_libc_stack(void *argument)
{
	struct call *call = argument;

	spoor_registry_lock();
	strcpy(call->wish, call->choices);
	spoor_capture_renew();
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);

		if (!instance->dso)
			continue;
		call->count += spoor_capture_module(instance);
		if (spoor_module_is_recorded(instance))
			spoor_trace_captures(instance);
	}
	spoor_registry_unlock();
}

static long choose(char *wish, size_t size, const char *choices)
{
	struct call call = { wish, choices ? choices : "", 0 };
	int saved;

	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	if (*call.choices && spoor_capture_text_check(call.choices) < 0)
		return -EINVAL;
	if (strlen(call.choices) >= size)
		return -E2BIG;
	if (spoor_mode_is_elsewhere())
		return -ENOTSUP;
	saved = errno;
	spoor_libc_stack_call(choose_on_libc_stack, &call);
	errno = saved;
	return call.count;
}

EXPORT long spoor_arguments_choose(const char *choices)
{
	return choose(spoor_configuration.args, sizeof(spoor_configuration.args), choices);
}

EXPORT long spoor_results_choose(const char *choices)
{
	return choose(spoor_configuration.retval, sizeof(spoor_configuration.retval), choices);
}
