/* SPDX-License-Identifier: MIT */
/* mailbox_requests.c - carries out requests of `spoor ctl` by calling functions of spoor.h. */
#include <errno.h>
#include <string.h>

#include "api/interface.h"
#include "config/configuration.h"
#include "event/pool.h"
#include "trace/service.h"

/* The longest wait for a flush. The disk may be slow, or a blocked thread of the program may hold a lock of spoor. */
#define PATIENCE_NS 10000000000

/* Every mode but "off" restarts a runtime that was stopped. */
static int set_mode(const char *name)
{
	int mode = spoor_configuration_mode(name);

	if (mode < 0 && strcmp(name, SPOOR_MODE_HANDLER) != 0)
		return -EINVAL;
	if (mode != SPOOR_MODE_OFF)
		spoor_initialize();
	return spoor_mode_set(name);
}

/* Returns how many functions or tracepoints changed, or have values, or a negative errno. */
static long carry_out(const struct spoor_mail *mail)
{
	switch (mail->command) {
	case SPOOR_MAIL_FLUSH:
		return spoor_flush(PATIENCE_NS);
	case SPOOR_MAIL_CLEAR:
		return spoor_clear();
	case SPOOR_MAIL_ENABLE:
		return spoor_functions_enable(mail->modules, mail->functions);
	case SPOOR_MAIL_DISABLE:
		return spoor_functions_disable(mail->modules, mail->functions);
	case SPOOR_MAIL_TRACEPOINTS_ENABLE:
		return spoor_tracepoints_enable(mail->functions);
	case SPOOR_MAIL_TRACEPOINTS_DISABLE:
		return spoor_tracepoints_disable(mail->functions);
	case SPOOR_MAIL_ARGUMENTS:
		return spoor_arguments_choose(mail->functions);
	case SPOOR_MAIL_RESULTS:
		return spoor_results_choose(mail->functions);
	case SPOOR_MAIL_MODE:
		return set_mode(mail->functions);
	case SPOOR_MAIL_STOP:
		return spoor_deinitialize();
	default:
		return -EINVAL;
	}
}

static void serve(struct spoor_pool *pool, uint32_t *taken, struct spoor_mail *mail)
{
	struct spoor_mailbox *box = spoor_pool_mailbox(pool);

	while (spoor_mailbox_take(box, taken, mail) > 0) {
		long result = carry_out(mail);

		spoor_mailbox_answer(box, *taken, result < 0 ? (int)result : 0, result < 0 ? 0 : result);
	}
}

/* A service thread that starts before this has no requests to serve. */
__attribute__((constructor)) static void register_server(void)
{
	spoor_service_serve_with(serve);
}
