#!/bin/sh
# SPDX-License-Identifier: MIT
# breakpoints_long.sh - at least 95 % of the tracepoints in Debian's libc, libstdc++, libpython3.11, python3.11 and
# postgres get a breakpoint: the test reads the bytes of the running processes, and lists the others with their
# reasons. Meanwhile python and postgres work, and forked servers are recorded.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ "$(uname -m)" = x86_64 ] && [ -z "$emulated" ] || skip "the test needs Debian's programs for x86-64"
spoor=$top_builddir/tools/spoor
python=/usr/bin/python3.11
postgres=$(ls -d /usr/lib/postgresql/*/bin/postgres 2> /dev/null | tail -n 1)
libraries=/usr/lib/x86_64-linux-gnu
[ -x "$python" ] && [ -e $libraries/libpython3.11.so.1.0 ] || skip "python3.11 and libpython3.11 are not installed"
[ -n "$postgres" ] || skip "postgresql is not installed"

# For each note that readelf shows, tells whether the process has a breakpoint there.
cat > bytes.py <<'END'
import os, re, subprocess, sys
pid, error_file, files = sys.argv[1], sys.argv[2], sys.argv[3:]
for file in files:
    real = os.path.realpath(file)
    begins = [int(l.split("-")[0], 16) for l in open(f"/proc/{pid}/maps") if l.rstrip().endswith(real)]
    header = subprocess.run(["readelf", "-hW", file], capture_output=True, text=True).stdout
    bias = 0 if " EXEC " in header else min(begins)
    notes = subprocess.run(["readelf", "-nW", file], capture_output=True, text=True).stdout
    places = [int(x, 16) for x in re.findall(r"Location: (0x[0-9a-f]+)", notes)]
    with open(f"/proc/{pid}/mem", "rb") as memory:
        for place in places:
            memory.seek(bias + place)
            attached = memory.read(1) == b"\xcc"
            reason = re.search(r".* at %#x of [^:]*: (.*)" % place, open(error_file).read())
            print(os.path.basename(file), hex(place), "yes" if attached else "no: " + (reason[1] if reason else "unsaid"))
END

cat > work.py <<'END'
import ctypes, subprocess, sys
for library in sys.argv[2:4]:
    ctypes.CDLL(library)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
print(fibonacci(12))
import os
subprocess.run([sys.executable, "-E", "bytes.py", str(os.getpid()), "err", sys.executable, *sys.argv[2:]],
               stdout=open(sys.argv[1], "w"), env={"PATH": os.environ["PATH"]}, check=True)
END
"$spoor" record -q -o t --tracepoint '*' "$python" work.py in_python $libraries/libpython3.11.so.1.0 $libraries/libstdc++.so.6 \
	$libraries/libc.so.6 > printed 2> err || fail "recording python failed: $(tail -n 3 err)"
equal "python's work" "$(cat printed)" 144
# Each call of fibonacci has an entry and a return.
"$spoor" report --format csv t > report
awk -F, '/python:function__entry/ { e = $4 + $5 + $3 + $2 } /python:function__return/ { r = $4 + $5 + $3 + $2 } END { exit !(e && e == r) }' report ||
	fail "python: entries and returns do not balance: $(grep python: report)"

rm -rf server
mkdir server
user=
if [ "$(id -u)" = 0 ]; then
	server=$(mktemp -d)
	chown nobody "$server"
	user="setpriv --reuid=nobody --regid=nogroup --clear-groups"
else
	server=$PWD/server
fi
trap 'rm -rf "$server"' EXIT
bin=${postgres%/*}
# shellcheck disable=SC2086
(cd "$server" && $user env HOME="$server" LC_ALL=C "$bin/initdb" -D "$server/data" -A trust -U me) > initdb.out 2>&1 ||
	fail "initdb failed: $(tail -n 3 initdb.out)"
# shellcheck disable=SC2086
(cd "$server" && exec $user env HOME="$server" "$spoor" record -q -o "$server/t" --tracepoint 'postgresql:*' "$postgres" \
	-D "$server/data" -k "$server" -c listen_addresses=) > server.out 2>&1 &
for try in $(seq 300); do
	! "$bin/psql" -h "$server" -U me -c 'select 1' postgres > /dev/null 2>&1 || break
	sleep 0.1
done
python3 bytes.py "$(head -n 1 "$server/data/postmaster.pid")" server.out "$postgres" > in_postgres
equal "postgres's work" "$("$bin/psql" -qAt -h "$server" -U me postgres \
	-c 'create table t(a int)' -c 'insert into t select generate_series(1, 1000)' -c 'select count(*) from t')" 1000
kill -INT "$(head -n 1 "$server/data/postmaster.pid")"
wait
grep -q 'database system is shut down' server.out || fail "postgres did not shut down: $(tail -n 5 server.out)"
"$spoor" report --format csv "$server/t" > report
for name in query__start query__parse__done transaction__commit; do
	grep -q "postgresql:$name" report || fail "the trace has no hit of $name in the forked servers: $(cat report)"
done
# The least number of log records that inserting a thousand rows writes.
"$spoor" export --format csv --flat "$server/t" | grep -c 'postgresql:wal__insert' > inserted
[ "$(cat inserted)" -ge 1000 ] || fail "the trace has only $(cat inserted) hits of wal__insert"

# The list predicts the breakpoints.
for file in "$python" $libraries/libpython3.11.so.1.0 $libraries/libstdc++.so.6 "$postgres"; do
	"$spoor" tracepoints list --format csv "$file" | python3 -c '
import csv, os, sys
for row in csv.DictReader(sys.stdin):
    print(os.path.basename(sys.argv[1]), row["address"], "yes" if row["way"] == "breakpoint" else "no: " + row["obstacle"])' "$file"
done | sort -u > said
sort -u in_python in_postgres | cmp - said ||
	fail "the list predicts other breakpoints: $(sort -u in_python in_postgres | diff - said | head -n 6)"

cat in_python in_postgres > all
awk '{ n[$1]++; yes[$1] += $3 == "yes" } END { for (f in n) print f, yes[f], "of", n[f] }' all | sort
grep ' no: ' all || true
awk '{ n++; yes += $3 == "yes" } END { exit !(n >= 90 && yes >= 0.95 * n) }' all ||
	fail "less than 95 % of the tracepoints get a breakpoint (see the list above)"
! grep 'no: unsaid' all || fail "the recorder gives no reason for the tracepoints above"
