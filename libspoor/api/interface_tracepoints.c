/* SPDX-License-Identifier: MIT */
/* interface_tracepoints.c - the functions of spoor.h and spoor/sdt.h for static tracepoints. */
#include <errno.h>
#include <stdbool.h>

#include "probe/adopted_tracepoints.h"
#include "base/libc_stack.h"
#include "base/readiness.h"
#include "api/interface.h"
#include "elf/module_path.h"
#include "text/pattern.h"
#include "probe/probe.h"
#include "module/registry.h"
#include "api/runtime.h"
#include "probe/semaphores.h"

struct call {
	bool on;
	const char *patterns;
	long changed;
};

static void choose_on_libc_stack(void *argument)
{
	struct call *call = argument;

	spoor_registry_lock();
	call->changed = spoor_tracepoints_choose(call->on, call->patterns);
	spoor_registry_unlock();
}

static long choose(bool on, const char *patterns)
{
	struct call call = { on, patterns ? patterns : "*", 0 };
	int saved;

	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	saved = errno;
	if (spoor_patterns_check(call.patterns) < 0)
		return -EINVAL;
	spoor_libc_stack_call(choose_on_libc_stack, &call);
	call.changed += spoor_adopt_tracepoints();
	call.changed += spoor_probes_follow();
	errno = saved;
	return call.changed;
}

EXPORT long spoor_tracepoints_enable(const char *patterns)
{
	return choose(true, patterns);
}

EXPORT long spoor_tracepoints_disable(const char *patterns)
{
	return choose(false, patterns);
}

static void add_on_libc_stack(void *argument)
{
	struct spoor_sdt_probe *probe = argument;
	char path[PATH_MAX];

	spoor_module_path(probe, path);
	spoor_registry_lock();
	spoor_tracepoints_add(probe, path);
	spoor_registry_unlock();
}

EXPORT void spoor_sdt_register(struct spoor_sdt_probe *probe)
{
	int saved = errno;

	/* Otherwise this library's constructor finds the tracepoint. */
	if (spoor_readiness_find_in_constructor() && spoor_runtime_begin() == 0 && spoor_tracepoints_are_used() &&
	    !__atomic_load_n(&probe->unregister, __ATOMIC_RELAXED))
		spoor_libc_stack_call(add_on_libc_stack, probe);
	errno = saved;
}
