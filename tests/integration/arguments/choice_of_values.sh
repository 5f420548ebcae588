#!/bin/sh
# SPDX-License-Identifier: MIT
# choice_of_values.sh - the options, variables and keys choose functions whose arguments and results are stored; every
# choice without effect is reported with the reason; info and the exports show the values; other functions and
# programs without a choice have no values.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

cat > library.c << 'END'
int shared(int n, const char *text) { __asm__ volatile("" : : "r"(text)); return n + 1; }
END
cat > main.c << 'END'
int shared(int n, const char *text);
__attribute__((noinline)) int parse(int n, const char *text, double real)
{
	__asm__ volatile("" : : "r"(text));
	return n * 2 + (int)real + shared(n, text);
}
__attribute__((noinline)) void nothing(void) { __asm__ volatile(""); }
__attribute__((noinline)) int strange(int n) { __asm__ volatile("" : "+r"(n)); return n; }
static __attribute__((noinline)) int local(int n) { __asm__ volatile("" : "+r"(n)); return n; }
int main(int argc, char **argv)
{
	(void)argv;
	nothing();
	return parse(argc, "abc", 2.5) + strange(4) + local(5) > 0 ? 0 : 1;
}
END
traced_cc -fPIC -shared -o libshared.so library.c
traced_cc -o main main.c -L. -lshared -Wl,-rpath,"$PWD"

# shows TRACE TEXT - checks that a line of the replay has the text.
shows()
{
	"$spoor" replay --no-pager "$1" > replayed
	grep -qF -- "$2" replayed || fail "$1 does not show '$2': $(cat replayed)"
}

# The options.
"$spoor" record -q -o a --args 'parse(n:d,s:s)' --args 'libshared.so:*' --retval 'parse,local' ./main 2> err
silent err
shows a 'parse(n=1, s="abc") main {'
shows a '} parse() = 6'
shows a 'shared(n=1, text="abc")'
shows a 'local() = 5 main;'
shows a 'nothing() main;'
! grep -q 'shared(.*=.*) = ' replayed || fail "the result of shared was not wanted"
"$spoor" info a > told
grep -qx ' *parse main  arguments and result' told || fail "info does not tell of parse: $(cat told)"
grep -qx ' *shared libshared.so  arguments' told || fail "info does not tell of shared: $(cat told)"

# The exports.
"$spoor" export --format=csv --flat -o a.csv a
grep -q ',entry,parse,.*,"n=1, s=""abc"""$' a.csv || fail "csv: $(grep parse a.csv)"
grep -q ',exit,parse,.*,6$' a.csv || fail "csv: $(grep parse a.csv)"
"$spoor" export --format=json --flat -o a.json a
python3 - << 'END'
import json
with open("a.json", encoding="utf-8") as file:
    events = [event for event in json.load(file)["events"] if event.get("function") == "parse"]
assert events[0]["arguments"] == [{"name": "n", "value": "1"}, {"name": "s", "value": '"abc"'}], events
assert events[1]["result"] == [{"name": "result", "value": "6"}], events
END
"$spoor" export --format=chrome -o a.chrome a
python3 - << 'END'
import json
with open("a.chrome", encoding="utf-8") as file:
    calls = [event for event in json.load(file)["traceEvents"] if event["name"] == "parse"]
assert [call["args"] for call in calls] == [{"n": "1", "s": '"abc"', "result": "6"}], calls
END
"$spoor" export --format=perfetto -o a.perfetto a
grep -aq '"abc"' a.perfetto || fail "perfetto has no value"

# The same by the environment, from a file, in a ring, and at each event through the clock.
SPOOR_RUNTIME_ARGS='parse' SPOOR_RUNTIME_RETVAL='parse' traced b ./main
shows b 'parse(n=1, text="abc", real=2.5)'
printf 'args = "parse(:x)"\nretval = "parse(:x)"\nmode = "ring"\ntime_stamp_counter = false\n' > c.toml
SPOOR_RUNTIME_CONFIG_FILE=$PWD/c.toml traced c ./main
shows c 'parse(n=0x1) main {'
shows c '} parse() = 0x6'

# A later choice takes back; arguments are left out by their place.
"$spoor" record -q -o d --args '*,-parse,shared(,text:s)' ./main 2> err
silent err
shows d ' parse() main {'
shows d 'shared(text="abc") libshared.so'

# Without a choice there is nothing.
"$spoor" record -q -o e ./main 2> err
silent err
"$spoor" replay --no-pager e > replayed
! grep -q '=' replayed || fail "values without a choice: $(cat replayed)"
! "$spoor" info e | grep -q '^  values' || fail "info tells of values"

# Choices without effect.
status=0
"$spoor" record -q -o f --args 'nosuch,parse' --retval 'none*' ./main 2> err || status=$?
equal "status of patterns that match nothing" "$status" 2
grep -q -- "--args: no traced function of ./main matches 'nosuch'" err || fail "not said: $(cat err)"
"$spoor" record -q -o f --allow-empty --args 'nosuch,parse' --retval 'none*' ./main 2> err
grep -q "SPOOR_RUNTIME_ARGS: no traced function matches 'nosuch' in main" err || fail "not said: $(cat err)"
grep -q "SPOOR_RUNTIME_RETVAL: no traced function matches 'none\*' in main" err || fail "not said: $(cat err)"
equal "messages" "$(grep -c '^spoor: ' err)" 4
"$spoor" record -q -o g --retval nothing ./main 2> err
grep -q 'cannot capture all values of 1 function of .*/main: no result' err || fail "not said: $(cat err)"
"$spoor" record -q -o h --args 'parse(n:s)' ./main 2> err
grep -q "cannot capture all values of 1 function of .*/main: format 's' needs a pointer" err || fail "not said: $(cat err)"
for wrong in '' 'parse,' 'parse(n:q)' 'parse(n:d,a b)' '-parse(n:d)'; do
	status=0
	"$spoor" record -q -o i --args "$wrong" ./main 2> err || status=$?
	equal "status of --args '$wrong'" "$status" 2
	[ -z "$wrong" ] || { SPOOR_RUNTIME_ARGS=$wrong traced i ./main 2> err; grep -q 'SPOOR_RUNTIME_ARGS=' err || fail "'$wrong' is taken"; }
done
"$spoor" record -q -o i --mode count --args parse ./main 2> err && fail "--args with --mode count"
grep -q -- '--args and --retval' err || fail "not said: $(cat err)"

# Link-time optimisation may change functions that no other module can call.
traced_cc -flto -fuse-ld=lld -o linked main.c -L. -lshared -Wl,-rpath,"$PWD" 2> err || skip "no link-time optimisation here"
"$spoor" record -q -o j --args 'parse' ./linked 2> err
grep -q 'cannot capture .*: link-time optimisation may have changed' err || fail "not said: $(cat err)"
traced_cc -flto -fuse-ld=lld -Wl,--export-dynamic -o linked main.c -L. -lshared -Wl,-rpath,"$PWD"
"$spoor" record -q -o k --args 'parse(n:)' ./linked 2> err
silent err
shows k 'parse(n=1) linked {'

# A module without descriptions.
objcopy --remove-section .spoor_signatures main old
"$spoor" record -q -o l --args 'parse' ./old 2> err
grep -q 'cannot capture functions of .*/old: no descriptions of arguments' err || fail "not said: $(cat err)"
