/* SPDX-License-Identifier: MIT */
/* system_calls.c - names system calls, and tells which ones use or change descriptors. */
#include "record/sched/system_calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "format/system_call_format.h"
#include "record/sched/sched_writer.h"
#include "record/sched/syscall_names.h"

const char *system_call_name(uint32_t number)
{
	return number < syscall_name_count ? syscall_names[number] : NULL;
}

static const char *const with_descriptor[] = {
	"accept", "accept4", "bind", "close", "connect", "copy_file_range", "dup", "dup2", "dup3", "epoll_ctl",
	"epoll_pwait", "epoll_pwait2", "epoll_wait", "execveat", "faccessat", "faccessat2", "fadvise64",
	"fallocate", "fchdir", "fchmod", "fchmodat", "fchmodat2", "fchown", "fchownat", "fcntl", "fdatasync",
	"fgetxattr", "flistxattr", "flock", "fremovexattr", "fsetxattr", "fstat", "fstatfs", "fsync",
	"ftruncate", "futimesat", "getdents", "getdents64", "getpeername", "getsockname", "getsockopt",
	"inotify_add_watch", "inotify_rm_watch", "io_uring_enter", "io_uring_register", "ioctl", "linkat",
	"listen", "lseek", "mkdirat", "mknodat", "mq_getsetattr", "mq_notify", "mq_timedreceive",
	"mq_timedsend", "name_to_handle_at", "newfstatat", "openat", "openat2", "pidfd_send_signal", "pread64",
	"preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "read", "readahead", "readlinkat", "readv",
	"recvfrom", "recvmmsg", "recvmsg", "renameat", "renameat2", "sendfile", "sendmmsg", "sendmsg",
	"sendto", "setsockopt", "shutdown", "splice", "statx", "sync_file_range", "syncfs", "tee",
	"timerfd_gettime", "timerfd_settime", "unlinkat", "utimensat", "vmsplice", "write", "writev",
	NULL,
};
static const char *const bare[] = {
	"fork", "getegid", "geteuid", "getgid", "getpgrp", "getpid", "getppid", "gettid", "getuid", "inotify_init",
	"munlockall", "pause", "restart_syscall", "rt_sigreturn", "sched_yield", "setsid", "sync", "vfork", "vhangup",
	NULL,
};
static const char *const makers[] = {
	"accept", "accept4", "creat", "dup", "dup2", "dup3", "epoll_create", "epoll_create1", "eventfd", "eventfd2",
	"fanotify_init", "fcntl", "inotify_init", "inotify_init1", "io_uring_setup", "memfd_create", "memfd_secret",
	"mq_open", "open", "open_by_handle_at", "openat", "openat2", "perf_event_open", "pidfd_getfd", "pidfd_open", "signalfd",
	"signalfd4", "socket", "timerfd_create", "userfaultfd", NULL,
};
static const char *const closers[] = { "close", NULL };
static const char *const closers_of_all[] = { "close_range", "execve", "execveat", NULL };

static const struct { uint8_t flag; const char *const *names; } lists[] = {
	{ SPOOR_SCHED_NAME_DESCRIPTOR, with_descriptor }, { SPOOR_SCHED_NAME_BARE, bare }, { SPOOR_SCHED_NAME_MAKES, makers },
	{ SPOOR_SCHED_NAME_CLOSES, closers }, { SPOOR_SCHED_NAME_CLOSES_ALL, closers_of_all },
};

#define NUMBERS_MAX 1024u

static uint8_t flags_of[NUMBERS_MAX];
static pthread_once_t flags_once = PTHREAD_ONCE_INIT;

static void set_flags(void)
{
	for (size_t number = 0; number < syscall_name_count && number < NUMBERS_MAX; number++)
		for (size_t i = 0; syscall_names[number] && i < sizeof(lists) / sizeof(*lists); i++)
			for (const char *const *name = lists[i].names; *name; name++)
				if (strcmp(*name, syscall_names[number]) == 0)
					flags_of[number] |= lists[i].flag;
}

uint8_t system_call_flags(uint32_t number)
{
	pthread_once(&flags_once, set_flags);
	return number < NUMBERS_MAX ? flags_of[number] : 0;
}

void system_calls_write_names(struct sched_writer *writer)
{
	size_t room = 0;
	uint8_t *names, *at;

	for (size_t i = 0; i < syscall_name_count; i++)
		room += syscall_names[i] ? SPOOR_SCHED_NAME_HEAD + strlen(syscall_names[i]) + 1 : 0;
	at = names = malloc(room);
	if (!names)
		return;
	for (size_t i = 0; i < syscall_name_count; i++) {
		if (!syscall_names[i])
			continue;
		*at++ = (uint8_t)i;
		*at++ = (uint8_t)(i >> 8);
		*at++ = system_call_flags((uint32_t)i);
		at = (uint8_t *)stpcpy((char *)at, syscall_names[i]) + 1;
	}
	sched_writer_names(writer, names, room);
	free(names);
}
