#!/bin/sh
# SPDX-License-Identifier: MIT
# csmith_long.sh - ten thousand random C programs, at all levels of all LLVMs, print the same with awake sleds as
# uninstrumented; a thousand of them also with injected calls.
#
# CSMITH_PROGRAMS: their number, 12000 by default. About one in ten never ends and does not count.
# CSMITH_FIRST: the first seed, 1 by default.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
work_folder csmith
unset $(env | sed -n 's/^\(SPOOR_[A-Z_]*\)=.*/\1/p')
command -v csmith > /dev/null || { echo "csmith: skipped: apt-get install csmith libcsmith-dev"; exit 77; }
: "${CSMITH_PROGRAMS:=12000}" "${CSMITH_FIRST:=1}"
wanted=$((CSMITH_PROGRAMS * 5 / 6))

for llvm in $(all_llvms); do
	use_llvm "$llvm"
	echo "$clang $plugin"
done > compilers

# Runs a batch of seeds, with one program for each. Prints and keeps programs that differ.
cat > batch <<'END_OF_SCRIPT'
#!/bin/sh
set -eu

# same SEED WAY PROGRAM - checks that the traced program prints and returns the same.
same()
{
	rm -rf "$1.trace"
	status=0
	SPOOR_RUNTIME_TRACE_PATH=$1.trace LD_PRELOAD=$libspoor timeout 120 ./"$3" > "$1.got" 2>&1 || status=$?
	if [ "$status" != "$wanted" ] || ! cmp -s "$1.want" "$1.got"; then
		echo "differs $1 $2 $clang -O$level: status $status, not $wanted"
		return
	fi
	if ! "$spoor" report --format=csv "$1.trace" 2> "$1.err" | grep -q '^main,[^,]*,1,'; then
		echo "differs $1 $2 $clang -O$level: main is not in the trace: $(cat "$1.err")"
		return
	fi
	echo "same $2"
}

for seed; do
	count=$(wc -l < compilers)
	set -- $(sed -n "$((seed % count + 1))p" compilers)
	clang=$1 plugin=$2
	level=$(echo 0 1 2 3 s | cut -d' ' -f$((seed % 5 + 1)))
	csmith --seed "$seed" --max-funcs 4 --max-block-depth 3 --max-block-size 3 --max-expr-complexity 5 > "$seed.c"
	# An endless loop without effects is undefined unless this option is given.
	compile="$clang -O$level -fno-finite-loops -w -I/usr/include/csmith $seed.c"
	$compile -o "$seed.plain"
	wanted=0
	timeout 1 ./"$seed.plain" > "$seed.want" 2>&1 || wanted=$?
	if [ $wanted = 124 ]; then
		# Some programs never end.
		echo "endless"
	else
		$compile -fpass-plugin="$plugin" -Wl,-u,spoor_dso_anchor "$stub" -o "$seed.sleds"
		same "$seed" sleds "$seed.sleds"
		if [ $((seed % 10)) = 0 ]; then
			SPOOR_INSTRUMENTATION_MODE=call $compile -fpass-plugin="$plugin" -Wl,-u,spoor_dso_anchor "$stub" \
				"$libspoor" -Wl,-rpath,"${libspoor%/*}" -o "$seed.calls"
			same "$seed" calls "$seed.calls"
		fi
	fi
	rm -rf "$seed".*
done
END_OF_SCRIPT
chmod +x batch
libspoor=$top_builddir/libspoor/.libs/libspoor.so
spoor=$top_builddir/tools/spoor
export libspoor spoor stub
seq "$CSMITH_FIRST" $((CSMITH_FIRST + CSMITH_PROGRAMS - 1)) | xargs -P "$(nproc)" -n 20 ./batch > results || fail "a compiler failed: $(tail -n 3 results)"
sort results | sed 's/differs.*/differs/' | uniq -c
! grep differs results || fail "programs behave differently when they are traced (see above)"
[ "$(grep -c '^same sleds' results)" -ge $wanted ] && [ "$(grep -c '^same calls' results)" -ge $((wanted / 10)) ] ||
	fail "too few programs ended: $(cut -d ' ' -f 1,2 results | sort | uniq -c)"
