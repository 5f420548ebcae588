# SPDX-License-Identifier: MIT
# python.sh - measures the benefit of an order file for a real program, beside LLVM's temporal profile and lld's
# ordering of start-up functions. The program is CPython with SQLite and OpenSSL's libcrypto, all three rebuilt from
# Debian's sources. The two builds take about 20 minutes, once. run sources this file after ordering.sh.
#
# All layouts use the objects of the build with sleds, which are dormant. The executable has only one function.
# Python's modules stay in the page cache.

python_libraries="libpython3.11.so.1.0 libcrypto.so.3 libsqlite3.so"
python_start='import sqlite3, _hashlib
table = sqlite3.connect(":memory:")
table.execute("create table t(a integer primary key, b text)")
table.executemany("insert into t(b) values (?)", [("word %d" % i,) for i in range(20)])
rows = table.execute("select count(*), max(b) from t where b like ?", ("word 1%",)).fetchall()
print(rows, _hashlib.new("sha256", repr(rows).encode()).hexdigest())'

# unpacked NAME PACKAGE WAY - copies the package's source to WAY/NAME, to be built there.
unpacked()
{
	debian_source "$2" "$sources"
	cp -r "$source_directory" "$3/$1"
}

# build_python WAY COMPILER - builds Python and its libraries into WAY/libraries.
build_python()
{
	way=$1
	cc="$2 $python_level -w -fPIC -ffunction-sections"
	test -e "$way/done" && return
	rm -rf "$way"
	mkdir -p "$way/libraries"
	here=$PWD/$way
	say "building OpenSSL: $way"
	unpacked openssl openssl "$way"
	(cd "$way/openssl" && ./Configure linux-x86_64 shared no-tests CC="$cc" && make -s -j"$(nproc)" build_generated &&
		make -s -j"$(nproc)" libcrypto.so.3) > "$way/openssl.log" 2>&1 || fail "see $here/openssl.log"
	say "building SQLite: $way"
	(cd "$way" && $cc $sqlite_flags -c -o sqlite3.o "$sources/sqlite/sqlite3.c" &&
		$cc -shared -Wl,-soname,libsqlite3.so -o libraries/libsqlite3.so sqlite3.o -lm) || fail "SQLite: $way"
	cp "$way/openssl/libcrypto.so.3" "$way/libraries/"
	ln -s libcrypto.so.3 "$way/libraries/libcrypto.so"
	say "building CPython: $way"
	unpacked python python3.11 "$way"
	{
		echo '*static*'
		echo 'math mathmodule.c -lm'
		echo '_datetime _datetimemodule.c'
		echo "_hashlib _hashopenssl.c -I$here/openssl/include -L$here/libraries -lcrypto"
		echo "_sqlite3 $(cd "$way/python/Modules" && echo _sqlite/*.c) -I$sources/sqlite -L$here/libraries -lsqlite3"
	} > "$way/python/Modules/Setup.local"
	(cd "$way/python" && LD_LIBRARY_PATH=$here/libraries && export LD_LIBRARY_PATH &&
		./configure --enable-shared --without-ensurepip CC="$cc" OPT=-DNDEBUG && make -s -j"$(nproc)" python) \
		> "$way/python.log" 2>&1 || fail "see $here/python.log"
	cp "$way/python/libpython3.11.so.1.0" "$way/libraries/"
	touch "$way/done"
}

# lay_out_python NAME LINKER-OPTION... - links NAME/libraries from the objects of the build with sleds.
lay_out_python()
{
	name=$1
	shift
	say "linking the libraries: $name"
	linker="$spoor_cc -fuse-ld=lld -Wl,--no-warn-symbol-ordering $*"
	rm -rf "$name"
	mkdir -p "$name/libraries"
	(cd sleds && rm -f openssl/libcrypto.so.3 python/libpython3.11.so* &&
		make -s -C openssl CC="$linker" libcrypto.so.3 && make -s -C python CC="$linker" libpython3.11.so &&
		$linker -shared -Wl,-soname,libsqlite3.so -o "../$name/libraries/libsqlite3.so" sqlite3.o -lm &&
		cp openssl/libcrypto.so.3 python/libpython3.11.so.1.0 "../$name/libraries") > "$name/link.log" 2>&1 ||
		fail "see $PWD/$name/link.log"
}

# python_starts FOLDER COMMAND... - runs the command with the libraries in FOLDER.
python_starts()
{
	folder=$1
	shift
	"$@" LD_LIBRARY_PATH="$folder/libraries" ./sleds/python/python -I -S -B -c "$python_start"
}

record_python()
{
	rm -rf order.trace orders profiles
	python_starts sleds "$spoor" record -q --mode order -o order.trace -- env > said
	"$spoor" order -o orders order.trace 2> order.err || fail "$(cat order.err)"
	cat orders/*.order > code.order
	python_starts temporal env LLVM_PROFILE_FILE="$PWD/profiles/%m.profraw" > said.temporal
	cmp said said.temporal || fail "the instrumented program prints another text"
	"$LLVM_BINDIR/llvm-profdata" merge -o start.profdata profiles/*.profraw
	"$LLVM_BINDIR/llvm-profdata" order -o temporal.order start.profdata
}

# python_pages NAME - prints the pages of text of all libraries: those used, and the least possible.
python_pages()
{
	for library in $python_libraries; do
		"$spoor" order -o unused.order --library "$library" --for "$1/libraries/$library" --startup-pages order.trace 2>&1 |
			sed -n 's/.*: \([0-9]*\) pages of text .* now, .* \([0-9]*\) at the least/\1 \2/p'
	done | awk '{ now += $1; least += $2 } END { if (NR != 3) exit 1; print now, least }'
}

# python_samples SAMPLES FOLDER REPEAT - writes a line "name cpu wall peak minor major" for each round.
python_samples()
{
	for round in $(seq $((rounds * 3))); do
		for name in $python_layouts; do
			say "python $name, round $round"
			for library in $python_libraries; do
				test "$2" = . || dd if=/dev/null of="$2/$name/libraries/$library" oflag=nocache \
					conv=notrunc,fdatasync count=0 2> /dev/null
			done
			echo "$name $(python_starts "$2/$name" "$work/spawning" "$3")"
		done
	done > "$1"
}

measure_python()
{
	. "$top_srcdir/tests/integration/support/real_program_builds.sh"
	heading "Order files: CPython, SQLite and OpenSSL"
	export LLVM_PROFILE_FILE=/dev/null
	mkdir -p "$work/python$python_level"
	cd "$work/python$python_level"
	build_spawning
	prepare_sqlite
	build_python sleds "$spoor_cc"
	build_python temporal "$clang -fprofile-generate -mllvm -pgo-temporal-instrumentation"
	record_python
	python_layouts="plain ordered llvm-order startup-sort"
	lay_out_python plain
	lay_out_python ordered -Wl,--symbol-ordering-file="$PWD/code.order"
	lay_out_python llvm-order -Wl,--symbol-ordering-file="$PWD/temporal.order"
	lay_out_python startup-sort -Wl,--irpgo-profile="$PWD/start.profdata" -Wl,--bp-startup-sort=function
	for library in $python_libraries; do
		aim_least "text of $library" "$(size -A plain/libraries/$library | awk '$1 == ".text" { print $2 / 1e6 }')" "MB" 1
	done
	for name in $python_layouts; do
		python_starts $name env > said.$name
		cmp said said.$name || fail "with the layout $name the program prints another text"
		read -r pages least <<< "$(python_pages $name)"
		case $name in
		ordered) aim "pages of text that a start-up uses: spoor's order" "$pages" "pages" "$(calculate "$least * 1.05")" ;;
		*) note "pages of text that a start-up uses: $name" "$pages" "pages, $least possible" ;;
		esac
	done
	python_samples warm.samples . 11
	for name in $python_layouts; do
		note "minor faults: $name" "$(of warm.samples $name 5)" ""
		note "warm start: $name" "$(calculate "$(of warm.samples $name 3) / 1e6")" "ms"
	done
	if ! mount_volume 2> volume.err; then
		note "cold starts: not measured, no volume can be mounted here" 0 ""
		return
	fi
	for name in $python_layouts; do
		mkdir "volume/$name"
		cp -r $name/libraries "volume/$name"
	done
	sync
	python_samples cold.samples volume 1
	for name in $python_layouts; do
		note "cold start, 128 KiB read-ahead: $name" "$(calculate "$(of cold.samples $name 3) / 1e6")" "ms"
		note "major faults: $name" "$(of cold.samples $name 6)" ""
	done
	unmount_volume
}
