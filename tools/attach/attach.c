/* SPDX-License-Identifier: MIT */
/* attach.c - libspoor.so goes into a running process, and is told what to do. */
#include "attach/attach.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attach/other_namespaces.h"
#include "attach/load_library.h"
#include "attach/gather_stacks.h"
#include "attach/inject_hold.h"
#include "attach/inject_tracer.h"
#include "base/message.h"
#include "base/namespaces.h"
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
	struct spoor_attachment *request;	/* null: the end */
	const char *library, *trap;
	struct inject_masks *masks;
	const struct recorder_door *door;	/* null: the process finds library and recorder */
	long result;
};

/* Takes one step in the thread. Return: what the runtime says, or a negative errno after a message. */
static int step(struct inject *inject, struct target *target, struct spoor_attachment *attachment, long *answer)
{
	const struct target_image *image = target_image_named(target, LIBRARY_NAME);
	uint64_t function = image ? target_symbol(target, image, SPOOR_ATTACHMENT_FUNCTION) : 0, result = 0;
	uint64_t room = inject_room(inject);
	int error;

	if (!function && !inject_running_thread(target->pid))
		return attach_explain(target, -ESRCH);
	if (!function) {
		message("process %d has a libspoor.so of another version in it, which cannot be attached to",
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

/* One that may call. What is mapped is read again and again: a program that has just been started gets libraries yet. */
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

/* As take_thread, but it has no limit: until the user interrupts it, a debugger detaches too. */
static int take_thread_at_last(struct inject **inject, struct target *target)
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

static int one_step(struct target *target, enum spoor_attachment_step what)
{
	struct spoor_attachment *attachment = calloc(1, sizeof(*attachment));
	struct inject *inject;
	long answer;
	int error;

	if (!attachment)
		return -ENOMEM;
	attachment->step = what;
	error = take_thread_at_last(&inject, target);
	if (error == 0) {
		error = step(inject, target, attachment, &answer);
		inject_end(inject);
		if (error == 0 && what == SPOOR_ATTACHMENT_END && answer < 0)
			error = attach_explain(target, (int)answer);
	} else if (error == -ENOENT) {
		error = -ESRCH;		/* its folder in /proc is gone */
	} else if (error == -EINTR && what == SPOOR_ATTACHMENT_STOP) {
		message("process %d: interrupted; its functions stay awake, and their events are dropped, until spoor record "
			"--pid attaches to it again", (int)target->pid);
	} else if (error == -EINTR) {
		message("process %d: interrupted; its functions are dormant, and the memory of its trace is not given back",
			(int)target->pid);
	} else if (error != -ESRCH) {
		attach_explain(target, error);
	}
	free(attachment);
	return error;
}

/* Lets the runtime give its memory back, once no thread is in it. */
static int finish(struct target *target)
{
	const struct target_image *image = target_image_named(target, LIBRARY_NAME);
	int error = image ? inject_wait_outside(target, image, PLACE_PATIENCE_NS) : -ESRCH;

	if (error == 0)
		error = inject_masks_wait(target->pid, SIGTRAP, PENDING_PATIENCE_NS);
	if (error == -EAGAIN || error == -EINTR) {
		message("process %d: %s; the memory of its trace is not given back", (int)target->pid,
			error == -EINTR ? "interrupted" : "a thread of it stays in libspoor.so");
		return error;
	}
	return error ? error : one_step(target, SPOOR_ATTACHMENT_END);
}

static long explain_answer(const struct target *target, const struct spoor_attachment *request, long answer)
{
	int pid = (int)target->pid;

	if (answer == -EBUSY)
		message("process %d is traced already%s%s; 'spoor ctl %d mode log' has one that was stopped go on", pid,
			*request->folder ? ", to " : "", request->folder, pid);
	else if (answer == -ESHUTDOWN)
		message("process %d: its libspoor.so has turned itself off: its SPOOR_RUNTIME_ variables are wrong, or it "
			"changed its user when it began", pid);
	else if (answer == -EINVAL)
		message("process %d has a libspoor.so of another version in it, which cannot be attached to", pid);
	else if (answer == -EAGAIN)
		message("process %d: another recorder has left its trace in it unfinished", pid);
	else if (answer < 0 && !*request->words)
		message("process %d: its trace could not be begun: %s", pid, strerror((int)-answer));
	return answer;
}

/* Hands over what all threads are in. Return: 0 or a negative errno. */
static int send_stacks(struct inject *inject, struct target *target, struct spoor_attachment *request,
		       const struct attach_stacks *stacks)
{
	size_t sent = 0;
	long answer = 0;
	int error = 0;

	request->step = SPOOR_ATTACHMENT_ROOTS;
	/* The last time there are none. */
	do {
		request->frame_count = stacks->count - sent;
		if (request->frame_count > SPOOR_ATTACHMENT_FRAMES)
			request->frame_count = SPOOR_ATTACHMENT_FRAMES;
		memcpy(request->frames, stacks->frames + sent, request->frame_count * sizeof(request->frames[0]));
		sent += request->frame_count;
		error = step(inject, target, request, &answer);
	} while (error == 0 && answer == 0 && request->frame_count);
	return error < 0 ? error : (int)answer;
}

/* Stops all other threads, in places where their stacks can be read: an exception that is being
 * thrown is in none for some instructions. */
static bool hold(struct inject *inject, struct target *target, struct attach_stacks *stacks)
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

/* Wakes what is chosen, with what all threads are in at that moment, if they can be held. */
static int wake(struct inject *inject, struct target *target, struct spoor_attachment *request, long *answer)
{
	struct attach_stacks stacks = { 0 };
	int error;

	for (int attempt = 0; attempt <= HOLD_ATTEMPTS; attempt++) {
		/* One of them has a lock for as long as it is held; in the end it goes without. */
		request->held = attempt < HOLD_ATTEMPTS && hold(inject, target, &stacks);
		request->step = SPOOR_ATTACHMENT_WAKE;
		error = step(inject, target, request, answer);
		if (error == 0 && *answer > 0 &&
		    (!inject_is_holding(inject) || send_stacks(inject, target, request, &stacks) < 0))
			message("process %d: what its threads are in could not be read; their calls hang from nothing",
				(int)target->pid);
		inject_hold_release(inject);
		if (error < 0 || *answer != -EDEADLK)
			break;
		nanosleep(&(struct timespec){ 0, HOLD_PAUSE_NS }, NULL);
	}
	attach_stacks_free(&stacks);
	return error;
}

/* Of a process that may see neither our files nor our socket. Return: 0 or a negative errno after a message. */
static int make_door(struct inject *inject, struct target *target, struct spoor_attachment *request,
		     const struct recorder_door *door, int64_t *their_fd)
{
	int error = attach_door(inject, target, door, request->recorder, their_fd);

	if (error)
		message("process %d is in a container, and a way from there to the recorder cannot be made: %s",
			(int)target->pid, strerror(-error));
	return error;
}

/* So that a breakpoint ends nobody: before it is taken, and again for who has blocked it meanwhile. */
static int open_masks(struct inject *inject, const struct work *work)
{
	int error = work->trap ? inject_masks_open(inject, SIGTRAP, work->masks) : 0;

	return error < 0 ? attach_explain(work->target, error) : 0;
}

static int end(struct target *target, struct inject_masks *masks)
{
	int error = target_read_images(target);

	/* It may be another program by now, in which nothing of ours is. */
	if (error < 0 || !target_image_named(target, LIBRARY_NAME))
		return 0;
	inject_notice_restore();
	error = one_step(target, SPOOR_ATTACHMENT_STOP);
	if (error == 0)
		error = finish(target);
	/* While a breakpoint is left, no thread may block SIGTRAP. */
	if (masks && error == 0)
		error = inject_masks_close(target->pid, SIGTRAP, masks);
	return error == -ESRCH || error == -ENOENT ? 0 : error;
}

static long begin(const struct work *work)
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
			error = make_door(inject, target, request, work->door, &door);
		request->step = SPOOR_ATTACHMENT_PREPARE;
		if (error == 0)
			error = step(inject, target, request, &answer);
		prepared = error == 0 && answer >= 0;
		if (prepared)
			error = open_masks(inject, work);
		if (error == 0 && answer >= 0)
			error = wake(inject, target, request, &answer);
		if (error == 0 && answer > 0 && work->trap) {
			request->step = SPOOR_ATTACHMENT_PROBES;
			error = step(inject, target, request, &answer);
		}
		/* Now libraries that come later may find it. */
		if (error == 0 && answer >= 0 && !loaded && !copied)
			attach_open_for_all(inject, target, work->library);
		/* Nobody else would close it. */
		if (error < 0 || answer < 0)
			attach_close(inject, target, door);
		inject_end(inject);
		/* What was half done is undone; if it cannot be, a breakpoint may be left. */
		if (prepared && error < 0 && error != -ESRCH && end(target, NULL) < 0)
			return error;
		if (error < 0 || answer != -EAGAIN)
			break;
		finish(target);
	}
	if (error < 0 || answer < 0)
		inject_masks_close(target->pid, SIGTRAP, work->masks);
	return error < 0 ? error : explain_answer(target, request, answer);
}

static void do_work(void *argument)
{
	struct work *work = argument;

	work->result = work->request ? begin(work) : end(work->target, work->masks);
}

static long run(struct work *work)
{
	int error = inject_tracer_run(work->request ? INJECT_CHANGE : INJECT_RESTORE, do_work, work);

	if (error)
		message("cannot start a thread: %s", strerror(-error));
	return error ? error : work->result;
}

long attach_begin(struct target *target, struct spoor_attachment *request, const char *library, const char *trap,
		  struct inject_masks *masks, const struct recorder_door *door)
{
	return run(&(struct work){ .target = target, .request = request, .library = library, .trap = trap, .masks = masks,
				   .door = door });
}

int attach_end(struct target *target, struct inject_masks *masks)
{
	return (int)run(&(struct work){ .target = target, .masks = masks });
}
