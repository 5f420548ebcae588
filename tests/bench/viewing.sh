# SPDX-License-Identifier: MIT
# viewing.sh - measures the page of spoor view in headless Chromium: frames while it moves, and the time until the
# statistics of a range are there; run sources this file.

# measure_page WHAT PAGE - prints the figures of one page, a file or an address.
measure_page()
{
	say "the page: $1"
	(cd "$work" && python3 "$bench/page_frames.py" "$2") > "$work/page.figures" || fail "$1: page_frames.py failed"
	note "$1: calls" "$(awk '$1 == "calls" { print $2 / 1e6 }' "$work/page.figures")" million
	for share in 0.5 0.02 0.0005; do
		aim_least "$1: frames within 33 ms, moving $share of the trace" \
			"$(awk -v name="frames_$share" '$1 == name { print $2 }' "$work/page.figures")" % 95
	done
	for range in 0.01_0.99 0.2_0.8 0.45_0.46; do
		aim "$1: statistics of the range $range" \
			"$(awk -v name="range_$range" '$1 == name { print $2 }' "$work/page.figures")" ms 1000
	done
}

measure_viewing()
{
	heading "The page of spoor view, $((viewed_requests * 600 / 1000000)) million calls in 3 threads"
	"${spoor_cc%cc}c++" -O1 -pthread -o "$work/viewed" "$top_srcdir/tests/programs/victims/calls/viewed.cc"
	rm -rf "$work/viewed.trace" "$work/viewed.address"
	"$spoor" record -q -o "$work/viewed.trace" -- "$work/viewed" "$viewed_requests" 2
	"$spoor" view -o "$work/viewed.html" "$work/viewed.trace"
	measure_page "a file of $(($(wc -c < "$work/viewed.html") / 1000000)) MB" "$work/viewed.html"
	"$spoor" view --serve "$work/viewed.trace" > "$work/viewed.address" 2> "$work/viewed.err" &
	server=$!
	trap 'kill "$server" 2> /dev/null || :' EXIT
	until test -s "$work/viewed.address"; do
		kill -0 "$server" || fail "spoor view --serve: $(cat "$work/viewed.err")"
		sleep 0.1
	done
	measure_page "served" "$(cat "$work/viewed.address")"
	kill "$server"
	trap - EXIT
	wait "$server" || fail "spoor view --serve failed: $(cat "$work/viewed.err")"
	rm -rf "$work/viewed.trace" "$work/viewed.html"
}
