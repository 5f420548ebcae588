/* SPDX-License-Identifier: MIT */
/* handler_slots.c - chooses the trampolines for each class of handlers. */
#include "handler/handler_slots.h"

#include "event/event_path.h"
#include "event/processor.h"
#include "mode/mode.h"
#include "module/registry.h"

static void set_trampolines(const struct spoor_trampolines *set)
{
	spoor_registry_set_trampolines(set->entry, set->exit, set->tail);
}

void spoor_handler_install(spoor_handler *handler, unsigned int flags)
{
	static const struct spoor_trampolines bare_trampolines = SPOOR_TRAMPOLINES_OF(bare);
	static const struct spoor_trampolines saving_trampolines = SPOOR_TRAMPOLINES_OF(saving);
	const struct spoor_trampolines *trampolines = spoor_any_trampolines();
	spoor_handler **called = &spoor_any_handler;

	if (!handler) {
		spoor_mode_trampolines();
		return;
	}
	if (flags & SPOOR_HANDLER_SAVES_REGISTERS) {
		trampolines = &saving_trampolines;
		called = &spoor_saving_handler;
	} else if (flags & SPOOR_HANDLER_GENERAL_REGISTERS_ONLY) {
		trampolines = &bare_trampolines;
		called = &spoor_bare_handler;
	}
	/* Before the slots: a thread that comes through a slot finds a handler. Never set to null again. */
	__atomic_store_n(called, handler, __ATOMIC_RELEASE);
	set_trampolines(trampolines);
}
