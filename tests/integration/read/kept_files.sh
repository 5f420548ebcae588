#!/bin/sh
# SPDX-License-Identifier: MIT
# kept_files.sh - the file that a command will replace stays unchanged until the new file is complete, for each
# command and format: without a trace, or on a full disk. Then the file is replaced and keeps its mode.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

echo 'int part(int v) { return v + 1; } int main(void) { return part(1) - 2; }' > short.c
traced_cc -g -o short short.c
"$spoor" record -q -o t ./short || fail "the recorded program ended with status $?"
"$spoor" record -q -o ordered --mode order ./short || fail "the program recorded in mode order ended with status $?"
"$spoor" symbols --format=spoor -o described short
mkdir empty
echo junk > junk

# alone - checks that no other file was left.
alone()
{
	equal "files after $command" "$(ls place)" kept
}

mkdir place
while read -r command; do
	good=t
	case $command in
	order) good=ordered ;;
	symbols*) good=described ;;
	tracepoints*) good=short ;;
	esac
	for bad in nowhere empty junk; do
		echo kept > place/kept
		status=0
		# shellcheck disable=SC2086
		"$spoor" $command -o place/kept $bad > out 2> err || status=$?
		[ "$status" != 0 ] || fail "$command of $bad succeeded: $(cat out err)"
		printf 'kept\n' | cmp -s - place/kept || fail "$command of $bad changed the existing file: $(cat err)"
		alone
		rm place/kept
		# shellcheck disable=SC2086
		"$spoor" $command -o place/kept $bad > out 2> err || :
		[ ! -e place/kept ] || fail "$command of $bad made a file: $(cat err)"
	done
	# A process or thread that does not exist gives no document.
	case $command in
	flame* | graph* | view* | export*)
		for none in "--process 1" "--thread 1"; do
			echo kept > place/kept
			status=0
			# shellcheck disable=SC2086
			"$spoor" $command $none -o place/kept t > out 2> err || status=$?
			equal "the status of $command $none: $(cat err)" "$status" 1
			printf 'kept\n' | cmp -s - place/kept ||
				fail "$command $none changed the existing file: $(cat err)"
			alone
		done ;;
	esac
	echo kept > place/kept
	chmod 640 place/kept
	# shellcheck disable=SC2086
	"$spoor" $command -o place/kept $good > out 2> err || fail "$command failed: $(cat err)"
	if printf 'kept\n' | cmp -s - place/kept; then
		fail "$command did not replace the existing file: $(cat out err)"
	fi
	equal "mode after $command" "$(stat -c %a place/kept)" 640
	alone
	# A limit of the file size simulates a full disk.
	echo kept > place/kept
	status=0
	# shellcheck disable=SC2086
	(trap '' XFSZ; ulimit -f 0; exec "$spoor" $command -o place/kept $good 2>&1) | cat > out || status=$?
	printf 'kept\n' | cmp -s - place/kept || fail "$command on a full disk changed the existing file: $(cat out)"
	grep -q 'write\|written' out || fail "$command on a full disk does not name the write error: $(cat out)"
	alone
done <<'T'
order
flame
flame --format=folded
graph
graph --format=dot
filters --suggest
view
symbols
symbols --format=json
tracepoints list --format=csv
export --format=perfetto
export --format=chrome
export --format=speedscope
export --format=firefox
export --format=csv --flat
export --format=json --flat
export --format=rowbinary
export --format=folded
export --format=callgrind
export --format=pprof
T

# The target of a link is replaced, not the link; a file that is not regular is written to.
echo kept > place/kept
ln -s place/kept link
"$spoor" flame --format=folded -o link t 2> err || fail "writing through a link failed: $(cat err)"
[ -L link ] && grep -q '^main ' place/kept || fail "the link or its target is wrong: $(ls -l link) $(cat place/kept)"
mkfifo pipe
cat pipe > piped &
"$spoor" flame --format=folded -o pipe t 2> err || fail "writing to a pipe failed: $(cat err)"
wait
cmp -s piped place/kept || fail "the pipe got other contents: $(cat piped)"
