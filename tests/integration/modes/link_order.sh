#!/bin/sh
# SPDX-License-Identifier: MIT
# link_order.sh - runs the commands of doc/link-order.md one after the other: the reordered demo behaves the same, and
# its start-up functions are adjacent.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
PATH=$top_builddir/tools:$SPOOR_DRIVERS:$LLVM_BINDIR:$PATH
export PATH
data=$work/data
mkdir "$data" recorded ordered
cp "$top_srcdir"/libspoor/*/*.c "$data"
cp -R "$top_srcdir/tests/programs/demo" demo
chmod -R u+w demo
cp demo/Makefile .

# Extracts the lines between ```sh and ```.
awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$top_srcdir/doc/link-order.md" > commands
[ "$(grep -c '^spoor\|^make' commands)" = 5 ] ||
	fail "doc/link-order.md has other commands than five of spoor and make: $(cat commands)"
export data
sh -eux commands > out 2> err || fail "the commands of doc/link-order.md failed: $(tail -n 20 err)"

recorded/demo "$data" > recorded.out
ordered/demo "$data" > ordered.out
sed 's/[0-9.]* m\{0,1\}s\b//g' recorded.out > wanted
sed 's/[0-9.]* m\{0,1\}s\b//g' ordered.out | diff wanted - ||
	fail "the reordered demo prints other results (see above)"
# libcompress.so: the first functions of the order are adjacent and in order.
nm -n --defined-only ordered/libcompress.so | awk '$2 ~ /[tTwW]/ { print $3 }' > laid
awk 'NR == FNR { laid[$1] = NR; next } $1 in laid { print laid[$1] }' laid orders/libcompress.so.order > places
[ "$(wc -l < places)" -ge 10 ] ||
	fail "the library has only $(wc -l < places) functions of the order: $(cat orders/libcompress.so.order)"
sort -n places | cmp - places ||
	fail "the functions are not in the recorded order; their places: $(tr '\n' ' ' < places)"
grep -q 'pages of text have functions of the order now' err ||
	fail "spoor order does not report the pages: $(tail -n 3 err)"
