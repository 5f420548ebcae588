#!/bin/sh
# SPDX-License-Identifier: MIT
# compiler_cache.sh - "ccache spoor-cc" gives the same results as spoor-cc: earlier results come from the cache, but
# not with other options of spoor or another plugin.
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

# hits - prints the number of cache hits so far.
hits()
{
	ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { n += $2 } END { print n + 0 }'
}

# cached OUTPUT HITS COMPILER FLAGS... - compiles, and checks that HITS results came from the cache in total.
cached()
{
	output=$1 expected=$2
	shift 2
	ccache "$@" -O1 -c unit.c -o "$output"
	[ "$(hits)" = "$expected" ] || fail "$*: $(hits) results came from the cache instead of $expected"
}

"$driver_c" -O1 -c unit.c -o direct.o
"$driver_c" -fno-spoor -O1 -c unit.c -o plain.o
cached first.o 0 "$driver_c"
cached again.o 1 "$driver_c"
cached plain_first.o 1 "$driver_c" -fno-spoor
cached plain_again.o 2 "$driver_c" -fno-spoor
for object in first again; do
	cmp direct.o $object.o || fail "$object.o from the cache differs from direct.o (see above)"
done
for object in plain_first plain_again; do
	cmp plain.o $object.o || fail "$object.o from the cache differs with -fno-spoor (see above)"
done
! cmp -s direct.o plain.o || fail "-fno-spoor does not change the object file"

# The driver contains a checksum of its plugin.
stamp=$(cksum < "$top_builddir/pass/.libs/libspoor_instrumentation.so")
grep -q "spoor plugin $stamp" "$driver_c" || fail "$driver_c has another checksum than the plugin: $stamp"
grep -q "spoor plugin $stamp" "$driver_cxx" || fail "$driver_cxx has another checksum than the plugin: $stamp"
