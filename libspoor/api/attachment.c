/* SPDX-License-Identifier: MIT */
/* attachment.c - begins and ends a trace of a running process. */
#define _GNU_SOURCE
#include "api/attachment.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/large.h"
#include "module/adoption.h"
#include "probe/adopted_tracepoints.h"
#include "module/choice.h"
#include "capture/captured_modules.h"
#include "config/configuration.h"
#include "base/time_source.h"
#include "api/interface.h"
#include "base/warning.h"
#include "api/mode_change.h"
#include "patch/text_pages.h"
#include "event/pool.h"
#include "probe/probe.h"
#include "trace/recorder_client.h"
#include "handler/handler_library.h"
#include "library_calls/library_calls.h"
#include "module/registry.h"
#include "trace/unrooted_threads.h"
#include "trace/open_calls_at_start.h"
#include "module/rules.h"
#include "api/runtime.h"
#include "base/system.h"
#include "event/thread.h"
#include "trace/trace.h"
#include "probe/semaphores.h"
#include "mode/trigger.h"

static struct spoor_configuration own_configuration SPOOR_LARGE;	/* the configuration from before the attachment */
static enum { DETACHED, ATTACHED, STOPPED } state;
static pid_t recorder;

static void configure(const struct spoor_attachment *attachment)
{
	struct spoor_configuration *configuration = &spoor_configuration;

	own_configuration = *configuration;
	configuration->mode = attachment->mode;
	configuration->flush_all_events = attachment->mode == SPOOR_MODE_LOG;
	configuration->session_id = attachment->session_id;
	strcpy(configuration->trace_path, attachment->trace_path);
	strcpy(configuration->recorder, attachment->recorder);
	strcpy(configuration->modules, attachment->modules);
	strcpy(configuration->functions, attachment->functions);
	strcpy(configuration->tracepoints, attachment->tracepoints);
	strcpy(configuration->trigger, attachment->trigger);
	strcpy(configuration->args, attachment->args);
	strcpy(configuration->retval, attachment->retval);
	strcpy(configuration->library_calls, attachment->library_calls);
	strcpy(configuration->cpu_time, attachment->cpu_time);
}

/* Makes all sleds dormant and closes the trace. */
static void detach(void)
{
	spoor_mode_sleep();
	spoor_trace_leave();
	spoor_registry_choose_as(NULL);
	spoor_tracepoints_choose_as(NULL);
	spoor_recorder_close_door(spoor_configuration.recorder);
	spoor_configuration = own_configuration;
	spoor_mode_begin();
	spoor_roots_end();
	state = STOPPED;
}

static bool is_whole(const struct spoor_attachment *attachment)
{
	return memchr(attachment->trace_path, 0, sizeof(attachment->trace_path)) &&
	       memchr(attachment->recorder, 0, sizeof(attachment->recorder)) &&
	       memchr(attachment->modules, 0, sizeof(attachment->modules)) &&
	       memchr(attachment->functions, 0, sizeof(attachment->functions)) &&
	       memchr(attachment->tracepoints, 0, sizeof(attachment->tracepoints)) &&
	       memchr(attachment->trigger, 0, sizeof(attachment->trigger)) &&
	       memchr(attachment->args, 0, sizeof(attachment->args)) &&
	       memchr(attachment->retval, 0, sizeof(attachment->retval)) &&
	       memchr(attachment->library_calls, 0, sizeof(attachment->library_calls)) &&
	       memchr(attachment->cpu_time, 0, sizeof(attachment->cpu_time));
}

/* A recorder in another PID name space is visible only by its mark in the pool. */
static bool recorder_is_gone(void)
{
	if (recorder)
		return kill(recorder, 0) < 0 && errno == ESRCH;
	return spoor_pool && spoor_trace_folder() && spoor_recorder_is_gone(spoor_pool);
}

/* Applies the recorder's configuration. No sled is awake yet, and more modules may come. */
static long begin_attachment(struct spoor_attachment *attachment)
{
	const char *folder = spoor_trace_folder();

	if (!is_whole(attachment))
		return -EINVAL;
	if (state == ATTACHED && recorder_is_gone())
		detach();
	if (state == STOPPED)
		return -EAGAIN;
	if (folder || state == ATTACHED || spoor_handler_library_is_used()) {
		strcpy(attachment->folder, folder ? folder : "");
		return -EBUSY;
	}
	configure(attachment);
	recorder = attachment->recorder_process;
	spoor_unrooted_threads_forget();
	state = ATTACHED;
	spoor_trace_renew();
	spoor_runtime_set_begun(true);
	spoor_registry_switch(false);
	spoor_capture_renew();
	spoor_mode_begin();
	spoor_mode_wake();
	spoor_tracepoints_choose_as(attachment->tracepoints);
	spoor_registry_choose_as(&(struct spoor_rule){ SPOOR_CHOICE_ENABLE, attachment->modules, attachment->functions });
	return 0;
}

static bool anything_is_chosen(void)
{
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		const struct spoor_sleds *sleds = spoor_instance_sleds(spoor_registry_at(i));

		for (uint32_t word = 0; sleds && word < spoor_sleds_words(sleds); word++)
			if (sleds->wanted[word])
				return true;
	}
	return false;
}

/* Calls @look for each module with sleds: functions are looked up while other threads run. */
static void look_for_functions(void (*look)(struct spoor_instance *instance))
{
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);

		if (spoor_instance_sleds(instance))
			look(instance);
	}
}

static void choose_values(struct spoor_instance *instance)
{
	spoor_capture_module(instance);
}

/* Takes the dynamic loader's lock before the registry's. */
static long prepare(struct spoor_attachment *attachment)
{
	long result;

	spoor_registry_lock();
	result = begin_attachment(attachment);
	spoor_registry_unlock();
	if (result == -EAGAIN)
		spoor_probes_stop();
	if (result < 0)
		return result;
	spoor_adopt_modules(false);
	spoor_library_calls_follow();
	if (strcmp(attachment->tracepoints, SPOOR_TRACEPOINTS_NONE) != 0) {
		spoor_adopt_tracepoints();
		spoor_probes_follow();
	}
	spoor_registry_lock();
	/* The trace begins with the captures of all modules. */
	look_for_functions(choose_values);
	/* Opens files before other threads are stopped. */
	if ((anything_is_chosen() && spoor_patch_is_allowed()) || spoor_tracepoints_any_chosen())
		spoor_trace_begin();
	look_for_functions(spoor_trigger_module);
	spoor_registry_unlock();
	return 0;
}

static long wake(struct spoor_attachment *attachment)
{
	const char *folder;

	if (attachment->held && !spoor_registry_try_lock())
		return -EDEADLK;
	if (!attachment->held)
		spoor_registry_lock();
	if (attachment->held && !spoor_trace_is_idle()) {
		spoor_registry_unlock();
		return -EDEADLK;
	}
	spoor_mode_log(true);
	spoor_tracepoints_settle();
	spoor_registry_switch(true);
	spoor_trigger_check();
	attachment->tracepoints_on = (uint64_t)spoor_tracepoints_on();
	folder = spoor_trace_folder();
	if (folder)
		strcpy(attachment->folder, folder);
	spoor_registry_unlock();
	return !folder && spoor_trace_has_failed() ? -EIO : (long)(spoor_registry_patched() + attachment->tracepoints_on);
}

/* Other threads have been stopped since the wake step, so none can have taken a lock. */
static long take_roots(const struct spoor_attachment *attachment)
{
	int error;

	if (!spoor_registry_try_lock())
		return -EDEADLK;
	error = attachment->frame_count <= SPOOR_ATTACHMENT_FRAMES ? spoor_roots_begin() : -EINVAL;
	for (uint64_t i = 0; i < attachment->frame_count && error == 0; i++) {
		const struct spoor_stack_frame *frame = &attachment->frames[i];

		if (frame->kind == SPOOR_STACK_END || frame->kind == SPOOR_STACK_CUT)
			spoor_roots_write(frame->thread, 0, spoor_counter(), frame->kind == SPOOR_STACK_CUT);
		else
			spoor_roots_add(frame);
	}
	/* An empty list is the last one. */
	if (attachment->frame_count == 0)
		spoor_roots_end();
	spoor_registry_unlock();
	return error;
}

/* Other threads run, so the dynamic loader's lock is available. */
static long write_breakpoints(struct spoor_attachment *attachment)
{
	spoor_library_calls_follow();
	spoor_probes_follow();
	spoor_registry_lock();
	attachment->tracepoints_on = (uint64_t)spoor_tracepoints_on();
	spoor_registry_unlock();
	return (long)(spoor_registry_patched() + attachment->tracepoints_on);
}

static long try_lock(void)
{
	if (!spoor_registry_try_lock())
		return -EDEADLK;
	spoor_registry_unlock();
	return 0;
}

static long end_attachment(void)
{
	if (state != STOPPED)
		return -EINVAL;
	spoor_threads_expire();
	spoor_trace_forget();
	state = DETACHED;
	return 0;
}

/* Warns about unmatched patterns without naming the process: the recorder knows it. */
static void finish_attachment(void)
{
	if (spoor_registry_count())
		spoor_choice_unmatched("");
	spoor_capture_unmatched("");
	spoor_tracepoints_unmatched("");
	detach();
}

bool spoor_attachment_is_on(void)
{
	return state == ATTACHED;
}

static long take_step(struct spoor_attachment *attachment)
{
	long result = 0;

	if (attachment->step == SPOOR_ATTACHMENT_PREPARE)
		return prepare(attachment);
	if (attachment->step == SPOOR_ATTACHMENT_WAKE)
		return wake(attachment);
	if (attachment->step == SPOOR_ATTACHMENT_ROOTS)
		return take_roots(attachment);
	if (attachment->step == SPOOR_ATTACHMENT_PROBES)
		return write_breakpoints(attachment);
	if (attachment->step == SPOOR_ATTACHMENT_TRY)
		return try_lock();
	spoor_registry_lock();
	if (attachment->step == SPOOR_ATTACHMENT_END)
		result = end_attachment();
	else if (attachment->step != SPOOR_ATTACHMENT_STOP)
		result = -EINVAL;
	else if (state == ATTACHED)
		finish_attachment();
	spoor_registry_unlock();
	if (attachment->step == SPOOR_ATTACHMENT_STOP) {
		spoor_library_calls_follow();
		spoor_probes_stop();
	}
	if (attachment->step == SPOOR_ATTACHMENT_END && result == 0 && !spoor_probes_leave())
		result = -EACCES;
	return result;
}

EXPORT long spoor_attachment(struct spoor_attachment *attachment)
{
	int saved = errno;
	long result;

	if (attachment->version != SPOOR_ATTACHMENT_VERSION || attachment->size != sizeof(*attachment))
		return -EINVAL;
	attachment->words[0] = attachment->folder[0] = '\0';
	spoor_warning_divert(attachment->words, sizeof(attachment->words));
	/* In later steps the runtime has begun, and a stopped thread may hold its lock. */
	if (attachment->step == SPOOR_ATTACHMENT_PREPARE && spoor_runtime_begin() < 0)
		result = -ESHUTDOWN;
	else
		result = take_step(attachment);
	spoor_warning_divert(NULL, 0);
	errno = saved;
	return result;
}
