/* SPDX-License-Identifier: MIT */
/* probe.c - finds the modules with static tracepoints, and decides which sites have breakpoints. */
#define _GNU_SOURCE
#include "probe/probe.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/libc_stack.h"
#include "elf/elf_image.h"
#include "elf/module_path.h"
#include "trace/foreign_sleds.h"
#include "base/permanent.h"
#include "base/warning.h"
#include "patch/text_pages.h"
#include "probe/trap_library.h"
#include "elf/tracepoint_placement.h"
#include "probe/breakpoint_text.h"
#include "module/registry.h"
#include "base/process_end.h"
#include "config/configuration.h"
#include "elf/stapsdt_note.h"
#include "probe/semaphores.h"

/* A loaded or closed module, by its file. */
struct module {
	struct module *next;
	const char *name;	/* the dynamic linker's name for it */
	const char *path;
	uint64_t identity;	/* a hash of its notes and its build-id */
	uintptr_t bias;
	uint32_t look;		/* the value of `look` when the module was last seen loaded */
	bool loaded;
	bool told;		/* the user was warned that its text is read-only */
	struct spoor_probe_site *sites;
};

static struct module *modules;
static uint32_t look;
static uintptr_t watched;	/* address of our breakpoint in the dynamic linker; 0 if there is none */

/* FNV-1a. */
static uint64_t hash(uint64_t hash, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
	return hash;
}

/* Reads a file of /proc, at most @size - 1 characters. */
static void read_text(const char *path, char *text, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read(file, text, size - 1);

	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = '\0';
}

/* Tells if a debugger is attached: it would stop at each breakpoint. `spoor ctl` may be attached too, only to call
 * this function, and does not count. */
static bool is_debugged(void)
{
	static const char name[] = "\nTracerPid:\t";
	char text[2048], path[64];
	const char *tracer;

	read_text("/proc/self/status", text, sizeof(text));
	tracer = strstr(text, name);
	if (!tracer || tracer[strlen(name)] == '0')
		return false;
	snprintf(path, sizeof(path), "/proc/%d/comm", atoi(tracer + strlen(name)));
	read_text(path, text, sizeof(text));
	return strcmp(text, "spoor\n") != 0;
}

/* The mapped ELF header, or null if it is not mapped. */
static const void *image_of(const struct dl_phdr_info *object)
{
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_offset == 0)
			return (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
	return NULL;
}

/* Tells if the file at the module's path is the one that was loaded. Sets *@identity. */
static bool is_file_of(const struct dl_phdr_info *object, const struct spoor_elf_file *file, uint64_t *identity)
{
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	uint32_t length = spoor_elf_file_build_id(file, build_id);
	const void *notes;
	uint64_t bytes = 0;
	struct spoor_image image;

	spoor_image_read(image_of(object), &image);
	notes = spoor_elf_file_section(file, STAPSDT_SECTION, &bytes);
	*identity = hash(hash(file->size, build_id, length), notes, notes ? bytes : 0);
	return length == image.build_id_bytes && memcmp(build_id, image.build_id, length) == 0;
}

static void warn_obstacle(const struct module *module, struct spoor_probe_site *site)
{
	if (!spoor_tracepoints_is_chosen(&site->probe) || site->told)
		return;
	site->told = true;
	spoor_warning("cannot record the tracepoint %.100s:%.100s at %#lx of %.500s: %s", site->probe.provider,
		      site->probe.name, (unsigned long)(site->address - module->bias), module->path,
		      site->obstacle ? site->obstacle : "its nop was overwritten");
}

/* Moves the module's sites to the place where the module is loaded now. Drops a site with the same note as another
 * one at its nop: the linker folded two functions with the same tracepoint, which executes once. */
static void place_sites(struct module *module, const struct dl_phdr_info *object)
{
	uintptr_t moved = object->dlpi_addr - module->bias;
	struct spoor_probe_site **last = &module->sites;

	for (struct spoor_probe_site *site = module->sites; site; site = site->next) {
		site->address += moved;
		site->leader = site;
		site->same = NULL;
		if (site->semaphore)
			site->semaphore = (uint16_t *)((uintptr_t)site->semaphore + moved);
		for (uint32_t i = 0; i < site->count; i++)
			if (site->relative >> i & 1)
				site->operands[i].number = (int64_t)((uint64_t)site->operands[i].number + moved);
		if (!site->obstacle && !spoor_probe_text_has(object, site->address))
			site->obstacle = SPOOR_PROBE_NOT_IN_TEXT;
		if (!site->obstacle && site->semaphore && !spoor_probe_data_has(object, (uintptr_t)site->semaphore))
			site->obstacle = SPOOR_PROBE_SEMAPHORE_NOT_IN_DATA;
		if (!site->obstacle && spoor_probe_table_has_equal(site)) {
			*last = site->next;
			continue;
		}
		if (!site->obstacle && !spoor_probe_table_add(site))
			site->obstacle = "out of memory";
		last = &site->next;
	}
	module->bias = object->dlpi_addr;
	module->loaded = true;
}

static void remove_sites(struct module *module)
{
	for (struct spoor_probe_site *site = module->sites; site; site = site->next) {
		if (site->probe.unregister)
			site->probe.unregister(&site->probe);
		site->probe.unregister = NULL;
		site->written = site->raised = false;
		spoor_probe_table_remove(site);
	}
	module->loaded = false;
}

/* Finds a closed module of the same file, or makes a new one. Returns null if there is no room. */
static struct module *module_new(const struct dl_phdr_info *object, const char *path, uint64_t identity,
				 const struct spoor_elf_file *file)
{
	struct module *module = modules;

	while (module && (module->loaded || module->identity != identity || strcmp(module->path, path) != 0 ||
			  strcmp(module->name, object->dlpi_name) != 0))
		module = module->next;
	if (module)
		return module;
	module = spoor_permanent_alloc(sizeof(*module));
	if (!module)
		return NULL;
	module->name = spoor_permanent_text(object->dlpi_name);
	module->path = spoor_permanent_text(path);
	if (!module->name || !module->path)
		return NULL;
	module->identity = identity;
	module->sites = file ? spoor_probe_sites_read(file, module->path) : NULL;
	module->next = modules;
	modules = module;
	return module;
}

static struct module *load(const struct dl_phdr_info *object)
{
	struct spoor_elf_file file;
	uint64_t identity = 0, bytes;
	struct module *module;
	char path[PATH_MAX];
	bool has_notes = false;

	if (spoor_object_path(object->dlpi_name, path) && spoor_elf_file_open(&file, path) == 0) {
		has_notes = spoor_elf_file_has_section(&file, STAPSDT_SECTION, &bytes);
		if (has_notes && !is_file_of(object, &file, &identity)) {
			spoor_warning("cannot record the tracepoints of %.500s: the file was replaced after it was "
				      "loaded; start the program again", path);
			has_notes = false;
			identity = 0;
		}
		if (!has_notes)
			spoor_elf_file_close(&file);
	}
	module = module_new(object, path, identity, has_notes ? &file : NULL);
	if (has_notes)
		spoor_elf_file_close(&file);
	if (module)
		place_sites(module, object);
	return module;
}

/* Writes a breakpoint into the function that the dynamic linker calls for debuggers after each change. */
static void watch_linker(const struct dl_phdr_info *object)
{
	static const struct r_debug *debug;
	uintptr_t address;

	if (!object->dlpi_name[0])
		debug = spoor_linker_debug(object);
	address = debug && !watched ? spoor_probe_text_return(object, debug->r_brk) : 0;
	if (!address)
		return;
	watched = address;
	spoor_probe_trap_linker(address, (const int *)&debug->r_state);
	if (!spoor_probe_text_watch(object, address, true))
		spoor_warning("tracepoints of libraries that are loaded later are not recorded: cannot set a "
			      "breakpoint in the dynamic loader");
}

struct following {
	bool debugged, allowed;
	long on;		/* tracepoints that were switched on */
};

static void warn_once(bool *told, const char *words)
{
	if (!*told)
		spoor_warning("%s", words);
	*told = true;
}

static void update_breakpoints(const struct dl_phdr_info *object, struct module *module, struct following *following)
{
	static bool warned_of_debugger, warned_of_text;
	bool any = false;
	int error;

	for (struct spoor_probe_site *site = module->sites; site; site = site->next) {
		if (!site->obstacle && !site->probe.unregister)
			following->on += spoor_tracepoints_add(&site->probe, module->path);
		any |= site->probe.record_many != NULL && !site->leader->written;
	}
	if (any && following->debugged) {
		warn_once(&warned_of_debugger, "tracepoints that need breakpoints are not recorded: a debugger is "
					     "attached to this process, and would stop at each breakpoint");
	} else if (any && !following->allowed) {
		warn_once(&warned_of_text, "tracepoints that need breakpoints are not recorded: the system does not "
			  "allow this process to change its text");
	} else {
		error = spoor_probe_text_switch(object, module->sites);
		if (error < 0 && !module->told)
			spoor_warning("cannot make the text of %.500s writable: %s; its tracepoints are not recorded",
				      module->path, strerror(-error));
		module->told |= error < 0;
	}
	for (struct spoor_probe_site *site = module->sites; site; site = site->next)
		if (site->obstacle || site->leader->occupied)
			warn_obstacle(module, site);
}

static struct module *find_module(const struct dl_phdr_info *object)
{
	struct module *module = modules;

	while (module && !(module->loaded && module->bias == object->dlpi_addr &&
			   strcmp(module->name, object->dlpi_name) == 0))
		module = module->next;
	return module;
}

static int mark_loaded(struct dl_phdr_info *object, size_t size, void *unused)
{
	struct module *module = find_module(object);

	(void)size;
	(void)unused;
	if (module)
		module->look = look;
	return 0;
}

static int follow_object(struct dl_phdr_info *object, size_t size, void *argument)
{
	struct following *following = argument;
	struct module *module = find_module(object);

	(void)size;
	if (!module)
		module = load(object);
	if (module)
		update_breakpoints(object, module, following);
	if (following->allowed && !following->debugged)
		watch_linker(object);
	return 0;
}

/* Runs under the dynamic linker's lock, which is recursive; the registry's lock nests in it. So no module is
 * unmapped meanwhile. */
static int follow_all(struct dl_phdr_info *unused, size_t size, void *following)
{
	(void)unused;
	(void)size;
	spoor_registry_lock();
	look++;
	dl_iterate_phdr(mark_loaded, NULL);
	for (struct module *module = modules; module; module = module->next)
		if (module->loaded && module->look != look)
			remove_sites(module);
	dl_iterate_phdr(follow_object, following);
	spoor_registry_unlock();
	return 1;
}

static void follow_on_libc_stack(void *argument)
{
	struct following *following = argument;

	if (!spoor_probe_trap_begin())
		return;
	spoor_registry_lock();
	following->allowed = spoor_patch_is_allowed();
	spoor_registry_unlock();
	following->debugged = is_debugged();
	dl_iterate_phdr(follow_all, following);
}

long spoor_probes_follow(void)
{
	struct following following = { 0 };

	if (spoor_tracepoints_are_used() && !spoor_process_is_ending())
		spoor_libc_stack_call(follow_on_libc_stack, &following);
	return following.on;
}

static int unwatch(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (!watched || !spoor_probe_segment_of(object, watched))
		return 0;
	if (spoor_probe_text_watch(object, watched, false))
		watched = 0;
	return 1;
}

static void stop_on_libc_stack(void *following)
{
	dl_iterate_phdr(follow_all, following);
	dl_iterate_phdr(unwatch, NULL);
}

void spoor_probes_stop(void)
{
	struct following following = { .allowed = true };

	if (spoor_probe_guard_is_late() && !spoor_process_is_ending())
		spoor_libc_stack_call(stop_on_libc_stack, &following);
}

static void leave_on_libc_stack(void *result)
{
	bool written = watched;

	spoor_registry_lock();
	for (const struct module *module = modules; module; module = module->next)
		for (const struct spoor_probe_site *site = module->sites; module->loaded && site; site = site->next)
			written |= site->written;
	spoor_registry_unlock();
	*(bool *)result = !written;
	if (!written)
		spoor_probe_guard_end();
}

bool spoor_probes_leave(void)
{
	bool result = true;

	if (spoor_probe_guard_is_late())
		spoor_libc_stack_call(leave_on_libc_stack, &result);
	return result;
}
