/* SPDX-License-Identifier: MIT */
/* attachment.c - begins and ends a trace of a process that is in its midst. */
#define _GNU_SOURCE
#include "attachment.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "adoption.h"
#include "configuration.h"
#include "interface.h"
#include "message.h"
#include "mode.h"
#include "pool.h"
#include "handler_library.h"
#include "registry.h"
#include "rules.h"
#include "runtime.h"
#include "thread.h"
#include "trace.h"

static struct spoor_configuration own;	/* what the process was configured with */
static enum { NOBODY, ATTACHED, STOPPED } state;
static pid_t recorder;

static void configure(const struct spoor_attachment *attachment)
{
	struct spoor_configuration *configuration = &spoor_configuration;

	own = *configuration;
	configuration->mode = attachment->mode;
	configuration->flush_all_events = attachment->mode == SPOOR_MODE_LOG;
	configuration->session_id = attachment->session_id;
	strcpy(configuration->trace_path, attachment->trace_path);
	strcpy(configuration->recorder, attachment->recorder);
	strcpy(configuration->modules, attachment->modules);
	strcpy(configuration->functions, attachment->functions);
}

/* All that is awake goes to sleep; nobody finds a trace open from here on. */
static void stop(void)
{
	spoor_registry_switch(false);
	spoor_runtime_log(false);
	spoor_trace_leave();
	spoor_registry_choose_as(NULL);
	spoor_configuration = own;
	spoor_mode_begin();
	state = STOPPED;
}

static bool is_whole(const struct spoor_attachment *attachment)
{
	return memchr(attachment->trace_path, 0, sizeof(attachment->trace_path)) &&
	       memchr(attachment->recorder, 0, sizeof(attachment->recorder)) &&
	       memchr(attachment->modules, 0, sizeof(attachment->modules)) &&
	       memchr(attachment->functions, 0, sizeof(attachment->functions));
}

/* All is chosen and nothing awake: modules may come. */
static long prepare(struct spoor_attachment *attachment)
{
	const struct spoor_rule rule = { SPOOR_CHOICE_ENABLE, attachment->modules, attachment->functions };
	const char *folder = spoor_trace_folder();

	if (!is_whole(attachment))
		return -EINVAL;
	if (state == ATTACHED && kill(recorder, 0) < 0 && errno == ESRCH)
		stop();
	if (state == STOPPED)
		return -EAGAIN;
	if (folder || state == ATTACHED || spoor_handler_library_is_used()) {
		strcpy(attachment->folder, folder ? folder : "");
		return -EBUSY;
	}
	configure(attachment);
	recorder = attachment->recorder_process;
	state = ATTACHED;
	spoor_trace_renew();
	spoor_runtime_set_begun(true);
	spoor_registry_switch(false);
	spoor_mode_begin();
	spoor_registry_choose_as(&rule);
	return 0;
}

static long wake(struct spoor_attachment *attachment)
{
	const char *folder;

	spoor_runtime_log(true);
	spoor_registry_switch(true);
	folder = spoor_trace_folder();
	if (folder)
		strcpy(attachment->folder, folder);
	else if (spoor_trace_has_failed())
		return -EIO;
	return (long)spoor_registry_patched();
}

/* The dynamic loader's lock comes before the registry's. */
static long begin(struct spoor_attachment *attachment)
{
	long result;

	spoor_registry_lock();
	result = prepare(attachment);
	spoor_registry_unlock();
	if (result < 0)
		return result;
	spoor_adopt_modules();
	spoor_registry_lock();
	result = wake(attachment);
	spoor_registry_unlock();
	return result;
}

static long end(void)
{
	if (state != STOPPED)
		return -EINVAL;
	spoor_threads_expire();
	spoor_trace_forget();
	state = NOBODY;
	return 0;
}

static long take_step(struct spoor_attachment *attachment)
{
	long result = 0;

	if (attachment->step == SPOOR_ATTACHMENT_BEGIN)
		return begin(attachment);
	spoor_registry_lock();
	if (attachment->step == SPOOR_ATTACHMENT_END)
		result = end();
	else if (attachment->step != SPOOR_ATTACHMENT_STOP)
		result = -EINVAL;
	else if (state == ATTACHED)
		stop();
	spoor_registry_unlock();
	return result;
}

EXPORT long spoor_attachment(struct spoor_attachment *attachment)
{
	int saved = errno;
	long result;

	if (attachment->version != SPOOR_ATTACHMENT_VERSION || attachment->size != sizeof(*attachment))
		return -EINVAL;
	attachment->words[0] = attachment->folder[0] = '\0';
	spoor_message_divert(attachment->words, sizeof(attachment->words));
	result = spoor_runtime_begin() < 0 ? -ESHUTDOWN : take_step(attachment);
	spoor_message_divert(NULL, 0);
	errno = saved;
	return result;
}
