#!/bin/sh
# SPDX-License-Identifier: MIT
# stub_library.sh - libspoor.so exports the functions of spoor.h, and those with which modules register. The stub
# library exports the same functions, for C and C++, shared and static; its functions do nothing, it needs no library,
# and it is small. libspoor.so in LD_PRELOAD replaces it.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

shared=$top_builddir/libspoor/stub/.libs/libspoor_stub.so
static=$top_builddir/libspoor/stub/libspoor_stub.a

# The compiler lists the functions that the header declares.
echo '#include "spoor.h"' > declared.c
"$clang" -I"$top_srcdir/libspoor/include" -fsyntax-only -Xclang -ast-dump=json declared.c > declared.json
python3 - > declared << 'END'
import json
for node in json.load(open("declared.json"))["inner"]:
    if node["kind"] == "FunctionDecl" and "spoor_" in node["name"]:
        print(node["name"])
END
LC_ALL=C sort -o declared declared
[ "$(wc -l < declared)" -ge 30 ] || fail "the header declares only $(wc -l < declared) functions"

nm -D --defined-only "$libspoor" | sed -n 's/.* T \([^@]*\).*/\1/p' | grep -vE '^spoor_(dso_register|objects|attachment)$|^__cyg_profile_func_' | LC_ALL=C sort > runtime
nm -D --defined-only "$shared" | sed -n 's/.* [A-Z] \([^@]*\).*/\1/p' | grep -v '^SPOOR_' | LC_ALL=C sort > stub.shared
nm --defined-only "$static" | sed -n 's/.* [A-Z] //p' | LC_ALL=C sort > stub.static
for exported in runtime stub.shared stub.static; do
	diff declared "$exported" || fail "the header (<) and $exported (>) have different functions (see above)"
done
equal "what the static stub asks for" "$(nm -u "$static" | grep -c ' U ')" 0
equal "libraries that the stub needs" "$(readelf -d "$shared" | grep -c NEEDED)" 0
# Without debug information, in which the folder's path stands.
for library in "$shared" "$static"; do
	"$LLVM_BINDIR/llvm-strip" --strip-debug -o stripped "$library"
	bytes=$(wc -c < stripped)
	[ "$bytes" -lt 10240 ] || fail "$library has $bytes bytes without debug information, and must have less than 10,240"
done

# Calls every function: from C with all warnings, and from C++.
cat > all.c << 'C'
#include <spoor.h>
#ifdef __cplusplus
#include <cstdio>
#include <cstring>
#else
#include <stdio.h>
#include <string.h>
#endif

static int called;
static void handler(uint64_t function_id, int event) { (void)function_id; (void)event; called++; }
static void flushed(int error, void *context) { (void)error; (void)context; called++; }
static void found(const char *path, uint64_t bytes, int64_t modified_s, void *context)
{
	(void)path; (void)bytes; (void)modified_s; (void)context; called++;
}

int main(void)
{
	uint64_t bytes = 7;
	char value[8] = "before";
	long sum = 0;

	if (!spoor_is_stub()) {
		puts("runtime");
		return spoor_log_event(SPOOR_USER_TYPE_FIRST, 1, 2) != 0;
	}
	_spoor_runtime_Initialize();
	_spoor_runtime_Enable();
	_spoor_runtime_LogFunctionEntry(1);
	_spoor_runtime_LogFunctionExit(1);
	_spoor_runtime_Disable();
	_spoor_runtime_Deinitialize();
	sum += spoor_initialize() + spoor_deinitialize() + spoor_log_event(SPOOR_USER_TYPE_FIRST, 1, 2);
	sum += spoor_log_event_at(1, SPOOR_USER_TYPE_FIRST, 1, 2) + spoor_log_function_entry(1);
	sum += spoor_log_function_exit(1) + spoor_name_event_type(SPOOR_USER_TYPE_FIRST, "x", SPOOR_PAYLOAD_NUMBER);
	sum += spoor_name_thread("x") + spoor_flush(-1) + spoor_flush_then(flushed, NULL) + spoor_clear();
	sum += spoor_trace_files(found, NULL) + spoor_trace_files_delete(0, &bytes);
	sum += spoor_configuration_get("mode", value, sizeof(value)) + spoor_set_handler(handler, 0);
	sum += spoor_enable() + spoor_disable() + spoor_functions_enable("*", "*") + spoor_functions_disable("*", "*");
	if (spoor_is_initialized() || spoor_is_enabled() || spoor_intern_string("x") || spoor_configuration_name(0) ||
	    bytes || value[0] || called)
		return 2;
	printf("stub %ld\n", sum);
	return 0;
}
C
cp all.c all.cc
"$clang" -std=c99 -Wall -Wextra -pedantic -Werror -I"$top_srcdir/libspoor/include" -c all.c -o all.o
"$clang"++ -std=c++98 -Wall -Wextra -Werror -Wno-long-long -I"$top_srcdir/libspoor/include" -c all.cc -o all_cc.o
"$clang" all.o -o with_shared "$shared" -Wl,-rpath,"${shared%/*}"
"$clang" all.o -o with_static "$static"
"$clang"++ all_cc.o -o with_shared_cc "$shared" -Wl,-rpath,"${shared%/*}"
wanted="stub $((-108 * 19))"
for program in with_shared with_static with_shared_cc; do
	equal "$program" "$(./$program)" "$wanted"
	[ ! -e spoor.trace ] || fail "$program left a trace: $(ls spoor.trace)"
done
for program in with_shared with_shared_cc; do
	rm -rf trace
	equal "$program under libspoor.so" "$(traced trace ./$program)" runtime
	facts trace
	equal "events of $program" "$(count trace user)" 1
done
