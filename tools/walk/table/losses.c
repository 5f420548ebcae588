/* SPDX-License-Identifier: MIT */
/* losses.c - writes a report's part about lost events. */
#include "walk/table/losses.h"

#include "walk/loss_cause.h"

static void add_thread(struct report_losses *losses, int64_t process_id, const struct thread_slices *thread)
{
	uint32_t at = losses->thread_count < REPORT_LOSERS_MAX ? (uint32_t)losses->thread_count : REPORT_LOSERS_MAX;

	losses->thread_count++;
	if (at == REPORT_LOSERS_MAX && losses->losers[--at].events >= thread->lost)
		return;
	for (; at && losses->losers[at - 1].events < thread->lost; at--)
		losses->losers[at] = losses->losers[at - 1];
	losses->losers[at] = (struct report_loser){ process_id, thread->thread_id, thread->lost };
}

void report_losses_add(struct report_losses *losses, const struct process *process)
{
	for (size_t i = 0; i < process->loss_count; i++) {
		uint32_t cause = process->losses[i].cause;

		losses->by_cause[cause < SPOOR_LOSS_COUNT ? cause : SPOOR_LOSS_COUNT] += process->losses[i].events;
	}
	for (size_t i = 0; i < process->threads.count; i++)
		if (process->threads.threads[i]->lost)
			add_thread(losses, process->process_id, process->threads.threads[i]);
}

static void write_count(struct output *out, uint64_t events)
{
	output_grouped(out, events, 0);
	output_string(out, events == 1 ? " event" : " events");
}

void report_losses_write(const struct report_losses *losses, struct output *out)
{
	for (uint32_t cause = 0; cause <= SPOOR_LOSS_COUNT; cause++) {
		if (!losses->by_cause[cause])
			continue;
		output_string(out, "# ");
		write_count(out, losses->by_cause[cause]);
		output_string(out, " lost: ");
		output_string(out, loss_cause_text(cause));
		output_char(out, '\n');
	}
	for (uint32_t i = 0; i < REPORT_LOSERS_MAX && i < losses->thread_count; i++) {
		output_string(out, "# ");
		write_count(out, losses->losers[i].events);
		output_string(out, " lost by thread ");
		output_number(out, losses->losers[i].thread_id);
		output_string(out, " of process ");
		output_number(out, (uint64_t)losses->losers[i].process_id);
		output_char(out, '\n');
	}
	if (losses->thread_count > REPORT_LOSERS_MAX) {
		output_string(out, "# fewer by ");
		output_grouped(out, losses->thread_count - REPORT_LOSERS_MAX, 0);
		output_string(out, " more threads, which 'spoor info' lists\n");
	}
}

void report_losses_json(const struct report_losses *losses, struct output *out)
{
	const char *before = "";

	output_string(out, ",\n \"lost\": [");
	for (uint32_t cause = 0; cause <= SPOOR_LOSS_COUNT; cause++) {
		if (!losses->by_cause[cause])
			continue;
		output_string(out, before);
		before = ", ";
		output_string(out, "{\"cause\": \"");
		output_json_string(out, loss_cause_text(cause));
		output_string(out, "\", \"events\": ");
		output_number(out, losses->by_cause[cause]);
		output_char(out, '}');
	}
	output_string(out, "],\n \"lost_by_threads\": [");
	for (uint32_t i = 0; i < REPORT_LOSERS_MAX && i < losses->thread_count; i++) {
		output_string(out, i ? ", {\"process\": " : "{\"process\": ");
		output_number(out, (uint64_t)losses->losers[i].process_id);
		output_string(out, ", \"thread\": ");
		output_number(out, losses->losers[i].thread_id);
		output_string(out, ", \"events\": ");
		output_number(out, losses->losers[i].events);
		output_char(out, '}');
	}
	output_char(out, ']');
}
