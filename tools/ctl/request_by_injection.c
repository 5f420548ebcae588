/* SPDX-License-Identifier: MIT */
/* request_by_injection.c - calls the functions of spoor.h in another process. */
#include "ctl/request_by_injection.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "format/attachment_request.h"
#include "config/configuration.h"
#include "attach/inject/inject_library.h"
#include "attach/inject/inject_masks.h"
#include "attach/inject/inject_tracer.h"
#include "base/message.h"
#include "base/installed_paths.h"
#include "format/trap_guard.h"
#include "base/system/monotonic.h"

#define PLACE_NS 5000000000	/* to wait until a thread is in a safe place */
#define TRIES_LEAST 20		/* to take a lock; a try takes up to a second in a process without a processor */
#define FLUSH_NS 10000000000ull
#define TRY_PAUSE_NS 10000000

struct caller {
	struct inject *inject;
	struct target target;
	const struct target_image *runtime;
	uint64_t room;		/* address of room for texts, SPOOR_MAIL_TEXT_BYTES each */
};

/* Returns the function's result, or a negative errno. */
static int64_t call(struct caller *caller, const char *name, const uint64_t *arguments, unsigned int count)
{
	uint64_t function = target_symbol(&caller->target, caller->runtime, name), result = 0;
	int error;

	if (!function)
		return -ELIBBAD;
	error = inject_run(caller->inject, function, arguments, count, &result);
	return error ? error : (int64_t)result;
}

/* Calls a function that returns an int. */
static int64_t call_int(struct caller *caller, const char *name, const uint64_t *arguments, unsigned int count)
{
	int64_t result = call(caller, name, arguments, count);

	return (int32_t)result;
}

/* Waits until no other thread holds the lock that the next call takes. A call that is abandoned while it waits
 * cannot be undone. */
static int try_lock(struct caller *caller)
{
	static const uint32_t attachment[] = { SPOOR_ATTACHMENT_VERSION, sizeof(struct spoor_attachment), SPOOR_ATTACHMENT_TRY };
	int error = inject_write(caller->inject, caller->room, attachment, sizeof(attachment));
	int64_t deadline_ns = monotonic_ns() + PLACE_NS;

	for (int tries = 0; error == 0 && (tries < TRIES_LEAST || monotonic_ns() < deadline_ns); tries++) {
		/* A runtime of another version does not have this function. */
		if (call(caller, SPOOR_ATTACHMENT_FUNCTION, &caller->room, 1) != -EDEADLK)
			return 0;
		nanosleep(&(struct timespec){ 0, TRY_PAUSE_NS }, NULL);
	}
	return error ? error : -EDEADLK;
}

static int64_t choose(struct caller *caller, const char *name, const struct spoor_mail *mail)
{
	uint64_t arguments[] = { caller->room, caller->room + SPOOR_MAIL_TEXT_BYTES };
	int error = inject_write(caller->inject, arguments[0], mail->modules, strlen(mail->modules) + 1);

	if (!error)
		error = inject_write(caller->inject, arguments[1], mail->functions, strlen(mail->functions) + 1);
	return error ? error : call(caller, name, arguments, 2);
}

static int64_t choose_by(struct caller *caller, const char *name, const char *patterns)
{
	int error = inject_write(caller->inject, caller->room, patterns, strlen(patterns) + 1);

	return error ? error : call(caller, name, &caller->room, 1);
}

/* Sets the mode as the process itself does: see request.c. */
static int64_t set_mode(struct caller *caller, const char *name)
{
	int error = inject_write(caller->inject, caller->room, name, strlen(name) + 1);

	if (error)
		return error;
	if (spoor_configuration_mode(name) != SPOOR_MODE_OFF)
		call_int(caller, "spoor_initialize", NULL, 0);
	return call_int(caller, "spoor_mode_set", &caller->room, 1);
}

static int64_t carry_out(struct caller *caller, const struct spoor_mail *mail)
{
	const uint64_t timeout_ns = FLUSH_NS;

	switch (mail->command) {
	case SPOOR_MAIL_FLUSH:
		return call_int(caller, "spoor_flush", &timeout_ns, 1);
	case SPOOR_MAIL_CLEAR:
		return call_int(caller, "spoor_clear", NULL, 0);
	case SPOOR_MAIL_ENABLE:
		return choose(caller, "spoor_functions_enable", mail);
	case SPOOR_MAIL_DISABLE:
		return choose(caller, "spoor_functions_disable", mail);
	case SPOOR_MAIL_TRACEPOINTS_ENABLE:
		return choose_by(caller, "spoor_tracepoints_enable", mail->functions);
	case SPOOR_MAIL_TRACEPOINTS_DISABLE:
		return choose_by(caller, "spoor_tracepoints_disable", mail->functions);
	case SPOOR_MAIL_ARGUMENTS:
		return choose_by(caller, "spoor_arguments_choose", mail->functions);
	case SPOOR_MAIL_RESULTS:
		return choose_by(caller, "spoor_results_choose", mail->functions);
	case SPOOR_MAIL_MODE:
		return set_mode(caller, mail->functions);
	case SPOOR_MAIL_STOP:
		return call_int(caller, "spoor_deinitialize", NULL, 0);
	default:
		return -EINVAL;
	}
}

/* A recorder traces the process briefly at the begin and the end. */
static void wait_for_other_spoor(pid_t pid)
{
	while (target_tracer_is_spoor(pid) && !inject_is_interrupted()) {
		inject_notice(pid, 0, INJECT_WAIT_TRACER);
		nanosleep(&(struct timespec){ 0, TRY_PAUSE_NS }, NULL);
	}
}

struct ctl_call {
	const struct live_pool *live;
	const struct spoor_mail *mail;
	int64_t result;		/* number of changed functions, or a negative errno */
};

static void do_call(void *argument)
{
	struct ctl_call *work = argument;
	const struct live_pool *live = work->live;
	const char *slash = strrchr(live->runtime, '/'), *name = slash ? slash + 1 : live->runtime;
	struct caller caller = { 0 };
	int error;

	wait_for_other_spoor(live->process_id);
	/* target_open prints the reason. */
	work->result = -ENOEXEC;
	if (target_open(&caller.target, live->process_id) < 0)
		return;
	caller.runtime = target_image_named(&caller.target, strncmp(name, "memfd:", 6) == 0 ? "libspoor.so" : name);
	error = caller.runtime ? inject_begin(&caller.inject, &caller.target, INJECT_MAY_LOAD, PLACE_NS) : -ELIBBAD;
	if (error == 0) {
		caller.room = inject_room(caller.inject);
		error = try_lock(&caller);
		work->result = error ? error : carry_out(&caller, work->mail);
		inject_end(caller.inject);
	} else {
		work->result = error;
	}
	target_close(&caller.target);
}

int ctl_inject(const struct live_pool *live, const struct spoor_mail *mail, int64_t *changed)
{
	struct ctl_call work = { .live = live, .mail = mail };
	int error = inject_tracer_run(INJECT_CHANGE, do_call, &work);

	if (error)
		return error;
	if (work.result < -4095)
		work.result = -EBADMSG;
	*changed = work.result < 0 ? 0 : work.result;
	return work.result < 0 ? (int)work.result : 0;
}

static int load_trap(struct inject *inject, const struct target *target, const char *path)
{
	struct inject_masks masks = { 0 };
	uint64_t handle = 0;
	int error = inject_library_open(inject, target, path, RTLD_NOW | RTLD_LOCAL, &handle);

	if (error == 0)
		error = handle ? inject_masks_open(inject, SIGTRAP, &masks) : -ENOEXEC;
	inject_masks_free(&masks);
	return error;
}

struct trap_load {
	pid_t pid;
	const char *path;
	int error;
};

static void do_load(void *argument)
{
	struct trap_load *work = argument;
	struct inject *inject = NULL;
	struct target target;

	wait_for_other_spoor(work->pid);
	/* target_open prints the reason. */
	if (target_open(&target, work->pid) < 0)
		return;
	work->error = inject_begin(&inject, &target, INJECT_MAY_LOAD, PLACE_NS);
	if (!work->error)
		work->error = load_trap(inject, &target, work->path);
	inject_end(inject);
	target_close(&target);
}

void ctl_inject_trap(const struct live_pool *live)
{
	struct target target = { .pid = live->process_id };
	char path[PATH_MAX] = "";
	bool there;
	int error = target_read_images(&target);

	there = error < 0 || target_image_named(&target, SPOOR_TRAP_GUARD_LIBRARY);
	target_close(&target);
	if (there)
		return;
	error = spoor_part_path(SPOOR_PART_TRAP, path, sizeof(path));
	if (!error) {
		struct trap_load work = { .pid = live->process_id, .path = path };

		error = inject_tracer_run(INJECT_CHANGE, do_load, &work);
		if (!error)
			error = work.error;
	}
	if (error)
		message("process %d: cannot load %s%s(%s): tracepoints that need breakpoints are not recorded",
			(int)live->process_id, path, *path ? " " : SPOOR_TRAP_GUARD_LIBRARY " ",
			error == -ENOEXEC ? "its dynamic loader rejects the library, or the process is in a container"
					  : strerror(-error));
}
