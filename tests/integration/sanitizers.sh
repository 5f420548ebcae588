#!/bin/sh
# SPDX-License-Identifier: MIT
# sanitizers.sh - programs built with clang's sanitizers are traced like others: none
# of them finds anything in what we do, and every call is there.
set -eu
. "$top_srcdir/tests/integration/life.sh"

for sanitizer in address thread undefined memory; do
	for victim in threads fork; do
		traced_cc -O1 -fsanitize=$sanitizer -o $victim "$victims/$victim.c" -pthread 2> cc.log ||
			fail "$sanitizer: $(cat cc.log)"
	done
	# Who is killed by what the machine's address layout does to sanitizers says so untraced.
	./threads many 8 1000 2> untraced.err || fail "$sanitizer: untraced: $(cat untraced.err)"
	for arguments in 'threads many 16 5000' 'threads short 200' 'fork plain'; do
		# shellcheck disable=SC2086
		traced trace timeout 60 ./$arguments > out 2> err || fail "$sanitizer: $arguments: status $?: $(cat err)"
		[ ! -s err ] || fail "$sanitizer: $arguments: $(cat err)"
		facts trace
		equal "$sanitizer: $arguments: lost" "$(lost trace)" 0
		case $arguments in
		*many*) calls_are trace leaf 80000 ;;
		*short*) calls_are trace leaf 800 ;;
		*plain*) calls_are trace leaf 2500 ;;
		esac
	done
done
