/* SPDX-License-Identifier: MIT */
/* registration.c - the function that the stubs of modules call. */
#include <errno.h>

#include "api/interface.h"
#include "api/runtime.h"
#include "base/libc_stack.h"
#include "base/readiness.h"
#include "handler/handler_library.h"
#include "library_calls/library_calls.h"
#include "mode/order_modules.h"
#include "module/adoption.h"
#include "module/registry.h"

static void add_on_libc_stack(void *dso)
{
	spoor_registry_add(dso);
	spoor_adopt_modules_to_begin();
}

/* Restores errno: the C standard requires 0 when main begins. */
EXPORT void spoor_dso_register(struct spoor_dso *dso)
{
	int saved = errno;

	if (!spoor_readiness_find_in_constructor())
		spoor_runtime_defer_registration();
	else if (spoor_runtime_begin_tracing() == 0) {
		spoor_libc_stack_call(add_on_libc_stack, dso);
		spoor_order_modules_add(dso);
		spoor_library_calls_registered();
		spoor_handler_library_settle();
	}
	errno = saved;
}
