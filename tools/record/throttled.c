/* SPDX-License-Identifier: MIT */
/* throttled.c - makes functions dormant that are called too often, by requests to their process. */
#include "record/throttled.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctl/request.h"
#include "live/follow.h"
#include "attach/inject/inject.h"
#include "base/message.h"

/* Returns the module that has an index now; null for none. */
static const struct module *module_of(const struct process *process, uint32_t index)
{
	for (size_t i = process->module_count; i-- > 0;) {
		const struct module *module = &process->modules[i];

		if (index >= module->base && index - module->base < module->count && module->gone_counter == UINT64_MAX)
			return module;
	}
	return NULL;
}

/* Writes a name as a pattern: special characters become '?', which matches any character. Returns the end, or
 * null if there is no room. */
static char *put_pattern(char *at, const char *end, const char *name)
{
	if (strlen(name) + 2 > (size_t)(end - at))
		return NULL;
	for (; *name; name++)
		*at++ = strchr("*?[]()<>,\\-", *name) ? '?' : *name;
	*at = '\0';
	return at;
}

/* The message of the last request. A process that is ending makes it irrelevant. */
static char last_message[512];

static void take_message(const char *text)
{
	snprintf(last_message, sizeof(last_message), "%s", text);
}

/* Returns 0, or a negative errno, after a message unless the process is ending. */
static int put_to_sleep(pid_t process_id, const struct spoor_mail *mail)
{
	struct live_pool live;
	int64_t changed = 0;
	int error;

	*last_message = '\0';
	message_divert(take_message);
	error = live_pool_open(&live, process_id);
	if (!error) {
		error = *live.runtime || live.pool ? control(&live, mail, "disable", &changed) : -ESRCH;
		live_pool_close(&live);
	}
	message_divert(NULL);
	if (!error && !changed)
		snprintf(last_message, sizeof(last_message), "the process finds no function with this name");
	if ((error || !changed) && inject_running_thread(process_id))
		message("--max-rate: process %d: cannot make '%.100s' dormant: %s",
			(int)process_id, mail->functions, *last_message ? last_message : strerror(-error));
	return error ? error : changed ? 0 : -ENOENT;
}

/* Handles the functions of one module; handled ones become UINT32_MAX. */
static void put_module_to_sleep(struct recorder *recorder, struct recorder_hot *hot, const struct follow *follow, size_t first)
{
	static struct spoor_mail mail;
	const struct module *module = module_of(&follow->process, hot->indexes[first]);
	char *at = mail.functions;
	const char *end = mail.functions + sizeof(mail.functions);
	size_t taken[sizeof(hot->indexes) / sizeof(*hot->indexes)], count = 0;

	mail.command = SPOOR_MAIL_DISABLE;
	if (!module || !put_pattern(mail.modules, mail.modules + sizeof(mail.modules), module->path)) {
		hot->indexes[first] = UINT32_MAX;
		return;
	}
	for (size_t i = first; i < hot->count; i++) {
		uint32_t index = hot->indexes[i];
		const char *name;
		char *next;

		if (index == UINT32_MAX || module_of(&follow->process, index) != module)
			continue;
		name = symbol_file_linkage(module->symbols, index - module->base);
		if (!name) {
			message("--max-rate: process %d: cannot make a function of %s dormant: it has no name",
				(int)hot->process_id, module->symbols->library);
			hot->indexes[i] = UINT32_MAX;
			continue;
		}
		if (count)
			*at = ',';
		next = put_pattern(at + (count != 0), end, name);
		if (!next) {
			*at = '\0';
			break;
		}
		at = next;
		taken[count++] = i;
	}
	if (count && !put_to_sleep(hot->process_id, &mail))
		for (size_t i = 0; i < count; i++)
			recorder_dormant(recorder, hot, hot->indexes[taken[i]]);
	for (size_t i = 0; i < count; i++)
		hot->indexes[taken[i]] = UINT32_MAX;
	if (!count)
		hot->indexes[first] = UINT32_MAX;
}

void record_throttled_tick(struct recorder *recorder, const char *trace_path)
{
	static struct recorder_hot hot;

	while (recorder_hot(recorder, &hot)) {
		struct symbol_cache symbols = { .demangle = false };
		int directory = open(trace_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		char path[PATH_MAX];
		struct follow follow;
		int error;

		snprintf(path, sizeof(path), "%s/%s", trace_path, hot.folder);
		error = directory < 0 ? -errno : follow_begin(&follow, directory, hot.folder, path, NULL, 0, &symbols);
		if (!error) {
			error = follow_records(&follow);
			for (size_t i = 0; i < hot.count && !error; i++)
				if (hot.indexes[i] != UINT32_MAX)
					put_module_to_sleep(recorder, &hot, &follow, i);
			follow_end(&follow);
		}
		if (error)
			message("--max-rate: %s: %s", path, strerror(-error));
		symbol_cache_free(&symbols);
		if (directory >= 0)
			close(directory);
	}
}

void record_throttled_print(const struct process *process)
{
	struct functions functions;

	if (!process->dormant_count || functions_begin(&functions, process))
		return;
	for (size_t i = 0; i < process->dormant_count; i++) {
		const struct spoor_dormant *dormant = &process->dormant[i];
		uint32_t number = functions_number(&functions, dormant->index, dormant->counter);

		message("%s in %s was called %" PRIu64 " times per second, and was made dormant after %" PRIu64
			" calls (process %" PRId64 ")",
			function_name(&functions, number), function_library(&functions, number), dormant->rate,
			dormant->calls, process->process_id);
	}
	functions_end(&functions);
}
