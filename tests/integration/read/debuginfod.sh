#!/bin/sh
# SPDX-License-Identifier: MIT
# debuginfod.sh - names, places and whole files come from a server when that is asked for, and only
# then; what it does not have, and a server that does not answer, are said and ask nobody else.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
command -v debuginfod > /dev/null || skip "apt-get install debuginfod"

mkdir lib served
for name in first second; do
	cat > $name.c <<C
__attribute__((noinline)) static int hidden_$name(int value)
{
	return value + 1;
}
int known_$name(int value)
{
	return hidden_$name(value) + 2;
}
C
	traced_cc -O0 -fPIC -shared -o $name.so $name.c
	objcopy -R .spoor_symbols $name.so
	strip -o lib/lib$name.so $name.so
done
echo 'int known_first(int), known_second(int); int main(void) { return known_first(1) + known_second(1) - 8; }' > whole.c
traced_cc -O0 -o whole whole.c -Llib -lfirst -lsecond -Wl,-rpath,"$work/lib"
"$spoor" record -q -o t ./whole || fail "the program's status is $?"
build_id=$(readelf -n first.so | sed -n 's/.*Build ID: //p')
# It has the debug file of one, and that file itself.
objcopy --only-keep-debug first.so served/first.debug
cp lib/libfirst.so served/

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export DEBUGINFOD_URLS= DEBUGINFOD_CACHE_PATH="$work/cache" HOME="$work"
debuginfod -F -p "$port" -d :memory: served > server.log 2>&1 &
server=$!
trap 'kill $server 2> /dev/null || true' EXIT
DEBUGINFOD_URLS=http://127.0.0.1:$port
python3 - "$DEBUGINFOD_URLS/buildid/$build_id" <<'P' || skip "debuginfod does not serve here: $(tail -n 3 server.log)"
import sys, time, urllib.request
for what in ("debuginfo", "executable"):
    for attempt in range(300):
        try:
            urllib.request.urlopen(f"{sys.argv[1]}/{what}", timeout=5).read()
            break
        except OSError:
            time.sleep(0.1)
    else:
        sys.exit(1)
P

# Not asked, it is not asked.
"$spoor" report --format=csv t > out 2> err
! grep -q hidden out && [ ! -e cache ] && [ ! -s err ] || fail "it was asked: $(cat out err)"

"$spoor" report --format=csv --debuginfod t > out 2> err || fail "report: $(cat err)"
grep -q '^hidden_first,libfirst.so,' out || fail "no name: $(cat out err)"
grep -q '^libsecond.so+0x[0-9a-f]*,libsecond.so,' out || fail "the other one: $(cat out)"
equal "messages" "$(cat err)" "spoor: report: $work/lib/libsecond.so: no server that DEBUGINFOD_URLS names has its debug file; \
functions without a symbol are shown by address"
cmp -s "cache/$build_id/debuginfo" served/first.debug || fail "what it sent is not in the cache: $(ls -R cache)"
"$spoor" export --format=chrome --debuginfod t 2> err | grep -q 'first.c:2"' || fail "no place: $(cat err)"

# From the cache, without the server.
kill $server
wait $server 2> /dev/null || true
"$spoor" replay --debuginfod t 2> err | grep -q 'hidden_first() libfirst.so' || fail "not from the cache: $(cat err)"

# Another build of the file in the cache names nothing.
cp second.so "cache/$build_id/debuginfo" 2> /dev/null || { chmod u+w "cache/$build_id/debuginfo"; cp second.so "cache/$build_id/debuginfo"; }
"$spoor" report --format=csv --debuginfod t > out 2> err
! grep -q hidden out || fail "another build gave names: $(cat out)"
grep -q 'debuginfo: is not the debug file of .*: its build-id is another one' err || fail "another build: $(cat err)"

# Nobody there: said once.
rm -r cache
"$spoor" report --format=csv --debuginfod t > out 2> err || fail "without a server: $(cat err)"
equal "messages without a server" "$(grep -c 'debuginfod: .*; servers are not asked any more$' err)" 1
# One that never answers.
rm -rf cache
python3 -c '
import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(9)
print(s.getsockname()[1], flush=True)
time.sleep(600)' > deaf.port &
server=$!
while [ ! -s deaf.port ]; do sleep 0.1; done
DEBUGINFOD_URLS=http://127.0.0.1:$(cat deaf.port) DEBUGINFOD_TIMEOUT=1 "$spoor" report --format=csv --debuginfod t > out 2> err ||
	fail "with a deaf server: $(cat err)"
equal "messages with a deaf server" "$(grep -c . err)" 1
grep -q 'debuginfod: no answer in the time that DEBUGINFOD_TIMEOUT gives it (1 seconds)' err || fail "deaf: $(cat err)"
kill $server
