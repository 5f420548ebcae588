/* SPDX-License-Identifier: MIT */
/* top_screen.c - uses the terminal's alternate screen, reads keys without echo, and turns signals into results of
 * a wait. */
#include "live/top_screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/system/signals.h"

/* Select the alternate screen without a cursor and wrapped lines, and restore the normal one. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"
#define HOME "\033[H"
#define REST_OF_LINE "\033[K"
#define REST_OF_SCREEN "\033[J"
#define NEW_LINE REST_OF_LINE "\n"

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static const int faults[] = { SIGBUS, SIGSEGV, SIGABRT };

static struct {
	bool on;		/* the alternate screen is in use */
	bool has_keys;
	bool wanted;		/* the output is a terminal */
	struct termios before;
	sigset_t mask;
	int signals;
	int end;		/* the signal that ends the program; 0: none */
} screen = { .signals = -1 };

static void put(const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t written = write(STDOUT_FILENO, text, bytes);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		text += written;
		bytes -= (size_t)written;
	}
}

/* Async-signal-safe. */
static void leave_screen(void)
{
	if (!screen.on)
		return;
	screen.on = false;
	put(LEAVE, sizeof(LEAVE) - 1);
	if (screen.has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &screen.before);
}

static void enter(void)
{
	struct termios keys = screen.before;

	if (!screen.wanted)
		return;
	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	keys.c_cc[VMIN] = 1;
	keys.c_cc[VTIME] = 0;
	screen.on = true;
	if (screen.has_keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &keys);
	put(ENTER, sizeof(ENTER) - 1);
}

/* Handles SIGSEGV and SIGBUS: a bug, or a pool that was truncated while we read it. */
static void handle_fault(int number)
{
	static const char cut[] = "spoor: top: the pool was truncated while spoor read it\n";

	leave_screen();
	if (number == SIGBUS) {
		if (write(STDERR_FILENO, cut, sizeof(cut) - 1) < 0)
			_exit(1);
		_exit(1);
	}
	signal(number, SIG_DFL);
	raise(number);
}

bool top_screen_is_there(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(term && strcmp(term, "dumb") == 0);
}

int top_screen_begin(bool on_screen)
{
	struct sigaction action = { .sa_handler = handle_fault, .sa_flags = (int)SA_RESETHAND };
	sigset_t ours;

	sigemptyset(&ours);
	signals_add(&ours, ends, sizeof(ends) / sizeof(*ends));
	screen.wanted = on_screen;
	if (on_screen) {
		sigaddset(&ours, SIGWINCH);
		sigaddset(&ours, SIGTSTP);
		screen.has_keys = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &screen.before) == 0;
	}
	sigprocmask(SIG_BLOCK, &ours, &screen.mask);
	screen.signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	if (screen.signals < 0) {
		int error = -errno;

		sigprocmask(SIG_SETMASK, &screen.mask, NULL);
		return error;
	}
	atexit(leave_screen);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		sigaction(faults[i], &action, NULL);
	enter();
	return 0;
}

/* Stops the process as a shell expects. */
static void stop_process(void)
{
	sigset_t one;

	leave_screen();
	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	/* The process continues here. */
	sigprocmask(SIG_BLOCK, &one, NULL);
	enter();
}

/* Returns the same as top_screen_wait, or 0 for a signal that has no effect. */
static int take_signal(void)
{
	struct signalfd_siginfo info;

	if (read(screen.signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return 0;
	if (info.ssi_signo == SIGTSTP)
		stop_process();
	else if (info.ssi_signo != SIGWINCH)
		screen.end = (int)info.ssi_signo;
	return screen.end ? TOP_SIGNAL : TOP_SIZE;
}

int top_screen_wait(int64_t until_ns)
{
	struct pollfd files[] = { { .fd = screen.signals, .events = POLLIN },
				  { .fd = screen.has_keys ? STDIN_FILENO : -1, .events = POLLIN } };

	for (;;) {
		struct timespec now, left;
		int64_t left_ns;
		int news, got;
		char key;

		clock_gettime(CLOCK_MONOTONIC, &now);
		left_ns = until_ns - (now.tv_sec * 1000000000ll + now.tv_nsec);
		if (left_ns < 0)
			left_ns = 0;
		left = (struct timespec){ left_ns / 1000000000, left_ns % 1000000000 };
		got = ppoll(files, 2, &left, NULL);
		if (got == 0)
			return TOP_TIME;
		if (got < 0)
			continue;
		if (files[0].revents && (news = take_signal()))
			return news;
		if (!files[1].revents)
			continue;
		if (read(STDIN_FILENO, &key, 1) == 1)
			return (unsigned char)key;
		files[1].fd = -1;	/* the terminal is gone, so no key will come */
		screen.has_keys = false;
	}
}

/* Returns the bytes of a line that fit into so many columns, without a partial character. */
static size_t fitting(const char *line, size_t length, size_t columns)
{
	size_t at = 0;

	for (; at < length; at++)
		if (((unsigned char)line[at] & 0xc0) != 0x80 && !columns--)
			break;
	return at;
}

int top_screen_show(const char *text, size_t bytes)
{
	struct winsize size = { 0 };
	size_t room = bytes + 64, used = 0;
	const char *end = text + bytes;
	char *all;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	room += size.ws_row * sizeof(NEW_LINE);
	all = malloc(room);
	if (!all)
		return -ENOMEM;
	used = (size_t)(stpcpy(all, HOME) - all);
	for (unsigned int row = 0; row < size.ws_row && text < end; row++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text), shown = fitting(text, length, size.ws_col);

		if (row)
			used = (size_t)(stpcpy(all + used, NEW_LINE) - all);
		memcpy(all + used, text, shown);
		used += shown;
		text += length + 1;
	}
	used = (size_t)(stpcpy(all + used, REST_OF_LINE REST_OF_SCREEN) - all);
	put(all, used);
	free(all);
	return 0;
}

void top_screen_end(void)
{
	leave_screen();
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		signal(faults[i], SIG_DFL);
	if (screen.signals >= 0)
		close(screen.signals);
	screen.signals = -1;
	if (screen.end && screen.end != SIGINT) {
		signal(screen.end, SIG_DFL);
		raise(screen.end);
	}
	sigprocmask(SIG_SETMASK, &screen.mask, NULL);
}
