/* SPDX-License-Identifier: MIT */
/* live_view.c - runs the thread that shows the call tree during a recording. */
#include "record/live_view.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/merged_tree.h"
#include "base/message.h"
#include "base/jobs.h"

struct record_live {
	struct live_tree tree;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool stopping;
};

static void *show(void *argument)
{
	struct record_live *live = argument;
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	pthread_mutex_lock(&live->lock);
	while (!live->stopping && !output_failed(&live->tree.replay.out)) {
		pthread_mutex_unlock(&live->lock);
		live_tree_tick(&live->tree);
		clock_gettime(CLOCK_MONOTONIC, &next);
		next.tv_nsec += (long)LIVE_TREE_INTERVAL_NS;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		pthread_mutex_lock(&live->lock);
		while (!live->stopping && pthread_cond_timedwait(&live->changed, &live->lock, &next) == 0)
			;
	}
	pthread_mutex_unlock(&live->lock);
	return NULL;
}

int record_live_begin(struct record_live **result, const struct record_live_choice *choice, const char *trace_path,
		      struct recorder *recorder)
{
	struct record_live *live;
	pthread_condattr_t attributes;
	int error;

	*result = NULL;
	if (!choice->wanted)
		return 0;
	live = calloc(1, sizeof(*live));
	if (!live) {
		message("out of memory");
		return SPOOR_EXIT_BAD_TRACE;
	}
	live->tree = (struct live_tree){
		.trace_path = trace_path, .recorder = recorder, .symbols.demangle = choice->walk.demangle,
		.replay = {
			.choice = choice->walk, .depth_limit = choice->depth, .patterns = choice->patterns,
			.from_roots = choice->patterns,
		},
	};
	live_tree_begin(&live->tree);
	error = choice->path ? output_begin_read_along(&live->tree.replay.out, choice->path) : output_begin_stderr(&live->tree.replay.out);
	if (error) {
		message("--live: %s: %s", choice->path ? choice->path : "stderr", strerror(-error));
		live_tree_end(&live->tree);
		free(live);
		return SPOOR_EXIT_BAD_TRACE;
	}
	live->tree.replay.lines = (struct replay_lines){
		.out = &live->tree.replay.out, .with_time = choice->with_time,
		.colored = terminal_has_colors(choice->color, live->tree.replay.out.fd),
	};
	pthread_mutex_init(&live->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&live->changed, &attributes);
	error = jobs_thread_begin(&live->thread, show, live);
	if (error) {
		message("--live: cannot start a thread: %s", strerror(error));
		output_end(&live->tree.replay.out);
		live_tree_end(&live->tree);
		free(live);
		return SPOOR_EXIT_BAD_TRACE;
	}
	*result = live;
	return 0;
}

void record_live_stop(struct record_live *live)
{
	if (!live)
		return;
	pthread_mutex_lock(&live->lock);
	live->stopping = true;
	pthread_cond_signal(&live->changed);
	pthread_mutex_unlock(&live->lock);
	pthread_join(live->thread, NULL);
	live->tree.recorder = NULL;
}

void record_live_end(struct record_live *live)
{
	int error;

	if (!live)
		return;
	if (!output_failed(&live->tree.replay.out))
		live_tree_tick(&live->tree);
	/* After a write error a line may still be waiting. */
	live_tree_end(&live->tree);
	error = output_end(&live->tree.replay.out);
	if (error)
		message("--live: cannot write: %s", strerror(-error));
	free(live);
}
