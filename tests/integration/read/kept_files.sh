#!/bin/sh
# SPDX-License-Identifier: MIT
# kept_files.sh - a file that a command is to replace stays as it was, by each command and format, until the new one
# is whole: without a trace, on a full disk; then it is replaced, with its mode.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

echo 'int part(int v) { return v + 1; } int main(void) { return part(1) - 2; }' > short.c
traced_cc -g -o short short.c
"$spoor" record -q -o t ./short || fail "the program's status is $?"
"$spoor" record -q -o ordered --mode order ./short || fail "the program's status is $?"
"$spoor" symbols --format=spoor -o described short
mkdir empty
echo junk > junk

# alone - no other file was left behind.
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
		[ "$status" != 0 ] || fail "$command of $bad says nothing"
		printf 'kept\n' | cmp -s - place/kept || fail "$command of $bad: $(cat err)"
		alone
		rm place/kept
		# shellcheck disable=SC2086
		"$spoor" $command -o place/kept $bad > out 2> err || :
		[ ! -e place/kept ] || fail "$command of $bad makes a file: $(cat err)"
	done
	# Of a process or a thread that is not there no document is made either.
	case $command in
	flame* | graph* | view* | export*)
		for none in "--process 1" "--thread 1"; do
			echo kept > place/kept
			status=0
			# shellcheck disable=SC2086
			"$spoor" $command $none -o place/kept t > out 2> err || status=$?
			equal "the status of $command $none: $(cat err)" "$status" 1
			printf 'kept\n' | cmp -s - place/kept || fail "$command $none: $(cat err)"
			alone
		done ;;
	esac
	echo kept > place/kept
	chmod 640 place/kept
	# shellcheck disable=SC2086
	"$spoor" $command -o place/kept $good > out 2> err || fail "$command: $(cat err)"
	if printf 'kept\n' | cmp -s - place/kept; then
		fail "$command did not replace its file"
	fi
	equal "mode after $command" "$(stat -c %a place/kept)" 640
	alone
	# No byte more than there are may be written: the limit is the disk's stand-in.
	echo kept > place/kept
	status=0
	# shellcheck disable=SC2086
	(trap '' XFSZ; ulimit -f 0; exec "$spoor" $command -o place/kept $good 2>&1) | cat > out || status=$?
	printf 'kept\n' | cmp -s - place/kept || fail "$command with a full disk: $(cat out)"
	grep -q 'write\|written' out || fail "$command with a full disk says $(cat out)"
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
export --format=csv
export --format=json
export --format=rowbinary
export --format=folded
export --format=callgrind
export --format=pprof
T

# What a link leads to is replaced, not the link; what is no file is written to.
echo kept > place/kept
ln -s place/kept link
"$spoor" flame --format=folded -o link t 2> err || fail "a link: $(cat err)"
[ -L link ] && grep -q '^main ' place/kept || fail "a link: $(ls -l link) $(cat place/kept)"
mkfifo pipe
cat pipe > piped &
"$spoor" flame --format=folded -o pipe t 2> err || fail "a pipe: $(cat err)"
wait
cmp -s piped place/kept || fail "a pipe: $(cat piped)"
