/* SPDX-License-Identifier: MIT */
/* spoor_trace.c - exports files of Microsoft's Spoor, by walk/version0_writer.c. */
#include "export/export.h"

#include <errno.h>
#include <unistd.h>

#include "walk/version0_writer.h"

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;

	export_process_begin(export, process, functions);
	version0_process(export->spoor, process, functions);
	return 0;
}

static int thread_begin(void *context, const struct thread_slices *thread)
{
	struct export *export = context;

	export_thread_begin(export, thread);
	version0_thread(export->spoor, thread);
	return 0;
}

static int thread_end(void *context, const struct call_tree *tree)
{
	struct export *export = context;

	export->out.error = version0_thread_end(export->spoor, tree);
	return export->out.error ? -EPIPE : 0;	/* ends the walk; the end reports the error */
}

static void enter(void *context, const struct call *call, size_t depth)
{
	(void)depth;
	version0_enter(((struct export *)context)->spoor, call);
}

static void leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	(void)depth;
	version0_leave(((struct export *)context)->spoor, call, end_ns, how);
}

static void other_event(void *context, const struct event *event, size_t depth)
{
	(void)depth;
	version0_other(((struct export *)context)->spoor, event);
}

void export_spoor(struct walk_sink *sink)
{
	sink->process_begin = process_begin;
	sink->thread_begin = thread_begin;
	sink->thread_end = thread_end;
	sink->calls.enter = enter;
	sink->calls.leave = leave;
	sink->calls.other = other_event;
}

int export_spoor_begin(struct export *export, const char *path)
{
	int directory = export_directory(export, path);
	int error = directory < 0 ? directory : version0_writer_begin(&export->spoor, directory, export->compressed);

	if (error && directory >= 0)
		close(directory);
	return error;
}

int export_spoor_end(struct export *export)
{
	int error = export->spoor ? version0_writer_end(export->spoor) : 0;

	export->spoor = NULL;
	return error;
}
