/* SPDX-License-Identifier: MIT */
/* unit.h - runs a test program that has one suite. Names of tests are sentences that are true if they pass. */
#ifndef UNIT_H
#define UNIT_H

#include <check.h>
#include <stdlib.h>

/* @setup: runs in the process of each test before the test; or null */
static inline int unit_run(const char *name, void (*setup)(void), const TTest *const *tests, size_t count)
{
	Suite *suite = suite_create(name);
	TCase *cases = tcase_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	if (setup)
		tcase_add_checked_fixture(cases, setup, NULL);
	for (size_t i = 0; i < count; i++)
		tcase_add_test(cases, tests[i]);
	suite_add_tcase(suite, cases);
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
	tcase_set_timeout(cases, 600);
#else
	tcase_set_timeout(cases, 120);
#endif
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define UNIT_MAIN_SETUP(name, setup, ...)                                                  \
	int main(void)                                                                     \
	{                                                                                  \
		const TTest *const tests[] = { __VA_ARGS__ };                              \
                                                                                           \
		return unit_run(name, setup, tests, sizeof(tests) / sizeof(*tests));       \
	}
#define UNIT_MAIN(name, ...) UNIT_MAIN_SETUP(name, NULL, __VA_ARGS__)

#endif
