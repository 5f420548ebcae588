/* SPDX-License-Identifier: MIT */
/*
 * known_calls.c - finds a function in the shipped tables.
 *
 * A table is one text, so that libspoor.so has no relocations for it: for each function its name with a NUL, then a
 * description with a NUL. A description begins with \1, which no name contains, so a binary search can begin at any
 * byte. After \1 come the letter of the kind, a number, a space, and the signature (known_calls.h).
 */
#include "library_calls/known_calls.h"

#include <stdlib.h>
#include <string.h>

#include "text/pattern.h"

struct spoor_known_library {
	const char *sonames;	/* patterns */
	const char *text;
	size_t bytes;
};

#define MARK "\1"
#ifdef __x86_64__
#define CALL(name, x86_64, aarch64, signature) #name "\0" MARK "w" #x86_64 " " signature "\0"
#else
#define CALL(name, x86_64, aarch64, signature) #name "\0" MARK "w" #aarch64 " " signature "\0"
#endif
#define CALL_PRINTF(name, format, signature) #name "\0" MARK "p" #format " " signature "\0"
#define CALL_SCANF(name, format, signature) #name "\0" MARK "s" #format " " signature "\0"
#define CALL_UNTIMED(name, signature) #name "\0" MARK "u0 " signature "\0"
#define CALL_FORK(name, signature) #name "\0" MARK "f0 " signature "\0"
#define CALL_LEAVES(name, signature) #name "\0" MARK "j0 " signature "\0"
#define CALL_BY_CALLER(name, signature) #name "\0" MARK "c0 " signature "\0"
#define CALL_DLOPEN(name, signature) #name "\0" MARK "o0 " signature "\0"
#define CALL_DLCLOSE(name, signature) #name "\0" MARK "d0 " signature "\0"

static const char libc[] =
#include "library_calls/known_libc.def"
	;
static const char libm[] =
#include "library_calls/known_libm.def"
	;
static const char libstdcxx[] =
#include "library_calls/known_libstdcxx.def"
	;
static const char libz[] =
#include "library_calls/known_libz.def"
	;
static const char libcrypto[] =
#include "library_calls/known_libcrypto.def"
	;
static const char libcurl[] =
#include "library_calls/known_libcurl.def"
	;
static const char libsqlite3[] =
#include "library_calls/known_libsqlite3.def"
	;
static const char libexpat[] =
#include "library_calls/known_libexpat.def"
	;
static const char liblzma[] =
#include "library_calls/known_liblzma.def"
	;
static const char libbz2[] =
#include "library_calls/known_libbz2.def"
	;
static const char libreadline[] =
#include "library_calls/known_libreadline.def"
	;
static const char libmpi[] =
#include "library_calls/known_libmpi.def"
	;

#define TABLE(sonames, text) { sonames, text, sizeof(text) - 1 }

static const struct spoor_known_library libraries[] = {
	TABLE("libc.so.6,libpthread.so.0,libdl.so.2,librt.so.1,libcrypt.so.1,libresolv.so.2,libutil.so.1,libanl.so.1", libc),
	TABLE("libm.so.6", libm),
	TABLE("libstdc++.so.6,libc++.so.1,libc++abi.so.1", libstdcxx),
	TABLE("libz.so.1", libz),
	TABLE("libssl.so.3,libcrypto.so.3", libcrypto),
	TABLE("libcurl.so.4,libcurl-gnutls.so.4,libcurl-nss.so.4", libcurl),
	TABLE("libsqlite3.so.0", libsqlite3),
	TABLE("libexpat.so.1", libexpat),
	TABLE("liblzma.so.5", liblzma),
	TABLE("libbz2.so.1*", libbz2),
	TABLE("libreadline.so.8,libhistory.so.8", libreadline),
	TABLE("libmpi.so.*", libmpi),
};

const struct spoor_known_library *spoor_known_library(const char *soname)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		if (spoor_patterns_choose(libraries[i].sonames, &soname, 1))
			return &libraries[i];
	return NULL;
}

/* The begin of the name at, or before, the byte @at. */
static size_t name_before(const struct spoor_known_library *library, size_t at)
{
	const char *text = library->text;

	while (at && text[at - 1])
		at--;
	if (text[at] != MARK[0])
		return at;
	at--;
	while (at && text[at - 1])
		at--;
	return at;
}

static enum spoor_library_kind kind_of(char letter)
{
	static const char letters[] = { [SPOOR_LIBRARY_WORDS] = 'w', [SPOOR_LIBRARY_PRINTF] = 'p',
					[SPOOR_LIBRARY_SCANF] = 's', [SPOOR_LIBRARY_UNTIMED] = 'u', [SPOOR_LIBRARY_FORK] = 'f',
					[SPOOR_LIBRARY_LEAVES] = 'j', [SPOOR_LIBRARY_BY_CALLER] = 'c',
					[SPOOR_LIBRARY_DLOPEN] = 'o', [SPOOR_LIBRARY_DLCLOSE] = 'd' };

	return (enum spoor_library_kind)((const char *)memchr(letters, letter, sizeof(letters)) - letters);
}

bool spoor_known_call_find(const struct spoor_known_library *library, const char *name, struct spoor_known_call *call)
{
	size_t low = 0, high = library->bytes;

	while (low < high) {
		size_t at = name_before(library, low + (high - low) / 2);
		const char *known = library->text + at, *description = known + strlen(known) + 1;
		int order = strcmp(name, known);
		uint32_t number = (uint32_t)atoi(description + 2);

		if (order == 0) {
			*call = (struct spoor_known_call){ .kind = kind_of(description[1]),
							   .signature = strchr(description, ' ') + 1 };
			*(call->kind == SPOOR_LIBRARY_WORDS ? &call->words : &call->argument) = number;
			return true;
		}
		if (order < 0)
			high = at;
		else
			low = (size_t)(description + strlen(description) + 1 - library->text);
	}
	return false;
}
