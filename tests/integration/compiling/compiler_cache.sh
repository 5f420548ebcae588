#!/bin/sh
# SPDX-License-Identifier: MIT
# compiler_cache.sh - "ccache spoor-cc" gives what spoor-cc gives: what was compiled
# before comes from the cache, but not across our options, nor from another plugin.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
command -v ccache > /dev/null || { echo "there is no ccache"; exit 77; }
work_folder compiler_cache
CCACHE_DIR=$PWD/cache
CCACHE_CONFIGPATH=$PWD/none
CCACHE_NODISABLE=1
export CCACHE_DIR CCACHE_CONFIGPATH CCACHE_NODISABLE
unset CCACHE_DISABLE SPOOR_CC SPOOR_CXX
echo 'int f(int x) { return x + 1; }' > unit.c

# hits - how many came from the cache so far.
hits()
{
	ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { n += $2 } END { print n + 0 }'
}

# cached OUTPUT HITS COMPILER FLAGS... - compiles; HITS in all came from the cache by then.
cached()
{
	output=$1 expected=$2
	shift 2
	ccache "$@" -O1 -c unit.c -o "$output"
	[ "$(hits)" = "$expected" ] || fail "$*: $(hits) from the cache instead of $expected"
}

"$driver_c" -O1 -c unit.c -o direct.o
"$driver_c" -fno-spoor -O1 -c unit.c -o plain.o
cached first.o 0 "$driver_c"
cached again.o 1 "$driver_c"
cached plain_first.o 1 "$driver_c" -fno-spoor
cached plain_again.o 2 "$driver_c" -fno-spoor
for object in first again; do
	cmp direct.o $object.o || fail "the cache gives something else"
done
for object in plain_first plain_again; do
	cmp plain.o $object.o || fail "the cache gives something else with -fno-spoor"
done
! cmp -s direct.o plain.o || fail "-fno-spoor changes nothing"

# The driver's file says which plugin it goes with.
stamp=$(cksum < "$top_builddir/pass/.libs/libspoor_instrumentation.so")
grep -q "spoor plugin $stamp" "$driver_c" || fail "the driver's file is not in step with the plugin"
grep -q "spoor plugin $stamp" "$driver_cxx" || fail "the C++ driver's file is not in step with the plugin"
