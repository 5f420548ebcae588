/* SPDX-License-Identifier: MIT */
/* test_recorder.c - a process sends its pool to the recorder, which records the events. */
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/recorder_client.h"
#include "format/recorder_protocol.h"
#include "tests/unit/support/recording.h"

START_TEST(events_in_a_pool_that_was_sent_are_recorded)
{
	uint64_t stored;

	begin();
	make_pool();
	stored = log_events(100);
	ck_assert_int_eq(spoor_recorder_send(name, pool_fd, folder), 0);
	close(pool_fd);
	stored += log_events(50000);
	spoor_slice_leave(&thread);
	end();
	ck_assert_uint_eq(totals.events, stored);
	ck_assert_uint_eq(totals.lost, 50100 - stored);
	ck_assert_int_eq(totals.error, 0);
	ck_assert_uint_gt(totals.bytes, 0);
}
END_TEST

START_TEST(a_slice_that_was_not_returned_is_recorded_at_the_end_of_the_process)
{
	struct pollfd changed = { .events = POLLIN };
	uint64_t news;
	pid_t child;
	int status, ends[2];
	char byte;

	begin();
	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		make_pool();
		if (spoor_recorder_send(name, pool_fd, folder))
			_exit(1);
		log_events(1000);
		if (read(ends[0], &byte, 1) != 1)
			_exit(1);
		_exit(0);
	}
	changed.fd = recorder_changed_fd(recorder);
	ck_assert_int_eq(poll(&changed, 1, -1), 1);
	ck_assert_uint_eq(recorder_living(recorder), 1);
	ck_assert_int_eq(read(changed.fd, &news, sizeof(news)), sizeof(news));
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	while (recorder_living(recorder))
		usleep(1000);
	ck_assert_int_gt(events_bytes(folder), 0);
	end();
	ck_assert_uint_eq(totals.events, 1000);
}
END_TEST

START_TEST(without_a_recorder_the_process_gets_an_error)
{
	char longer[200];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_int_eq(spoor_recorder_send("spoor-nobody-is-here", 0, "/tmp"), -ECONNREFUSED);
	ck_assert_int_eq(spoor_recorder_send(longer, 0, "/tmp"), -ENAMETOOLONG);
	begin();
	ck_assert_int_eq(spoor_recorder_send(name, -1, "/tmp"), -EBADF);
	end();
}
END_TEST

START_TEST(the_size_of_a_pool_that_was_sent_cannot_change)
{
	begin();
	make_pool();
	ck_assert_int_eq(spoor_recorder_send(name, pool_fd, folder), 0);
	ck_assert_int_lt(ftruncate(pool_fd, 0), 0);
	ck_assert_int_lt(ftruncate(pool_fd, (off_t)spoor_pool_bytes(SLICES) + 4096), 0);
	close(pool_fd);
	end();
}
END_TEST

/* Starts a recorder in another process. */
static pid_t begin_elsewhere(void)
{
	pid_t child;
	int ends[2];

	strcpy(folder, reading_folder());
	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		if (recorder_begin(&recorder, name, sizeof(name)) || write(ends[1], name, sizeof(name)) != sizeof(name))
			_exit(1);
		pause();
	}
	ck_assert_int_eq(read(ends[0], name, sizeof(name)), sizeof(name));
	close(ends[0]);
	close(ends[1]);
	return child;
}

START_TEST(a_process_learns_that_its_recorder_was_killed)
{
	pid_t child = begin_elsewhere();
	int status;

	make_pool();
	ck_assert_int_eq(spoor_recorder_send(name, pool_fd, folder), 0);
	while (!__atomic_load_n(&spoor_pool->recorder, __ATOMIC_RELAXED))
		usleep(1000);
	ck_assert(!spoor_recorder_is_gone(spoor_pool));
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_uint_eq(spoor_pool->recorder & FUTEX_OWNER_DIED, FUTEX_OWNER_DIED);
	ck_assert(spoor_recorder_is_gone(spoor_pool));
	close(pool_fd);
	reading_remove(folder);
}
END_TEST

START_TEST(a_process_learns_that_its_recorder_ended_before_it_took_the_pool)
{
	pid_t child = begin_elsewhere();
	int status;

	kill(child, SIGSTOP);
	ck_assert_int_eq(waitpid(child, &status, WUNTRACED), child);
	make_pool();
	ck_assert_int_eq(spoor_recorder_send(name, pool_fd, folder), 0);
	ck_assert(!spoor_recorder_is_gone(spoor_pool));
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(spoor_recorder_is_gone(spoor_pool));
	close(pool_fd);
	reading_remove(folder);
}
END_TEST

START_TEST(events_are_never_written_to_an_existing_file)
{
	char path[128];

	begin();
	fclose(stderr);
	snprintf(path, sizeof(path), "%s/%s", folder, SPOOR_EVENTS_FILE);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	make_pool();
	ck_assert_int_eq(spoor_recorder_send(name, pool_fd, folder), 0);
	log_events(10);
	spoor_slice_leave(&thread);
	recorder_end(recorder, &totals);
	ck_assert_int_eq(events_bytes(folder), 0);
	reading_remove(folder);
}
END_TEST

START_TEST(a_process_that_cannot_see_the_trace_gets_its_folder_and_files_only)
{
	char longer[RECORDER_NAME_BYTES], made[PATH_MAX], path[PATH_MAX + 32];
	struct stat here, there;
	int fd;

	begin();
	strcpy(longer, name);
	ck_assert(!spoor_recorder_is_elsewhere(longer, folder));
	ck_assert_int_eq(recorder_place(recorder, folder, false, longer, sizeof(longer)), 0);
	ck_assert(!spoor_recorder_is_elsewhere(longer, folder));
	ck_assert(spoor_recorder_is_elsewhere(longer, "/"));
	ck_assert(spoor_recorder_is_elsewhere(longer, "/nowhere"));
	ck_assert_int_eq(spoor_recorder_folder(longer, made), 0);
	snprintf(path, sizeof(path), "%s/%d", folder, getpid());
	ck_assert_str_eq(made, path);
	fd = spoor_recorder_file(longer, made, SPOOR_PROCESS_FILE);
	ck_assert_int_ge(fd, 0);
	snprintf(path, sizeof(path), "%s/" SPOOR_PROCESS_FILE, made);
	ck_assert_int_eq(fstat(fd, &here), 0);
	ck_assert_int_eq(stat(path, &there), 0);
	ck_assert_uint_eq(here.st_ino, there.st_ino);
	ck_assert_uint_eq(here.st_mode & 0777, 0600);
	close(fd);
	ck_assert_int_eq(spoor_recorder_file(longer, made, "other"), -EPERM);
	ck_assert_int_eq(spoor_recorder_file(longer, made, "../" SPOOR_POOL_FILE), -EPERM);
	ck_assert_int_eq(spoor_recorder_file(longer, "..", SPOOR_POOL_FILE), -EPERM);
	ck_assert_int_eq(spoor_recorder_file(longer, "/1", SPOOR_POOL_FILE), -EPERM);
	unlink(path);
	rmdir(made);
	end();
}
END_TEST

START_TEST(a_process_reaches_the_recorder_through_the_door_without_its_socket)
{
	char longer[RECORDER_NAME_BYTES], made[PATH_MAX];
	struct stat status;
	int ends[2];

	begin();
	strcpy(longer, "spoor-nobody-is-here");
	ck_assert_int_eq(recorder_place(recorder, folder, true, longer, sizeof(longer)), 0);
	ck_assert(spoor_recorder_is_elsewhere(longer, folder));
	ck_assert_int_eq(spoor_recorder_folder(longer, made), -ECONNREFUSED);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
	ck_assert_int_eq(fstat(ends[1], &status), 0);
	ck_assert_int_eq(recorder_door_name(longer, sizeof(longer), ends[1], status.st_ino), 0);
	ck_assert_int_eq(recorder_open_door(recorder, ends[0]), 0);
	ck_assert_int_eq(spoor_recorder_folder(longer, made), 0);
	rmdir(made);
	/* A descriptor that is no longer the door stays open. */
	spoor_recorder_close_door(longer);
	ck_assert_int_eq(dup2(STDERR_FILENO, ends[1]), ends[1]);
	spoor_recorder_close_door(longer);
	ck_assert_int_eq(fcntl(ends[1], F_GETFD), 0);
	ck_assert_int_eq(spoor_recorder_folder(longer, made), -ECONNREFUSED);
	end();
}
END_TEST

UNIT_MAIN("recorder", events_in_a_pool_that_was_sent_are_recorded,
	  a_slice_that_was_not_returned_is_recorded_at_the_end_of_the_process,
	  without_a_recorder_the_process_gets_an_error, the_size_of_a_pool_that_was_sent_cannot_change,
	  a_process_learns_that_its_recorder_was_killed,
	  a_process_learns_that_its_recorder_ended_before_it_took_the_pool,
	  events_are_never_written_to_an_existing_file,
	  a_process_that_cannot_see_the_trace_gets_its_folder_and_files_only,
	  a_process_reaches_the_recorder_through_the_door_without_its_socket)
