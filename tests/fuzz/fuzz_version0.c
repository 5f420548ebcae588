/* SPDX-License-Identifier: MIT */
/* fuzz_version0.c - reads any bytes as a file in Spoor's own format. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "reader/events/thread_events.h"
#include "reader/files/version0.h"

/* Reads all events. Fails if a time runs backwards, or if there are more events than the file can have. */
static void walk(struct process *process)
{
	struct functions functions;
	uint64_t all = 0;

	if (functions_begin(&functions, process))
		return;
	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread_events events;
		struct event event;
		uint64_t before = 0;

		thread_events_begin(&events, process, &functions, process->threads.threads[i]);
		while (thread_events_next(&events, &event) > 0) {
			if (!(event.kind == EVENT_USER && event.own_time)) {
				if (event.time_ns < before)
					abort();
				before = event.time_ns;
			}
			all++;
		}
		thread_events_end(&events);
	}
	if (all > process_words(process))
		abort();
	functions_end(&functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = fuzz_file(bytes, size);
	struct version0_file file = { .name = strdup(fuzz_path(fd)) };
	struct process process;

	if (file.name && version0_check(&file, -1, file.name) == 0 && version0_open_process(&process, -1, "", &file, 1) == 0) {
		walk(&process);
		process_close(&process);
	}
	free(file.name);
	close(fd);
	return 0;
}
