#!/bin/sh
# SPDX-License-Identifier: MIT
# exports_long.sh - go tool pprof reads the calls, times and place of each function as in the report. speedscope, in a
# headless browser, shows the exports for it and for Chrome's viewers: every function of a thread with the times of
# the report. An export that viewers cannot hold gives one message with a remedy.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
demo=$top_srcdir/tests/programs/demo
mkdir data traced modules
cp "$top_srcdir"/libspoor/base/permanent.h data

"$top_builddir/tests/unit/support/make_trace" large 5000000 1
"$spoor" export --format=chrome -o /dev/null large 2>&1 | grep -v '^spoor: export: /nowhere/' > large.err
said_once large.err '/dev/null: the file has [0-9]* MB, and a browser .* 500 MB: .*--time, --min-duration.*pprof'
"$spoor" export --format=pprof -o /dev/null large 2>&1 | grep -v '^spoor: export: /nowhere/' > small.err || :
silent small.err

make -s --no-print-directory -C "$demo" srcdir=. O="$work/traced" CC="$SPOOR_DRIVERS/spoor-cc" \
	CXX="$SPOOR_DRIVERS/spoor-c++" CFLAGS='-O2 -g'
"$spoor" record -q -o t -- traced/demo data > out
"$spoor" report --format=csv t > whole.csv
"$spoor" export --format=pprof -o t.pprof t
command -v go > /dev/null || fail "go is missing: apt-get install golang-go"
HOME=$work PPROF_TMPDIR=$work go tool pprof -raw t.pprof > pprof.raw 2> pprof.err ||
	fail "go tool pprof failed: $(cat pprof.err)"
python3 "$top_srcdir/tests/integration/readers/exports.py" pprof_raw pprof.raw whole.csv
# The lines of a function, in its own file.
HOME=$work PPROF_TMPDIR=$work go tool pprof -list '^worker_main$' t.pprof > pprof.list 2>&1 ||
	fail "go tool pprof -list failed: $(cat pprof.list)"
grep -q '^ROUTINE =* worker_main in .*/[a-z_]*\.c' pprof.list ||
	fail "go tool pprof lists no source: $(cat pprof.list)"

CHROMIUM=$(command -v chromium-headless-shell || command -v chromium) || {
	echo "no browser: apt-get install chromium-headless-shell"
	exit 77
}
export CHROMIUM
npm install --silent --no-save --prefix modules speedscope@1.25.0 playwright-core@1.56.0 > npm.out 2>&1 || {
	echo "speedscope and playwright-core cannot be installed: apt-get install npm, and check the network"
	exit 77
}
thread=$("$spoor" info t | sed -n 's/^process \([0-9]*\) .*/\1/p')
"$spoor" report --format=csv --thread "$thread" t > report.csv
for format in speedscope chrome; do
	"$spoor" export --format=$format --thread "$thread" -o $format.json t
	NODE_PATH=$work/modules/node_modules timeout 600 node "$top_srcdir/tests/integration/readers/viewer.js" \
		modules/node_modules/speedscope/dist/release $format.json $format.png > $format.table 2> $format.err ||
		fail "$format: speedscope failed: $(cat $format.err)"
	python3 "$top_srcdir/tests/integration/readers/exports.py" viewed $format.table report.csv
	# An empty picture is small.
	[ "$(wc -c < $format.png)" -gt 8000 ] || fail "$format: the picture has only $(wc -c < $format.png) bytes"
done
