/* SPDX-License-Identifier: MIT */
/* terminal.c - decides about colours, and starts a pager. */
#include "base/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/file_limits.h"
#include "base/message.h"
#include "base/number_text.h"
#include "base/system/signals.h"

/* Options of less: exit if the text fits the screen, pass colours through, leave the text on the screen. */
#define LESS_OPTIONS "FRX"

static struct {
	pid_t process;		/* 0: no pager runs */
	const char *command;
	int stdout_fd, stderr_fd;	/* the original ones; -1: unchanged */
} pager;

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

int terminal_when(const char *argument, enum terminal_when *when)
{
	static const char *const words[] = { "auto", "always", "never" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(argument, words[i]) == 0) {
			*when = (enum terminal_when)i;
			return 0;
		}
	}
	return message_usage("unknown color '%s': use auto, always or never", argument);
}

bool terminal_has_colors(enum terminal_when when, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != TERMINAL_AUTO)
		return when == TERMINAL_ALWAYS;
	return isatty(fd) && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
}

size_t terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	size_t width;

	if (columns && number_text_parse(columns, 1, UINT16_MAX, &width))
		return width;
	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

static bool is_in_path(const char *program)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t length = strcspn(path, ":");
		char file[4096];

		if (snprintf(file, sizeof(file), "%.*s/%s", (int)length, path, program) < (int)sizeof(file) &&
		    access(file, X_OK) == 0)
			return true;
		path += length + (path[length] == ':');
	}
	return false;
}

/* Returns null for no pager. */
static const char *choose_pager(void)
{
	const char *command = getenv("SPOOR_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = is_in_path("less") ? "less" : "";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* Async-signal-safe. Returns the pager's wait status. */
static int wait_for_pager(void)
{
	int status = 0;

	dup2(pager.stdout_fd, STDOUT_FILENO);
	if (pager.stderr_fd >= 0)
		dup2(pager.stderr_fd, STDERR_FILENO);
	while (waitpid(pager.process, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Waits for the pager, so that the user can go on reading and the shell gets the terminal afterwards. */
static void end_by_signal(int number)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };

	wait_for_pager();
	sigaction(number, &usual, NULL);
	raise(number);
}

static void run_pager(int input, const sigset_t *mask)
{
	dup2(input, STDIN_FILENO);
	sigprocmask(SIG_SETMASK, mask, NULL);
	signals_restore();
	limits_restore();
	setenv("LESS", LESS_OPTIONS, 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", pager.command, (char *)NULL);
	_exit(127);
}

void terminal_pager_begin(void)
{
	struct sigaction action = { .sa_handler = end_by_signal, .sa_flags = (int)SA_RESETHAND };
	sigset_t ours, before;
	int ends_of_pipe[2];

	pager.command = isatty(STDOUT_FILENO) ? choose_pager() : NULL;
	if (!pager.command || pipe2(ends_of_pipe, O_CLOEXEC))
		return;
	/* Block these signals until all that the handler needs is in place. */
	sigemptyset(&ours);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		sigaddset(&ours, ends[i]);
	sigprocmask(SIG_BLOCK, &ours, &before);
	pager.process = fork();
	if (pager.process == 0)
		run_pager(ends_of_pipe[0], &before);
	close(ends_of_pipe[0]);
	if (pager.process > 0) {
		pager.stdout_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		pager.stderr_fd = isatty(STDERR_FILENO) ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
		dup2(ends_of_pipe[1], STDOUT_FILENO);
		if (pager.stderr_fd >= 0)
			dup2(ends_of_pipe[1], STDERR_FILENO);
		for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
			sigaction(ends[i], &action, NULL);
	} else {
		pager.process = 0;
	}
	/* The pager would never see the end of its input if it kept the writing end open. */
	close(ends_of_pipe[1]);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int terminal_pager_end(void)
{
	int status;

	if (!pager.process)
		return 0;
	status = wait_for_pager();
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		signal(ends[i], SIG_DFL);
	close(pager.stdout_fd);
	if (pager.stderr_fd >= 0)
		close(pager.stderr_fd);
	pager.process = 0;
	if (!WIFEXITED(status) || (WEXITSTATUS(status) != 127 && WEXITSTATUS(status) != 126))
		return 0;
	message("cannot run the pager '%s': check SPOOR_PAGER and PAGER, or use --no-pager", pager.command);
	return SPOOR_EXIT_BAD_TRACE;
}
