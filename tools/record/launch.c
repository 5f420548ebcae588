/* SPDX-License-Identifier: MIT */
/* launch.c - runs a program and waits until it ends. */
#include "record/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/file_limits.h"
#include "base/message.h"
#include "base/system/own_umask.h"
#include "reader/files/printable_text.h"
#include "base/system/signals.h"
#include "record/group_signal.h"
#include "record/kept_state.h"

#define PATIENCE_MS 1000	/* to wait for remaining processes before a message is printed */

/* The state of this process that the program has to find. */
struct own_state {
	sigset_t mask;
	struct kept_state kept;
};

/* Runs in the child. Does not return. */
static void run(char **arguments, const struct own_state *own, int error_pipe, int go, int inherited_fd)
{
	int error;
	char byte;

	/* The parent's end is closed without a byte if spoor was killed. */
	while (go >= 0 && read(go, &byte, 1) != 1)
		if (errno != EINTR)
			_exit(LAUNCH_NOT_FOUND);
	if (inherited_fd > 0)
		fcntl(inherited_fd, F_SETFD, 0);
	signals_restore();
	limits_restore();
	kept_state_give(&own->kept);
	sigprocmask(SIG_SETMASK, &own->mask, NULL);
	own_umask_restore();
	execvp(arguments[0], arguments);
	error = errno;
	while (write(error_pipe, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(LAUNCH_NOT_FOUND);
}

/* Reads the error of execvp. Returns 0 if it succeeded, or an errno. */
static int exec_error(int error_pipe)
{
	int error = 0;
	ssize_t got;

	do
		got = read(error_pipe, &error, sizeof(error));
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(error) ? error : 0;
}

/* Prints why the program could not run. For a missing interpreter of a script the kernel returns the same error
 * as for a missing script. */
static void print_exec_error(const char *name, int error)
{
	char path[PATH_MAX], interpreter[PATH_MAX];
	struct stat status;

	if (error == EACCES && stat(name, &status) == 0 && S_ISDIR(status.st_mode)) {
		message("cannot run %s: it is a directory", name);
		return;
	}
	for (int i = 0; error == ENOENT && i <= LAUNCH_SCRIPTS_MAX; i++) {
		if (!(i ? snprintf(path, sizeof(path), "%s", interpreter) > 0 : launch_find(name, path)) ||
		    !launch_script(path, interpreter))
			break;
		if (access(interpreter, F_OK) == 0)
			continue;
		clean_name(interpreter);
		message("cannot run %s: its interpreter %s does not exist", name, interpreter);
		return;
	}
	if (error == ENOENT && !strchr(name, '/') && access(name, X_OK) == 0)
		message("cannot run %s: no such program in PATH: use ./%s for the one in this folder", name, name);
	else if (error == ENOENT)
		message("cannot run %s: %s: check the name", name, strchr(name, '/') ? strerror(error) : "no such program in PATH");
	else
		message("cannot run %s: %s%s", name, strerror(error), error == EACCES ? ": make it executable (chmod +x)" : "");
}

/*
 * Reaps ended children that launch() has not started. The kernel gives orphans to the first process of a container, or
 * to a subreaper (prctl(2)), and a process keeps its children when it executes spoor.
 * @program: left for launch() to reap; 0 if that is done
 */
static void reap_orphans(pid_t program, struct group_signal *witness)
{
	siginfo_t ended;

	for (;;) {
		ended.si_pid = 0;
		if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || !ended.si_pid || ended.si_pid == program)
			return;
		if (ended.si_pid == witness->process_id)
			group_signal_end(witness);
		else
			waitpid(ended.si_pid, NULL, WNOHANG);
	}
}

/* Passes on a signal that is meant for the program and has not reached it. */
static void pass_on(int signals, pid_t child, struct group_signal *witness)
{
	bool to_group;

	struct signalfd_siginfo info;

	if (read(signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		reap_orphans(child, witness);
		return;
	}
	/* The terminal sends its signals to the whole foreground group. */
	to_group = info.ssi_code == SI_KERNEL || group_signal_saw(witness, (int)info.ssi_signo);
	if (!to_group)
		kill(child, (int)info.ssi_signo);
}

/* Calls the tick function. Returns milliseconds until the next call, -1 for none. */
static int tick(const struct launch_rest *rest)
{
	return rest && rest->tick ? rest->tick(rest->context) : -1;
}

/* Waits until the child has ended. */
static int wait_for(pid_t child, int child_fd, int signals, struct group_signal *witness, const struct launch_rest *rest,
		    int *wait_status)
{
	struct pollfd files[] = { { .fd = child_fd, .events = POLLIN }, { .fd = signals, .events = POLLIN } };

	for (;;) {
		int got = poll(files, 2, tick(rest));

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got <= 0)
			continue;
		if (files[1].revents & POLLIN)
			pass_on(signals, child, witness);
		if (files[0].revents & POLLIN)
			break;
	}
	if (rest && rest->ended)
		rest->ended(rest->context, child);
	while (waitpid(child, wait_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Waits for processes that the program has left running. */
static void wait_for_rest(const struct launch_rest *rest, int signals, struct group_signal *witness)
{
	struct pollfd files[] = { { .fd = rest->changed_fd, .events = POLLIN }, { .fd = signals, .events = POLLIN } };
	struct signalfd_siginfo info;
	unsigned int busy, told = 0;
	int patience_ms = PATIENCE_MS;
	uint64_t news;

	while ((busy = rest->busy(rest->context)) > 0) {
		int tick_ms = tick(rest), wait_ms = told ? -1 : patience_ms;

		if (tick_ms >= 0 && (wait_ms < 0 || tick_ms < wait_ms))
			wait_ms = tick_ms;
		if (poll(files, 2, wait_ms) != 0) {
			patience_ms = PATIENCE_MS;
		} else if (!told && (patience_ms -= wait_ms) <= 0) {
			patience_ms = PATIENCE_MS;
			told = !rest->runs || rest->runs(rest->context);
			if (told)
				message("waiting for %u process%s still traced; interrupt to end the recording", busy,
					busy == 1 ? " that is" : "es that are");
		}
		if (files[1].revents & POLLIN && read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
			if (info.ssi_signo == SIGCHLD)
				reap_orphans(0, witness);
			else if (!signals_is_ignored((int)info.ssi_signo))	/* pending, because it is blocked */
				return;
		}
		if (files[0].revents & POLLIN && read(rest->changed_fd, &news, sizeof(news)) < 0 && errno != EAGAIN)
			return;
	}
}

int launch(char **arguments, const struct launch_rest *rest, int *wait_status)
{
	static const int passed_on[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
	sigset_t ours;
	struct own_state own;
	struct group_signal witness = { 0 };
	int error_pipe[2], go_pipe[2] = { -1, -1 }, signals = -1, child_fd = -1, error, status = 1;
	bool holds = rest && rest->started;
	pid_t child;

	sigemptyset(&ours);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++)
		sigaddset(&ours, passed_on[i]);
	sigaddset(&ours, SIGCHLD);
	if (pipe2(error_pipe, O_CLOEXEC)) {
		message("cannot create a pipe: %s", strerror(errno));
		return 1;
	}
	if (holds && pipe2(go_pipe, O_CLOEXEC)) {
		message("cannot create a pipe: %s", strerror(errno));
		close(error_pipe[0]);
		close(error_pipe[1]);
		return 1;
	}
	sigprocmask(SIG_BLOCK, &ours, &own.mask);
	kept_state_take(&own.kept);
	signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals >= 0)
		group_signal_begin(&witness);
	child = signals < 0 ? -1 : fork();
	if (child == 0) {
		if (holds)
			close(go_pipe[1]);
		run(arguments, &own, error_pipe[1], go_pipe[0], rest ? rest->inherited_fd : 0);
	}
	if (child < 0) {
		message("cannot start %s: %s", arguments[0], strerror(errno));
		goto close_files;
	}
	close(error_pipe[1]);
	error_pipe[1] = -1;
	if (holds) {
		rest->started(rest->context, child);
		if (write(go_pipe[1], "", 1) != 1)
			message("cannot start %s: %s", arguments[0], strerror(errno));
	}
	error = exec_error(error_pipe[0]);
	if (error) {
		waitpid(child, wait_status, 0);
		print_exec_error(arguments[0], error);
		status = error == ENOENT || error == ENOTDIR ? LAUNCH_NOT_FOUND : LAUNCH_NOT_EXECUTABLE;
		goto close_files;
	}
	reap_orphans(child, &witness);
	child_fd = pidfd_open(child, 0);
	error = child_fd < 0 ? -errno : wait_for(child, child_fd, signals, &witness, rest, wait_status);
	if (error)
		message("cannot wait for %s: %s", arguments[0], strerror(-error));
	else
		status = 0;
	if (!error && rest && rest->busy)
		wait_for_rest(rest, signals, &witness);

close_files:
	group_signal_end(&witness);
	if (child_fd >= 0)
		close(child_fd);
	if (signals >= 0)
		close(signals);
	close(error_pipe[0]);
	if (error_pipe[1] >= 0)
		close(error_pipe[1]);
	if (holds) {
		close(go_pipe[0]);
		close(go_pipe[1]);
	}
	sigprocmask(SIG_SETMASK, &own.mask, NULL);
	return status;
}

bool launch_find(const char *name, char path[PATH_MAX])
{
	const char *at = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, X_OK) == 0;
	for (at = at ? at : "/bin:/usr/bin"; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
		int length = (int)strcspn(at, ":");
		struct stat status;

		if (snprintf(path, PATH_MAX, "%.*s%s%s", length, at, length ? "/" : "", name) < PATH_MAX &&
		    stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0)
			return true;
	}
	path[0] = '\0';
	errno = ENOENT;
	return false;
}

bool launch_script(const char *path, char interpreter[PATH_MAX])
{
	char line[PATH_MAX] = "", *at = line + 2;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t got = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);

	if (fd >= 0)
		close(fd);
	line[got > 0 ? got : 0] = '\0';
	if (strncmp(line, "#!", 2) != 0)
		return false;
	at += strspn(at, " \t");
	at[strcspn(at, " \t\n")] = '\0';
	strcpy(interpreter, at);
	return true;
}
