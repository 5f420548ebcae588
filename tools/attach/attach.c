/* SPDX-License-Identifier: MIT */
/* attach.c - loads libspoor.so into a running process, and requests each step of a recording from it. */
#include "attach/attach.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attach/other_namespaces.h"
#include "attach/load_library.h"
#include "attach/gather_stacks.h"
#include "attach/inject/inject_hold.h"
#include "attach/inject/inject_tracer.h"
#include "base/message.h"
#include "base/system/namespaces.h"
#include "format/trap_guard.h"

#define SECOND_NS 1000000000ll
#define PLACE_PATIENCE_NS (10 * SECOND_NS)
#define HOLD_ATTEMPTS 20
#define PENDING_PATIENCE_NS SECOND_NS
#define READ_ATTEMPTS 10
#define TRACER_PAUSE_NS 100000000
#define HOLD_PAUSE_NS 1000000
#define LIBRARY_NAME "libspoor.so"

struct work {
	struct target *target;
	struct spoor_attachment *request;	/* null: end the recording */
	const char *library, *trap;
	struct inject_masks *masks;
	const struct recorder_door *door;	/* null: the process can open the library and reach the recorder */
	long result;
};

/* Has the runtime take one step, in the injected thread. Stores the runtime's result in *@answer. Returns 0, or a
 * negative errno after a message. */
static int call_runtime(struct inject *inject, struct target *target, struct spoor_attachment *attachment, long *answer)
{
	const struct target_image *image = target_image_named(target, LIBRARY_NAME);
	uint64_t function = image ? target_symbol(target, image, SPOOR_ATTACHMENT_FUNCTION) : 0, result = 0;
	uint64_t room = inject_room(inject);
	int error;

	if (!function && !inject_running_thread(target->pid))
		return attach_explain(target, -ESRCH);
	if (!function) {
		message("cannot attach to process %d: it has a libspoor.so of another version; start it again with "
			"this version",
			(int)target->pid);
		return -ENOSYS;
	}
	attachment->version = SPOOR_ATTACHMENT_VERSION;
	attachment->size = sizeof(*attachment);
	_Static_assert(sizeof(*attachment) <= INJECT_ROOM_BYTES, "it fits");
	error = inject_write(inject, room, attachment, sizeof(*attachment));
	if (error == 0)
		error = inject_run(inject, function, &room, 1, &result);
	if (error == 0)
		error = target_read(target->pid, room, attachment, sizeof(*attachment));
	if (error < 0)
		return attach_explain(target, error);
	attachment->words[sizeof(attachment->words) - 1] = attachment->folder[sizeof(attachment->folder) - 1] = '\0';
	for (char *rest = attachment->words, *line; (line = strsep(&rest, "\n"));)
		if (*line)
			message("process %d: %s", (int)target->pid, line);
	*answer = (long)result;
	return 0;
}

/* Takes over a thread that may call functions. Reads the mappings again before each attempt, because a new program
 * still loads libraries. */
static int take_thread(struct inject **inject, struct target *target, enum inject_care care)
{
	int error = -EAGAIN;

	for (int64_t left_ns = PLACE_PATIENCE_NS; error == -EAGAIN && left_ns > 0; left_ns -= SECOND_NS) {
		error = target_read_images(target);
		if (error == 0)
			error = inject_begin(inject, target, care, SECOND_NS);
	}
	return error;
}

/* Like take_thread, without a time limit: waits until a debugger detaches, or the user interrupts. */
static int take_thread_patiently(struct inject **inject, struct target *target)
{
	int error;

	for (;;) {
		error = take_thread(inject, target, INJECT_PLAIN);
		if (error == -EPERM && target_status(target->pid, "TracerPid", 10) > 0) {
			inject_notice(target->pid, 0, INJECT_WAIT_TRACER);
			if (inject_is_interrupted())
				return -EINTR;
			nanosleep(&(struct timespec){ 0, TRACER_PAUSE_NS }, NULL);
		} else if (error != -EAGAIN) {
			return error;
		}
	}
}

static int run_step(struct target *target, enum spoor_attachment_step what)
{
	struct spoor_attachment *attachment = calloc(1, sizeof(*attachment));
	struct inject *inject;
	long answer;
	int error;

	if (!attachment)
		return -ENOMEM;
	attachment->step = what;
	error = take_thread_patiently(&inject, target);
	if (error == 0) {
		error = call_runtime(inject, target, attachment, &answer);
		inject_end(inject);
		if (error == 0 && what == SPOOR_ATTACHMENT_END && answer < 0)
			error = attach_explain(target, (int)answer);
	} else if (error == -ENOENT) {
		error = -ESRCH;		/* the process has ended */
	} else if (error == -EINTR && what == SPOOR_ATTACHMENT_STOP) {
		message("process %d: interrupted; its functions stay awake and their events are dropped until 'spoor "
			"record --pid' attaches again", (int)target->pid);
	} else if (error == -EINTR) {
		message("process %d: interrupted; its functions are dormant, and the memory of its trace stays "
			"allocated",
			(int)target->pid);
	} else if (error != -ESRCH) {
		attach_explain(target, error);
	}
	free(attachment);
	return error;
}

/* Has the runtime free its memory when no thread is left inside the runtime. */
static int free_runtime_memory(struct target *target)
{
	const struct target_image *image = target_image_named(target, LIBRARY_NAME);
	int error = image ? inject_wait_outside(target, image, PLACE_PATIENCE_NS) : -ESRCH;

	if (error == 0)
		error = inject_masks_wait(target->pid, SIGTRAP, PENDING_PATIENCE_NS);
	if (error == -EAGAIN || error == -EINTR) {
		message("process %d: %s; the memory of its trace stays allocated", (int)target->pid,
			error == -EINTR ? "interrupted" : "a thread is still inside libspoor.so");
		return error;
	}
	return error ? error : run_step(target, SPOOR_ATTACHMENT_END);
}

static long explain_answer(const struct target *target, const struct spoor_attachment *request, long answer)
{
	int pid = (int)target->pid;

	if (answer == -EBUSY)
		message("process %d is already traced%s%s; if it was stopped, 'spoor ctl %d mode log' continues it",
			pid,
			*request->folder ? ", to " : "", request->folder, pid);
	else if (answer == -ESHUTDOWN)
		message("cannot trace process %d: its libspoor.so disabled itself, because its SPOOR_RUNTIME_ "
			"variables are wrong, or it changed its user when it started", pid);
	else if (answer == -EINVAL)
		message("cannot attach to process %d: it has a libspoor.so of another version; start it again with "
			"this version", pid);
	else if (answer == -EAGAIN)
		message("process %d still has an unfinished trace of another recorder; try again", pid);
	else if (answer < 0 && !*request->words)
		message("process %d: cannot start its trace: %s", pid, strerror((int)-answer));
	return answer;
}

/* Passes the stacks of all threads to the runtime. Returns 0 or a negative errno. */
static int send_stacks(struct inject *inject, struct target *target, struct spoor_attachment *request,
		       const struct attach_stacks *stacks)
{
	size_t sent = 0;
	long answer = 0;
	int error = 0;

	request->step = SPOOR_ATTACHMENT_ROOTS;
	/* The last part is empty. */
	do {
		request->frame_count = stacks->count - sent;
		if (request->frame_count > SPOOR_ATTACHMENT_FRAMES)
			request->frame_count = SPOOR_ATTACHMENT_FRAMES;
		memcpy(request->frames, stacks->frames + sent, request->frame_count * sizeof(request->frames[0]));
		sent += request->frame_count;
		error = call_runtime(inject, target, request, &answer);
	} while (error == 0 && answer == 0 && request->frame_count);
	return error < 0 ? error : (int)answer;
}

/* Stops all other threads at places where their stacks can be read. While an exception is thrown, a stack is
 * unreadable for some instructions. */
static bool hold_threads(struct inject *inject, struct target *target, struct attach_stacks *stacks)
{
	for (int attempt = 1; inject_hold(inject) == 0; attempt++) {
		if (attach_stacks_read(stacks, inject, target) == 0 && (!stacks->cut || attempt == READ_ATTEMPTS))
			return true;
		inject_hold_release(inject);
		if (attempt == READ_ATTEMPTS)
			break;
		nanosleep(&(struct timespec){ 0, HOLD_PAUSE_NS }, NULL);
	}
	return false;
}

/* Wakes the chosen functions. Passes the stacks of all threads at this moment, if the threads can be held. */
static int wake_functions(struct inject *inject, struct target *target, struct spoor_attachment *request, long *answer)
{
	struct attach_stacks stacks = { 0 };
	int error;

	for (int attempt = 0; attempt <= HOLD_ATTEMPTS; attempt++) {
		/* A held thread may hold a lock that the runtime needs. The last attempt holds no threads. */
		request->held = attempt < HOLD_ATTEMPTS && hold_threads(inject, target, &stacks);
		request->step = SPOOR_ATTACHMENT_WAKE;
		error = call_runtime(inject, target, request, answer);
		if (error == 0 && *answer > 0 &&
		    (!inject_is_holding(inject) || send_stacks(inject, target, request, &stacks) < 0))
			message("process %d: cannot read the stacks of its threads; the outer calls are missing",
				(int)target->pid);
		inject_hold_release(inject);
		if (error < 0 || *answer != -EDEADLK)
			break;
		nanosleep(&(struct timespec){ 0, HOLD_PAUSE_NS }, NULL);
	}
	attach_stacks_free(&stacks);
	return error;
}

/* Makes a connection for a process that may see neither our files nor our socket. Returns 0, or a negative errno
 * after a message. */
static int open_door(struct inject *inject, struct target *target, struct spoor_attachment *request,
		     const struct recorder_door *door, int64_t *their_fd)
{
	int error = attach_door(inject, target, door, request->recorder, their_fd);

	if (error)
		message("cannot connect process %d in its container to the recorder: %s",
			(int)target->pid, strerror(-error));
	return error;
}

/* Removes SIGTRAP from the threads' masks, because a breakpoint kills a thread that blocks SIGTRAP. Called before
 * the runtime takes SIGTRAP, and again for threads that have blocked it since. */
static int open_masks(struct inject *inject, const struct work *work)
{
	int error = work->trap ? inject_masks_open(inject, SIGTRAP, work->masks) : 0;

	return error < 0 ? attach_explain(work->target, error) : 0;
}

static int end_recording(struct target *target, struct inject_masks *masks)
{
	int error = target_read_images(target);

	/* After an execve the process may run another program, without libspoor.so. */
	if (error < 0 || !target_image_named(target, LIBRARY_NAME))
		return 0;
	inject_notice_restore();
	error = run_step(target, SPOOR_ATTACHMENT_STOP);
	if (error == 0)
		error = free_runtime_memory(target);
	/* No thread may block SIGTRAP while a breakpoint is in the text. */
	if (masks && error == 0)
		error = inject_masks_close(target->pid, SIGTRAP, masks);
	return error == -ESRCH || error == -ENOENT ? 0 : error;
}

static long begin_recording(const struct work *work)
{
	struct spoor_attachment *request = work->request;
	struct target *target = work->target;
	size_t name_bytes = strlen(request->recorder);
	bool copied = work->door && !namespaces_same_file(target->pid, work->library);
	bool loaded = target_image_named(target, LIBRARY_NAME);
	long answer = 0;
	int error;

	for (int attempt = 0; attempt < 2; attempt++) {
		struct inject *inject;
		int64_t door = -1;
		bool prepared;

		request->recorder[name_bytes] = '\0';
		error = take_thread(&inject, target, INJECT_MAY_LOAD);
		if (error < 0)
			return attach_explain(target, error);
		error = work->trap ? attach_load(inject, target, SPOOR_TRAP_GUARD_LIBRARY, work->trap, false) : 0;
		if (error == 0)
			error = attach_load(inject, target, LIBRARY_NAME, work->library, copied);
		if (error == 0)
			error = open_masks(inject, work);
		if (error == 0 && work->door)
			error = open_door(inject, target, request, work->door, &door);
		request->step = SPOOR_ATTACHMENT_PREPARE;
		if (error == 0)
			error = call_runtime(inject, target, request, &answer);
		prepared = error == 0 && answer >= 0;
		if (prepared)
			error = open_masks(inject, work);
		if (error == 0 && answer >= 0)
			error = wake_functions(inject, target, request, &answer);
		if (error == 0 && answer > 0 && (work->trap || *request->library_calls)) {
			request->step = SPOOR_ATTACHMENT_PROBES;
			error = call_runtime(inject, target, request, &answer);
		}
		/* From now on, libraries that are loaded later find the runtime's functions. */
		if (error == 0 && answer >= 0 && !loaded && !copied)
			attach_open_for_all(inject, target, work->library);
		/* On failure the runtime does not close it. */
		if (error < 0 || answer < 0)
			attach_close(inject, target, door);
		inject_end(inject);
		/* Undoes a partial start. If that fails, a breakpoint may be left. */
		if (prepared && error < 0 && error != -ESRCH && end_recording(target, NULL) < 0)
			return error;
		if (error < 0 || answer != -EAGAIN)
			break;
		free_runtime_memory(target);
	}
	if (error < 0 || answer < 0)
		inject_masks_close(target->pid, SIGTRAP, work->masks);
	return error < 0 ? error : explain_answer(target, request, answer);
}

static void do_work(void *argument)
{
	struct work *work = argument;

	work->result = work->request ? begin_recording(work) : end_recording(work->target, work->masks);
}

static long run_in_tracer(struct work *work)
{
	int error = inject_tracer_run(work->request ? INJECT_CHANGE : INJECT_RESTORE, do_work, work);

	if (error)
		message("cannot start a thread: %s", strerror(-error));
	return error ? error : work->result;
}

long attach_begin(struct target *target, struct spoor_attachment *request, const char *library, const char *trap,
		  struct inject_masks *masks, const struct recorder_door *door)
{
	return run_in_tracer(&(struct work){ .target = target, .request = request, .library = library, .trap = trap, .masks = masks,
			     .door = door });
}

int attach_end(struct target *target, struct inject_masks *masks)
{
	return (int)run_in_tracer(&(struct work){ .target = target, .masks = masks });
}
