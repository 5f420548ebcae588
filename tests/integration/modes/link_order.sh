#!/bin/sh
# SPDX-License-Identifier: MIT
# link_order.sh - the commands of doc/link-order.md, one after the other: what they make of the demo does
# what it did, and its functions of the start lie together.
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

# What stands between ```sh and ```.
awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$top_srcdir/doc/link-order.md" > commands
[ "$(grep -c '^spoor\|^make' commands)" = 5 ] || fail "other commands than were known: $(cat commands)"
export data
sh -eux commands > out 2> err || fail "$(tail -n 20 err)"

recorded/demo "$data" > recorded.out
ordered/demo "$data" > ordered.out
sed 's/[0-9.]* m\{0,1\}s\b//g' recorded.out > wanted
sed 's/[0-9.]* m\{0,1\}s\b//g' ordered.out | diff wanted - || fail "the new build does otherwise"
# libcompress.so: the first functions of the order stand next to each other, in its order.
nm -n --defined-only ordered/libcompress.so | awk '$2 ~ /[tTwW]/ { print $3 }' > laid
awk 'NR == FNR { laid[$1] = NR; next } $1 in laid { print laid[$1] }' laid orders/libcompress.so.order > places
[ "$(wc -l < places)" -ge 10 ] || fail "few functions of the order are there: $(cat orders/libcompress.so.order)"
sort -n places | cmp - places || fail "they are in another order: $(tr '\n' ' ' < places)"
grep -q 'pages of text have functions of the order now' err || fail "no pages: $(tail -n 3 err)"
