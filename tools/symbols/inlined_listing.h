/* SPDX-License-Identifier: MIT */
/* inlined_listing.h - spoor symbols --inlined: lists the calls that the compiler inlined. */
#ifndef SPOOR_TOOLS_SYMBOLS_INLINED_LISTING_H
#define SPOOR_TOOLS_SYMBOLS_INLINED_LISTING_H

/*
 * list_inlined - writes the inlined calls of some files.
 * @format: "text", "csv" or "json"
 * @path:   of the output; null: stdout
 *
 * Returns an exit status.
 */
int list_inlined(const char *format, const char *path, char **files, int count);

#endif
