/* SPDX-License-Identifier: MIT */
/* loader_list.h - asks the dynamic loader which libraries a program is linked with. */
#ifndef SPOOR_TOOLS_BASE_LOADER_LIST_H
#define SPOOR_TOOLS_BASE_LOADER_LIST_H

/*
 * loader_list - runs "LOADER --list PROGRAM", which does not run the program.
 * @environment: of the loader, with LD_PRELOAD and LD_LIBRARY_PATH
 * @met: receives each library and its path. Without a path the library was not found; without a name, the path is
 *       an error message of the loader.
 *
 * Returns 0, a positive errno if the loader cannot be run, or -1 if the loader failed.
 */
int loader_list(const char *loader, const char *program, char **environment,
		void (*met)(void *context, const char *name, const char *path), void *context);

#endif
