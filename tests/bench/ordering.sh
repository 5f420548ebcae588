# SPDX-License-Identifier: MIT
# ordering.sh - measures the cost and the benefit of an order file, beside LLVM's temporal profile, lld's ordering
# of start-up functions, and the order-file instrumentation that LLVM had until version 20. Each is measured if it
# is available; run sources this file.
#
# The program has $start_functions functions in $start_files files, of which 1 in 20 runs, in shuffled order.
# A cold start has no page of its file in the page cache. It needs a volume with a read-ahead of 128 KiB, so a
# loop device, so root.

order_flags="-O2 -w -ffunction-sections"
clang19=/usr/lib/llvm-19/bin/clang

# build_start WAY COMMAND... - builds start.WAY; the command compiles each file.
build_start()
{
	way=$1
	shift
	test -e "start.$way" && return
	say "building the program of $start_functions functions: $way"
	mkdir -p "objects.$way"
	ls part*.c start.c | xargs -P "$(nproc)" -I{} "$@" $order_flags -c -o "objects.$way/{}.o" {}
	"$@" $order_flags -fuse-ld=lld -o "start.$way" "objects.$way"/*.o
}

# lay_out NAME LINKER-OPTION... - links start.NAME from the objects of start.plain.
lay_out()
{
	name=$1
	shift
	"$clang" -fuse-ld=lld -o "start.$name" objects.plain/*.o "$@" -Wl,--no-warn-symbol-ordering
}

# added WAY PATTERN [PLAIN] - prints how many bytes a function the way adds to plain in sections that match.
added()
{
	for which in "$1" "${3:-plain}"; do
		size -A objects.$which/*.o | awk -v pattern="$2" '$1 ~ pattern { sum += $2 } END { print sum }'
	done | paste -sd' ' | awk -v functions="$start_functions" '{ printf "%.1f\n", ($1 - $2) / functions }'
}

build_all_starts()
{
	if test ! -e true.order; then
		python3 "$bench/start_up.py" "$start_functions" $((start_functions / 20)) "$start_files"
	fi
	build_start plain "$clang"
	build_start code "$spoor_cc" -fspoor-mode=order
	build_start sleds "$spoor_cc"
	build_start temporal "$clang" -fprofile-generate -mllvm -pgo-temporal-instrumentation
	if test -x "$clang19"; then
		build_start plain19 "$clang19"
		build_start orderfile "$clang19" -forder-file-instrumentation -mllvm "-orderfile-write-mapping=$PWD/orderfile.names"
	fi
	build_threads plain "$clang"
	build_threads code "$spoor_cc" -fspoor-mode=order
	build_threads sleds "$spoor_cc"
	build_threads temporal "$clang" -fprofile-generate -mllvm -pgo-temporal-instrumentation
}

# build_threads WAY COMMAND... - builds start.threads.WAY: four threads run the same functions at the same time.
build_threads()
{
	way=$1
	shift
	test -e "start.threads.$way" && return
	"$@" $order_flags -DTHREADS=4 -c -o "threads.$way.o" start.c
	"$@" $order_flags -fuse-ld=lld -pthread -o "start.threads.$way" "threads.$way.o" "objects.$way"/part*.o
}

# Converts the hashes that the program start.orderfile wrote to names. Fails if the program wrote none.
decode_orderfile()
{
	rm -f orderfile.out*
	LLVM_PROFILE_FILE=orderfile.out ./start.orderfile || return 1
	python3 - orderfile.out*.order orderfile.names <<'END' > orderfile.order
import struct, sys
names = {int(words[1], 16): words[2] for words in map(str.split, open(sys.argv[2])) if len(words) == 3}
data = open(sys.argv[1], "rb").read()
for number, in struct.iter_unpack("<Q", data[:len(data) // 8 * 8]):
    if number:
        print(names[number])
END
	test -s orderfile.order
}

# Records the order of each way and compares it with the true order. Then links with it.
record_orders()
{
	for way in code sleds; do
		rm -rf order.trace
		"$spoor" record -q --mode order -o order.trace -- ./start.$way
		"$spoor" order -o $way.order --for start.plain --startup-pages order.trace 2> $way.effect
		cmp -s $way.order true.order || fail "the order of $way is not the one in which main calls"
		# The count is at byte 32 of a header of 64 bytes. After the header, each function has
		# four bytes, and the rest of the file is unused.
		count=$(od -An -tu4 -j32 -N4 order.trace/*/order.spoor)
		aim "bytes of output a function that ran: $way" "$(calculate "(64 + 4 * $count) / $(wc -l < true.order)")" "bytes" 8
	done
	LLVM_PROFILE_FILE=start.profraw ./start.temporal
	"$LLVM_BINDIR/llvm-profdata" merge -o start.profdata start.profraw
	"$LLVM_BINDIR/llvm-profdata" order -o temporal.order start.profdata
	note "the same: LLVM's temporal profile, all functions" \
		"$(calculate "$(stat -c %s start.profraw) / $(wc -l < true.order)")" "bytes"
	lay_out ordered -Wl,--symbol-ordering-file=code.order
	lay_out llvm-order -Wl,--symbol-ordering-file=temporal.order
	lay_out startup-sort -Wl,--irpgo-profile=start.profdata -Wl,--bp-startup-sort=function
	layouts="plain ordered llvm-order startup-sort"
	if test -e start.orderfile && decode_orderfile; then
		lay_out orderfile-order -Wl,--symbol-ordering-file=orderfile.order
		layouts="$layouts orderfile-order"
	fi
}

# Four threads start with the same functions. Each function must be in the order once.
record_threads()
{
	for way in code sleds; do
		rm -rf threads.trace
		"$spoor" record -q --mode order -o threads.trace -- ./start.threads.$way
		"$spoor" order -o threads.order threads.trace
		test "$(grep '^f[0-9]' threads.order | sort)" = "$(grep '^f[0-9]' true.order | sort)" ||
			fail "of four threads' functions $way has $(grep -c '^f[0-9]' threads.order), and $(grep -c '^f[0-9]' true.order) ran"
		note "functions that four threads ran first at once, each once: $way" "$(grep -c '^f[0-9]' threads.order)" ""
	done
	spawn_all threads.samples "" threads.plain threads.code threads.temporal
	plain=$(of threads.samples threads.plain 3)
	note "four threads start at once: spoor, order in code, against plain" "$(calculate "$(of threads.samples threads.code 3) / $plain")" "x"
	note "the same: LLVM's temporal profile, against plain" "$(calculate "$(of threads.samples threads.temporal 3) / $plain")" "x"
}

# Prints the number of pages that a start needs in each layout.
pages()
{
	cp code.effect pages.plain
	for name in ${layouts#plain }; do
		"$spoor" order -o unused.order --for start.$name --startup-pages order.trace 2> pages.$name
	done
	for name in $layouts; do
		sed -n "s/.*: \([0-9]*\) pages of text .* now, .* \([0-9]*\) at the least/$name \1 \2/p" pages.$name
	done
}

# spawn_all FILE COMMAND-PREFIX NAME... - writes a line "name cpu wall peak minor major" for each round.
spawn_all()
{
	samples=$1
	cold=$2
	shift 2
	for round in $(seq $((rounds * 3))); do
		for name; do
			say "start $name, round $round"
			if test -n "$cold"; then
				dd if=/dev/null of="$cold/start.$name" oflag=nocache conv=notrunc,fdatasync count=0 2> /dev/null
				echo "$name $("$work/spawning" 1 "$cold/start.$name")"
			else
				echo "$name $("$work/spawning" 21 "./start.$name")"
			fi
		done
	done > "$samples"
}

# of SAMPLES NAME COLUMN - prints the median.
of()
{
	awk -v name="$2" -v column="$3" '$1 == name { print $column }' "$1" | median
}

# Mounts a volume for cold starts. Fails if the machine does not allow that.
mount_volume()
{
	test "$(id -u)" = 0 && truncate -s 256M volume.image && mkfs.ext4 -q -F volume.image || return 1
	mkdir -p volume
	loop=$(losetup --show --direct-io=on -f volume.image 2> /dev/null) || return 1
	mount "$loop" volume && blockdev --setra 256 "$loop" && return 0
	losetup -d "$loop"
	return 1
}

unmount_volume()
{
	umount volume
	losetup -d "$loop"
	rm -f volume.image
}

measure_cold()
{
	if ! mount_volume 2> volume.err; then
		note "cold starts: not measured, no volume can be mounted here" 0 ""
		return
	fi
	for name in $layouts; do
		cp start.$name volume
	done
	sync
	spawn_all cold.samples volume $layouts
	for name in $layouts; do
		note "cold start, 128 KiB read-ahead: $name" "$(calculate "$(of cold.samples $name 3) / 1e6")" "ms"
		note "major faults: $name" "$(of cold.samples $name 6)" ""
	done
	unmount_volume
}

# Compiles the called function in each way.
compile_seen()
{
	"$clang" $flags -c "$bench/victim.c" "$bench/way_none.c"
	"$clang" $flags -c -o work.plain.o "$bench/work.c"
	"$spoor_cc" $flags -fspoor-mode=order -c -o work.code.o "$bench/work.c"
	"$spoor_cc" $flags -c -o work.sleds.o "$bench/work.c"
	"$clang" $flags -fprofile-generate -mllvm -pgo-temporal-instrumentation -c -o work.temporal.o "$bench/work.c"
	seen="plain code sleds temporal"
	if test -x "$clang19"; then
		"$clang19" $flags -forder-file-instrumentation -c -o work.orderfile.o "$bench/work.c"
		seen="$seen orderfile"
	fi
}

# link_seen WAY PLACE - links a program whose function begins PLACE bytes after the begin of a cache line. The caller
# has the same address in all programs.
link_seen()
{
	case $1 in
	temporal) set -- "$@" "$clang" -fprofile-generate ;;
	orderfile) set -- "$@" "$clang19" -forder-file-instrumentation ;;
	*) set -- "$@" "$spoor_cc" ;;
	esac
	way=$1 place=$2
	shift 2
	"$@" -o "victim.$way.$place" victim.o way_none.o "place.$place.o" "work.$way.o" -pthread
	test $((0x$(nm "victim.$way.$place" | awk '$3 == "leaf" { print $1 }') % 64)) = "$place" ||
		fail "victim.$way.$place has its function at another place"
}

# Measures a call of a function that has run before, at different places in a cache line.
measure_seen()
{
	flags="-O2 -Wall -Wextra -I$bench -I$top_srcdir/libspoor/include"
	places="0 16 32 48"
	compile_seen
	for place in $places; do
		echo ".text; .p2align 6; .skip $((64 + place)); .section .note.GNU-stack, \"\"" | "$clang" -c -x assembler -o place.$place.o -
		for way in $seen; do
			link_seen $way $place
		done
	done
	for round in $(seq $((rounds * 3))); do
		for place in $places; do
			for way in $seen; do
				say "calls of functions that have run, round $round: $way"
				rm -rf seen.trace
				case $way in
				sleds) echo "$way $place $(SPOOR_RUNTIME_MODE=order SPOOR_RUNTIME_TRACE_PATH=seen.trace \
					LD_PRELOAD=$runtime ./victim.$way.$place leaf 1 $seen_calls)" ;;
				*) echo "$way $place $(./victim.$way.$place leaf 1 $seen_calls)" ;;
				esac
			done
		done
	done | awk '$1 == "plain" { plain = $4 / $3 } { print $1, $4 / $3, $4 / $3 - plain, $1 "." $2 }' > seen.samples
	note "a call: plain" "$(of seen.samples plain 2)" "ns"
	for way in $seen; do
		case $way in
		plain) ;;
		code) aim "a call of a function that has run: spoor, order in code" "$(of seen.samples $way 3)" "ns" 0.1
			note "the same, begin 16 bytes before a cache line's end" "$(awk '$4 == "code.48" { print $3 }' seen.samples |
				median)" "ns more" ;;
		*) note "a call of a function that has run: $way" "$(of seen.samples $way 3)" "ns more" ;;
		esac
	done
}

measure_ordering()
{
	heading "Order files"
	# Each process has its own file, because a temporal profile does not merge into the file of another program.
	export LLVM_PROFILE_FILE=unused.%p.profraw
	mkdir -p "$work/ordering.$start_functions"
	cd "$work/ordering.$start_functions"
	build_spawning
	build_all_starts
	record_orders
	aim "bytes of text a function: spoor, order in code" "$(added code '^.text')" "bytes" 16
	aim "bytes of data a function: spoor, order in code" "$(added code '^spoor_seen')" "bytes" 8
	aim "bytes of unwind table a function: spoor, order in code" "$(added code '^.eh_frame')" "bytes" 0
	note "bytes of text a function: LLVM's temporal profile" "$(added temporal '^.text')" "bytes"
	note "bytes of unwind table a function: the same" "$(added temporal '^.eh_frame')" "bytes"
	note "bytes of data a function: the same" "$(added temporal '^__llvm_prf_(data|cnts)')" "bytes"
	if test -e start.orderfile; then
		note "bytes of text a function: clang 19's order file" "$(added orderfile '^.text' plain19)" "bytes"
		note "bytes of unwind table a function: the same" "$(added orderfile '^.eh_frame' plain19)" "bytes"
		note "bytes of data a function: the same, each object's buffer among it" \
			"$(added orderfile '^(.data|.bss|__llvm_orderfile)' plain19)" "bytes"
	fi
	pages > pages.all
	least=$(awk '$1 == "plain" { print $3 }' pages.all)
	while read -r name count _; do
		case $name in
		ordered) aim "pages of text that a start-up uses: spoor's order" "$count" "pages" "$(calculate "$least * 1.05")" ;;
		*) note "pages of text that a start-up uses: $name" "$count" "pages, $least possible" ;;
		esac
	done < pages.all
	spawn_all warm.samples "" $layouts code temporal
	for name in $layouts; do
		note "minor faults: $name" "$(of warm.samples $name 5)" ""
		note "warm start: $name" "$(calculate "$(of warm.samples $name 3) / 1e6")" "ms"
	done
	plain=$(of warm.samples plain 3)
	aim "warm start: spoor, order in code, against plain" "$(calculate "$(of warm.samples code 3) / $plain")" "x" 1.1
	note "warm start: LLVM's temporal profile, against plain" "$(calculate "$(of warm.samples temporal 3) / $plain")" "x"
	record_threads
	for round in $(seq $((rounds * 3))); do
		say "start with the runtime, round $round"
		rm -rf order.trace
		echo "recorded $("$work/spawning" 1 SPOOR_RUNTIME_MODE=order SPOOR_RUNTIME_TRACE_PATH=order.trace LD_PRELOAD="$runtime" ./start.code)"
		echo "plain $("$work/spawning" 1 ./start.plain)"
		echo "preloaded $("$work/spawning" 1 LD_PRELOAD="$runtime" ./start.plain)"
	done > recorded.samples
	for name in plain preloaded recorded; do
		note "one warm start: ${name}" "$(calculate "$(of recorded.samples $name 3) / 1e6")" "ms"
	done
	measure_cold
	measure_seen
	rm -rf order.trace seen.trace threads.trace unused.*.profraw
}
