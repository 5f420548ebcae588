/* SPDX-License-Identifier: MIT */
/*
 * gcc_plugin.cc - a plugin of GCC that gives functions dormant sleds: the bytes and sections of LLVM's code generator
 * and of spoor's pass for LLVM, so that libspoor.so does not see the difference.
 *
 *   marks   before GIMPLE is expanded: calls where an exception or longjmp arrives
 *   sleds   when no later pass moves instructions: one at the beginning, at each return, at each tail call
 *   tables  when the function's text is in the assembly
 *
 * A plugin works with one build of GCC, for one architecture.
 */
#include "pass/gcc/gcc_headers.h"

#include "pass/gcc/gcc_lto.h"
#include "pass/gcc/gcc_marks.h"
#include "pass/gcc/gcc_sleds.h"
#include "pass/gcc/gcc_tables.h"
#include "pass/gcc/gcc_target.h"
#include "pass/gcc/gcc_unit.h"

/* GCC loads only plugins that define this symbol. spoor's licence, MIT, is compatible with GCC's. */
#define EXPORTED __attribute__((visibility("default")))
EXPORTED int plugin_is_GPL_compatible;

/* SPOOR_ALWAYS and XRay's attribute for exclusion (spoor_attributes.h). Fields: name, number of arguments, needs a
 * declaration, a type, a function type, affects types, handler, exclusions. */
static const attribute_spec attributes[] = {
	{"spoor_always", 0, 0, true, false, false, false, NULL, NULL},
	{"xray_never_instrument", 0, 0, true, false, false, false, NULL, NULL},
};

static void register_attributes(void *, void *)
{
	for (const attribute_spec &attribute : attributes)
		register_attribute(&attribute);
}

static void finish_unit(void *, void *)
{
	gcc_tables_finish();
}

/* Not a warning of GCC, which -Werror would make an error. */
static void begin_unit(void *, void *)
{
	const char *why;

	if (!gcc_unit_is_instrumented())
		return;
	if (gcc_target_is_supported(&why))
		gcc_lto_begin();
	else
		fprintf(stderr, "spoor: warning: there is no tracing of %s; this unit is compiled without\n", why);
}

static void add_pass(const char *plugin, opt_pass *pass, const char *reference, pass_positioning_ops where)
{
	struct register_pass_info info = {pass, reference, 1, where};

	register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

EXPORTED int plugin_init(struct plugin_name_args *arguments, struct plugin_gcc_version *version)
{
	const char *name = arguments->base_name;
	struct spoor_fault fault;

	if (!plugin_default_version_check(version, &gcc_version)) {
		error("spoor: this plugin was built for GCC %s of %s, and this is GCC %s of %s: build spoor again for this one, "
		      "or compile with %<-fno-spoor%>", gcc_version.basever, gcc_version.datestamp, version->basever,
		      version->datestamp);
		return 1;
	}
	if (gcc_unit_begin(&fault) < 0) {
		error("spoor: %s", fault.text);
		return 1;
	}
	register_callback(name, PLUGIN_ATTRIBUTES, register_attributes, NULL);
	gcc_marks_register(name);
	register_callback(name, PLUGIN_START_UNIT, begin_unit, NULL);
	add_pass(name, gcc_marks_pass(), "optimized", PASS_POS_INSERT_AFTER);
	add_pass(name, gcc_sleds_pass(), "shorten", PASS_POS_INSERT_BEFORE);
	add_pass(name, gcc_tables_pass(), "final", PASS_POS_INSERT_AFTER);
	register_callback(name, PLUGIN_FINISH_UNIT, finish_unit, NULL);
	return 0;
}
