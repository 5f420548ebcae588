#!/bin/sh
# SPDX-License-Identifier: MIT
# stored_names.sh - the end of a recording, or the first command that reads a trace, stores the names of functions in the
# trace: every command writes the same bytes after the program was built again. Tests children, an attached process,
# LD_PRELOAD, a recorder that is killed, a full disk, a trace that cannot be changed, damaged files, and several runs.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

# told TRACE FOLDER - writes the output of every reader to the folder.
told()
{
	mkdir -p "$2"
	for format in perfetto chrome csv json speedscope pprof callgrind; do
		"$spoor" export --format=$format -o "$2/$format" "$1" 2> "$2/$format.err" ||
			fail "spoor export --format=$format failed: $(cat "$2/$format.err")"
	done
	for command in replay report tree info graph "report --no-demangle --columns=all --format=csv" "flame --format=folded"; do
		# shellcheck disable=SC2086
		"$spoor" $command "$1" > "$2/$command" 2> "$2/$command.err" || fail "spoor $command failed: $(cat "$2/$command.err")"
	done
	"$spoor" flame -o "$2/flame.svg" "$1" 2> "$2/flame.err" || fail "spoor flame failed: $(cat "$2/flame.err")"
	"$spoor" flame --diff other -o "$2/diff.svg" "$1" 2> "$2/diff.err" || fail "spoor flame --diff failed: $(cat "$2/diff.err")"
	"$spoor" view -o "$2/view.html" "$1" 2> "$2/view.err" || fail "spoor view failed: $(cat "$2/view.err")"
}

# A program and a library with many functions that are not called. CHANGE is another build.
cat > part.cc <<'C'
#include <vector>
#ifdef CHANGE
int added_before(int value) { return value * 5; }
#endif
namespace part {
__attribute__((noinline)) int inner(int value) { return value + 1; }
__attribute__((noinline)) int inner(const std::vector<int> &values) { return (int)values.size(); }
__attribute__((noinline)) int never_called(int value) { return value - 1; }
}
extern "C" int outer(int value) { return part::inner(value) + part::inner(std::vector<int>(3)) + 2; }
C
echo 'int alone(void) { return 0; } int lonely(void) { return 1; }' > unused.c
cat > whole.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int outer(int);
#ifdef CHANGE
int changed(void) { return 1; }
#endif
__attribute__((noinline)) int in_child(int value) { return outer(value); }
__attribute__((noinline)) int only_in_second_run(int value) { return outer(value); }
int main(int argc, char **argv)
{
	int status = 0, result = outer(argc);

	if (argc > 1 && strcmp(argv[1], "wait") == 0) {
		close(1);
		while (read(0, &status, 1) > 0)
			result += outer(1);
	} else if (argc > 1 && strcmp(argv[1], "second") == 0) {
		result += only_in_second_run(1);
	} else if (argc > 1 && strcmp(argv[1], "fill") == 0) {
		char command[4096];

		snprintf(command, sizeof(command), "head -c 100000000 /dev/zero > '%s' 2> /dev/null", argv[2]);
		if (system(command) < 0)
			return 1;
	} else if (fork() == 0) {
		_exit(in_child(1) == 0);
	} else {
		wait(&status);
	}
	return status + result == 0;
}
C
# build [FLAG...] - builds or replaces the files.
build()
{
	mkdir -p files
	traced_cxx -O1 -fPIC -shared "$@" -o files/libpart.so part.cc
	traced_cc -O1 -fPIC -shared "$@" -o files/libunused.so unused.c
	traced_cc -O1 "$@" -o files/whole whole.c -Lfiles -lpart -Wl,--no-as-needed -lunused -Wl,-rpath,"$work/files"
}
build_id()
{
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}
build
"$spoor" record -q -o other files/whole || fail "the recorded program ended with status $?"
"$spoor" record -o t files/whole 2> err || fail "the recorded program ended with status $?"
silent err
part=$(build_id files/libpart.so)
whole=$(build_id files/whole)
equal "stored" "$(ls t/symbols)" "$(printf '%s\n' "$part" "$whole" | sort)"
equal "modes" "$(stat -c %a t/symbols t/symbols/* | sort -u)" "$(printf '600\n700')"
for name in never_called added_before only_in_second_run; do
	! grep -q $name t/symbols/* || fail "the trace has the name of $name, which does not occur"
done
grep -q in_child "t/symbols/$whole" || fail "the trace lacks the name of a function of the child"

cp -r t fresh
"$spoor" record -q --no-symbols -o unstored files/whole || fail "the recorded program ended with status $?"
SPOOR_RUNTIME_TRACE_PATH=preloaded LD_PRELOAD=$libspoor files/whole
SPOOR_RUNTIME_TRACE_PATH=unread LD_PRELOAD=$libspoor files/whole
"$spoor" report preloaded > first 2> err || fail "spoor report failed: $(cat err)"
[ ! -s err ] || fail "storing names printed: $(cat err)"
equal "stored by the first reader" "$(ls preloaded/symbols | wc -l)" 3

# A recorder that is killed, while and after the program runs.
mkfifo fifo
"$spoor" record -q -o killed files/whole wait < fifo &
recorder=$!
exec 3> fifo
printf x >&3
awaited "the recording" sh -c 'ls killed/[0-9]*/events.spoor > ls.out 2>&1'
awaited "events" sh -c '"$0" ctl "$(basename killed/[0-9]*)" flush > flush.out 2>&1
	SPOOR_NO_SYMBOLS=1 "$0" report killed 2> err | grep -q outer' "$spoor"
kill -9 $recorder
exec 3>&-
wait $recorder 2> /dev/null || :
awaited "the end of the program" sh -c '! kill -0 "$(basename killed/[0-9]*)" 2> kill.out'
"$spoor" report killed > killed.first 2> err || :
grep -q 'outer' killed.first || fail "the trace of a killed recorder has no names: $(cat killed.first err)"

# An attached process.
files/whole wait < fifo &
victim=$!
exec 3> fifo
printf x >&3
awaited "the victim" has_begun $victim whole
"$spoor" record -q -o attached --pid $victim --duration 2 2> err &
recorder=$!
awaited "the attachment" sh -c "printf x >&3; ls attached/[0-9]*/events.spoor > ls.out 2>&1"
for i in 1 2 3 4 5 6 7 8 9; do printf x >&3; sleep 0.1; done
wait $recorder || fail "spoor record --pid failed: $(cat err)"
exec 3>&-
wait $victim || :
[ -e "attached/symbols/$part" ] || fail "the trace of an attached process has no names: $(ls attached)"

told t before
told preloaded preloaded.before
"$spoor" report attached > attached.before 2> err
grep -q 'part::inner' attached.before || fail "the report of the attached process has no names: $(cat attached.before err)"
for name in in_child outer 'part::inner'; do
	grep -q "$name" before/replay || fail "the trace has no function $name: $(cat before/replay)"
done

# Built again.
cp -r files first_build
build -DCHANGE
[ "$(build_id files/whole)" != "$whole" ] || fail "the change made no other build"
told t after
diff -r before after > diff.out || fail "after another build the output differs: $(cat diff.out)"
told preloaded preloaded.after
diff -r preloaded.before preloaded.after || fail "LD_PRELOAD: after another build the output differs (see above)"
"$spoor" report attached 2> err | diff attached.before - || fail "attached: the report differs (see above): $(cat err)"
"$spoor" report killed 2> err | diff killed.first - || fail "killed: the report differs (see above): $(cat err)"
"$spoor" report unread 2> err | grep -q 'mismatch' || fail "a trace that no command had read has names"
grep -q 'is not the file that was traced' err || fail "there is no message about another build: $(cat err)"
"$spoor" record -q -o u files/whole || fail "the recorded program ended with status $?"
"$spoor" report --diff t u > diff.out 2> err || fail "spoor report --diff failed: $(cat err)"
grep -q 'in_child' diff.out && ! grep -q 'mismatch' diff.out err || fail "the comparison lacks names: $(cat diff.out err)"

# Turned off, by an option and by the environment.
"$spoor" report unstored 2> err | grep -q 'mismatch' || fail "--no-symbols: the report has names: $(cat err)"
build
"$spoor" report unstored 2> err | grep -q 'in_child' || fail "--no-symbols: the original gives no names: $(cat err)"
equal "stored with --no-symbols" "$(ls unstored/symbols)" off
SPOOR_NO_SYMBOLS=1 "$spoor" record -q -o unstored files/whole
SPOOR_NO_SYMBOLS=1 "$spoor" report unstored > report 2> err
equal "stored with SPOOR_NO_SYMBOLS" "$(ls unstored/symbols)" off

# Names that a trace does not store, here of functions in another run in the same directory, come from the original.
SPOOR_RUNTIME_TRACE_PATH=fresh LD_PRELOAD=$libspoor files/whole second
"$spoor" report --run 2 fresh > report 2> err || fail "spoor report --run failed: $(cat err)"
[ ! -s err ] || fail "spoor report --run printed: $(cat err)"
grep -q only_in_second_run report || fail "a function that is not stored has no name: $(cat report)"
! grep -q in_child report || fail "--run 2 shows functions of run 1: $(cat report)"
"$spoor" report --run last fresh 2> err | diff report - || fail "--run last is not run 2 (see above)"
for command in report replay tree info graph "flame --format=folded" "export --format=csv" view doctor pack; do
	# shellcheck disable=SC2086
	"$spoor" $command $([ "$command" != view ] || echo -o view.html) fresh > out 2> err || :
	grep -q 'fresh: 2 runs, .*choose with --run 1 to --run 2' out err || fail "spoor $command does not name the runs: $(cat err)"
	# shellcheck disable=SC2086
	"$spoor" $command --run 1 $([ "$command" != view ] || echo -o view.html) fresh > out 2> err || fail "spoor $command --run 1: $(cat err)"
	! grep -q '2 runs' out err || fail "spoor $command --run 1 names the runs: $(cat err)"
done
"$spoor" info fresh 2> err | grep '^  run' | sort | uniq -c | sed 's/  */ /g' > runs
equal "the runs of three processes" "$(cat runs)" "$(printf ' 2 run 1 of 2\n 1 run 2 of 2')"
for wrong in 0 3 x ''; do
	status=0
	"$spoor" report --run "$wrong" fresh > out 2> err || status=$?
	equal "status of --run '$wrong'" "$status" "$([ "$wrong" = 3 ] && echo 1 || echo 2)"
	grep -q -- 'run' err || fail "--run '$wrong': there is no message"
done

# Damaged files give no names, and the original is used.
build
cp -r t damaged
for damage in cut flipped empty longer; do
	cp "t/symbols/$part" "damaged/symbols/$part"
	case $damage in
	cut) truncate -s -30 "damaged/symbols/$part" ;;
	flipped) printf '\377' | dd of="damaged/symbols/$part" bs=1 seek=200 conv=notrunc 2> dd.err ;;
	empty) : > "damaged/symbols/$part" ;;
	longer) printf x >> "damaged/symbols/$part" ;;
	esac
	"$spoor" report damaged > damaged.report 2> err || fail "$damage: spoor report failed: $(cat err)"
	diff before/report damaged.report || fail "$damage: the original gives other names (see above)"
	cp "t/symbols/$part" "damaged/symbols/$part"
done

# A trace that cannot be changed, and a full disk. Root needs a file system for that.
[ "$(id -u)" = 0 ] || exit 0
mkdir small
mount -t tmpfs -o size=8m,mode=755 spoor-test small || exit 0
trap 'umount small' EXIT
"$spoor" record -o small/t files/whole fill small/filler > out 2> err || fail "the program on a full disk ended with status $?"
grep -q "small/t: the names of functions are not stored in the trace: No space left on device; 'spoor pack'" err ||
	fail "there is no message about the full disk: $(cat err)"
equal "left on a full disk" "$(find small/t/symbols -type f | wc -l)" 0
"$spoor" report small/t > full.report 2> err || fail "spoor report on a full disk failed: $(cat err)"
[ ! -s err ] && grep -q outer full.report || fail "the report on a full disk: $(cat err full.report)"
rm small/filler
"$spoor" pack small/t 2> err || fail "spoor pack failed: $(cat err)"
SPOOR_RUNTIME_TRACE_PATH=small/read_only LD_PRELOAD=$libspoor files/whole
mount -o remount,ro small
"$spoor" report small/read_only > report 2> err || fail "spoor report of a read-only trace failed: $(cat err)"
[ ! -s err ] && grep -q outer report && [ ! -e small/read_only/symbols ] || fail "the report of a read-only trace: $(cat err report)"

# Root stores names as the owner of the trace.
cp -r t owned
rm -r owned/symbols
chown -R 65534 owned
chmod 755 files .
"$spoor" report owned > report 2> err
[ ! -e owned/symbols ] || equal "the owner of stored names" "$(stat -c %u owned/symbols owned/symbols/* | sort -u)" 65534
