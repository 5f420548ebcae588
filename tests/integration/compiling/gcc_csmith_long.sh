#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_csmith_long.sh - random C programs, at random options of all GCCs that have a plugin, print the same with awake
# sleds as uninstrumented.
#
# CSMITH_PROGRAMS: their number, of which about one in ten never ends and does not count; 11200 by default, so that ten
# thousand count. CSMITH_FIRST: the first seed, 1 by default.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
work_folder gcc_csmith
: "${CSMITH_PROGRAMS:=11200}" "${CSMITH_FIRST:=1}"
command -v csmith > /dev/null || skip "apt-get install csmith libcsmith-dev"
use_newest_gcc
all_gccs > gccs
cat > options << 'END'
-fno-pie -no-pie
-fPIC
-flto
-fcf-protection=full
-march=native
-mfunction-return=thunk -mindirect-branch=thunk
-fno-omit-frame-pointer
-fno-shrink-wrap
-fno-ipa-ra
-freorder-blocks-and-partition -fprofile-arcs
-fno-plt
-mharden-sls=all
-fstack-protector-all
-funroll-all-loops
END
[ "$SPOOR_ARCH" = x86_64 ] || sed -i '/ *-m[fh]/d; /-fcf/d' options

cat > batch <<'END'
#!/bin/sh
set -eu
for seed; do
	major=$(sed -n "$((seed % $(wc -l < gccs) + 1))p" gccs)
	level=$(echo 0 1 2 3 s | cut -d' ' -f$((seed / 7 % 5 + 1)))
	extra=$(sed -n "$((seed / 3 % $(wc -l < options) + 1))p" options)
	csmith --seed "$seed" --max-funcs 4 --max-block-depth 3 --max-block-size 3 --max-expr-complexity 5 > "$seed.c"
	arguments="-O$level $extra -fno-finite-loops -w -I/usr/include/csmith $seed.c"
	gcc-$major $arguments -o $seed.plain
	wanted=0
	timeout 1 ./$seed.plain > $seed.want 2>&1 || wanted=$?
	result=endless
	if [ $wanted != 124 ]; then
		SPOOR_GCC=gcc-$major "$spoor_gcc" $arguments -o $seed.sleds
		status=0
		SPOOR_RUNTIME_TRACE_PATH=$seed.trace LD_PRELOAD=$libspoor timeout 120 ./$seed.sleds > $seed.got 2>&1 || status=$?
		if [ $status != $wanted ] || ! cmp -s $seed.want $seed.got; then
			result="differs $seed gcc-$major -O$level $extra: status $status, not $wanted"
		elif ! "$spoor" report --format=csv $seed.trace 2> $seed.err | grep -q '^main,[^,]*,1,'; then
			result="differs $seed gcc-$major -O$level $extra: main is not in the trace: $(cat $seed.err)"
		else
			result=same
		fi
	fi
	echo "$result"
	case $result in
	differs*) ;;
	*) rm -rf $seed.* ;;
	esac
done
END
chmod +x batch
export spoor spoor_gcc libspoor
seq "$CSMITH_FIRST" $((CSMITH_FIRST + CSMITH_PROGRAMS - 1)) | xargs -n 25 -P "$(nproc)" ./batch > results || :
grep differs results && fail "programs behave differently with sleds (see above)"
same=$(grep -c '^same$' results || :) endless=$(grep -c '^endless$' results || :)
[ $((same + endless)) = "$CSMITH_PROGRAMS" ] || fail "only $((same + endless)) of $CSMITH_PROGRAMS programs were built and run: $(tail -n 3 results)"
echo "$same programs are the same, $endless never end"
