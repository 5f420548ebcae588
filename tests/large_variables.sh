#!/bin/sh
# SPDX-License-Identifier: MIT
# large_variables.sh - each zeroed variable of the runtime of 4 KB or more is in the section of large variables
# (libspoor/base/large.h), and the linker placed it after all small ones.
set -eu

name=large_variables
library=$top_builddir/libspoor/.libs/libspoor.so

fail()
{
	echo "$name: $*" >&2
	exit 1
}

if [ "${SPOOR_SANITIZERS-no}" != no ]; then
	echo "$name: skipped: under sanitizers, large variables have no section of their own"
	exit 77
fi

# "ADDRESS SIZE SECTION NAME" of each zeroed variable.
variables()
{
	objdump -t "$1" | sed -n 's/^\([0-9a-f]*\) .* \(\.bss[^	 ]*\)	\([0-9a-f]*\) \(.*\)$/\1 \3 \2 \4/p'
}

objects=$(variables "$top_builddir/libspoor/.libs/libruntime.a")
[ "$(echo "$objects" | grep -c '\.bss\.large ')" -ge 20 ] || fail "found no large variables in libruntime.a"
wrong=$(echo "$objects" | awk '$3 == ".bss" && $2 ~ /[1-9a-f][0-9a-f]*[0-9a-f][0-9a-f][0-9a-f]$/ { print $NF }')
[ -z "$wrong" ] || fail "large, and without SPOOR_LARGE: $wrong"

case $(readelf -p .comment "$library") in
*LLD* | *mold*)
	echo "$name: skipped: the linker does not sort sections"
	exit 77 ;;
esac
order=$(variables "$library" | LC_ALL=C sort | awk '
	$2 ~ /[1-9a-f][0-9a-f]*[0-9a-f][0-9a-f][0-9a-f]$/ { large++; next }
	$2 !~ /^0*$/ { small++; if (large) after = after " " $NF }
	END { print large + 0, small + 0, after }')
case $order in
0\ * | *\ 0\ *) fail "found no variables in libspoor.so: $order" ;;
*\ *\ ?*) fail "large and small variables, and the small ones after a large one: $order" ;;
esac
