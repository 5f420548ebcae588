#!/bin/sh
# SPDX-License-Identifier: MIT
# dwarf_names.sh - functions without symbols get their names from debug information alone, the same names that nm
# finds in the file before it was stripped: DWARF 4 and 5, split, compressed, moved by dwz, by clang and gcc. Unknown
# functions are shown by address.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
# The names come from the files under test, not from the trace.
export SPOOR_NO_SYMBOLS=1
spoor=$top_builddir/tools/spoor
"$spoor" doctor > doctor.out 2>&1 || true
if grep -q 'built without libdw' doctor.out; then
	echo "skipped: this spoor was built without libdw: apt-get install libdw-dev" >&2
	exit 77
fi

cat > parts.cc <<'C'
#define FAR __attribute__((noinline))
static inline __attribute__((always_inline)) int inlined_first(int v)
{
	volatile int kept = v;
	return kept * 3;
}
FAR static int hidden(int v) { return inlined_first(v) + 1; }
FAR static int begins_with_an_inlined_one(int v) { return inlined_first(v) + 7; }
namespace {
struct secret {
	int v;
	FAR secret(int of) : v(of) { if (v > 99) throw 1; }
	FAR int get() const { return v; }
	FAR ~secret() { *const_cast<volatile int *>(&v) = 0; }
};
FAR int in_anonymous(int v) { return v ^ 3; }
}
namespace geo {
struct shape { virtual int area(int) = 0; virtual ~shape() {} };
struct box : shape { FAR int area(int) override; };
FAR int box::area(int v) { return v * v; }
}
template <class T> FAR T twice(T v) { return v + v; }
extern "C" __attribute__((noinline, visibility("hidden"))) int plain_c(int v) { return v - 1; }
extern "C" int known_part(int v)
{
	struct local { FAR static int method(int v) { return v + 5; } };
	auto lambda = [](int x) FAR { return x + 2; };
	secret s(v);
	geo::box b;
	geo::shape *volatile p = &b;
	return hidden(v) + begins_with_an_inlined_one(v) + s.get() + in_anonymous(v) + p->area(v) + twice(v) +
	       (int)twice(1.5 * v) + plain_c(v) + local::method(v) + lambda(v);
}
C
echo 'int known_part(int); int main(void) { return known_part(1) == 12345; }' > whole.c
mkdir lib

# names_of TRACE - prints the functions of the library and their calls.
names_of()
{
	"$spoor" report --format=csv "$@" 2> err | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    if row["library"] == "libparts.so":
        print(row["function"], row["calls"])' | LC_ALL=C sort
}

# by_nm - replaces addresses by the names that nm finds.
by_nm()
{
	nm -C full.so > nm.out
	python3 -c '
import sys
names = {}
for line in open("nm.out"):
    address, kind, name = (line.rstrip("\n") + "   ").split(" ", 2) if line[0] != " " else ("", "", "")
    if kind in tuple("tTwW"):
        names.setdefault(int(address, 16), name.strip())
for line in sys.stdin:
    name, calls = line.rsplit(" ", 1)
    if name.startswith("libparts.so+0x"):
        name = names[int(name[len("libparts.so+"):], 16)]
    print(name, calls.strip())' | LC_ALL=C sort
}

# recorded FLAGS - makes full.so, a trace t, and the wanted names of its functions.
recorded()
{
	rm -rf t
	cp full.so lib/libparts.so
	traced_cc -o whole whole.c -Llib -lparts -Wl,-rpath,"$work/lib"
	"$spoor" record -q -o t ./whole || fail "$1: the recorded program ended with status $?"
	strip -R .spoor_symbols -o lib/libparts.so full.so
	names_of t > bare
	grep -c 'libparts.so+0x' bare > count || fail "$1: no function is without a name: $(cat bare)"
	by_nm < bare > wanted
	[ "$(grep -c . wanted)" -ge 12 ] || fail "$1: fewer than twelve functions are named: $(cat wanted)"
}

# without_symbols - keeps debug information, and removes symbols and all other sections with names.
without_symbols()
{
	objcopy --strip-all --keep-section='.debug*' -R .spoor_symbols "$1" "$2"
	if readelf -SW "$2" | grep -q '\.symtab'; then
		fail "$2 still has symbols"
	fi
}

named()
{
	named_by=$1
	shift
	names_of "$@" t > got
	[ ! -s err ] || fail "$named_by: spoor printed messages: $(cat err)"
	cmp -s wanted got || fail "$named_by: the names differ (wanted <, got >): $(diff wanted got)"
}

# plain FILE... - removes scopes and parameters, which gcc does not describe for functions local to a unit.
plain()
{
	for plain_file; do
		python3 -c '
import re, sys
for line in sys.stdin:
    name, calls = line.rstrip("\n").rsplit(" ", 1)
    before = None
    while name != before:
        before = name
        name = re.sub(r"\([^()]*\)( const)?$", "", name)
    print(name.rsplit("::", 1)[-1].rsplit(" ", 1)[-1], calls)' < "$plain_file" | LC_ALL=C sort > "$plain_file.plain"
	done
}

named_plainly()
{
	named_by=$1
	shift
	names_of "$@" t > got
	[ ! -s err ] || fail "$named_by: spoor printed messages: $(cat err)"
	plain got wanted
	cmp -s wanted.plain got.plain ||
		fail "$named_by: the names differ (wanted <, got >): $(diff wanted.plain got.plain)"
}

for flags in -gdwarf-4 -gdwarf-5 '-gdwarf-5 -gsplit-dwarf' '-gdwarf-4 -gsplit-dwarf'; do
	# shellcheck disable=SC2086
	traced_cxx -O1 -fPIC $flags -c parts.cc -o parts.o
	traced_cxx -shared -o full.so parts.o
	recorded "$flags"
	without_symbols full.so lib/libparts.so
	named "$flags"
done

# The split file is missing, or belongs to another compilation.
mv parts.dwo kept.dwo
names_of t > got
cmp -s bare got || fail "without the .dwo file the names differ: $(diff bare got)"
grep -q 'libparts.so: its debug information does not name all functions: a .dwo file is missing' err ||
	fail "the message does not name the missing .dwo file: $(cat err)"
sed 's/hidden(/other(/g' parts.cc > other.cc
traced_cxx -O1 -fPIC -gdwarf-4 -gsplit-dwarf -c other.cc -o other.o
cp other.dwo parts.dwo
names_of t > got
cmp -s bare got || fail "with a .dwo file of another compilation the names differ: $(diff bare got)"
rm parts.dwo
# In a package, which later versions of libdw may read.
if dwp -o lib/libparts.so.dwp kept.dwo 2> /dev/null; then
	names_of t > got
	cmp -s bare got || cmp -s wanted got || fail "with a .dwp file the names differ: $(diff wanted got)"
	rm lib/libparts.so.dwp
fi

# In a debug file without symbols; compressed; of another build.
traced_cxx -O1 -fPIC -g -shared -o full.so parts.cc
recorded "a debug file"
build_id=$(readelf -n full.so | sed -n 's/.*Build ID: //p')
debug=tree/.build-id/$(echo "$build_id" | cut -c 1-2)/$(echo "$build_id" | cut -c 3-).debug
mkdir -p "$(dirname "$debug")"
objcopy --only-keep-debug full.so whole.debug
without_symbols whole.debug "$debug"
named "a debug file" --debug-directory tree
"$spoor" pack --debug-directory tree -o packed t 2> err || fail "spoor pack failed: $(cat err)"
cp lib/libparts.so kept.so
rm lib/libparts.so
names_of packed > got
cmp -s wanted got || fail "the names of the packed trace differ: $(cat err) $(diff wanted got)"
mv kept.so lib/libparts.so
objcopy --compress-debug-sections=zlib "$debug"
readelf -SW "$debug" | grep -q 'debug_info .* C ' || fail "objcopy did not compress the debug sections"
named "compressed sections" --debug-directory tree
if objcopy --decompress-debug-sections "$debug" && objcopy --compress-debug-sections=zstd "$debug" 2> /dev/null; then
	names_of --debug-directory tree t > got
	cmp -s wanted got || { cmp -s bare got && grep -q 'has an unknown compression\|does not support its compression' err; } ||
		fail "with zstd compression the names differ without a message: $(cat err got)"
fi
without_symbols whole.debug "$debug"
python3 - "$debug" <<'P'
import re, subprocess, sys
for line in subprocess.run(["readelf", "-SW", sys.argv[1]], stdout=subprocess.PIPE, text=True).stdout.splitlines():
    field = re.sub(r"^ *\[ *\d+\] *", "", line).split()
    if field and field[0] == ".debug_abbrev":
        at = int(field[3], 16)
        with open(sys.argv[1], "r+b") as file:
            file.seek(at)
            file.write(b"\xff" * int(field[4], 16))
P
names_of --debug-directory tree t > got
cmp -s bare got || fail "with damaged debug information the names differ: $(diff bare got)"

# Debug information that dwz moved into a file which two libraries share; then another file in its place.
if command -v dwz > dwz.out; then
	# Enough types for dwz to move them.
	for i in $(seq 60); do
		echo "struct shared_$i { int first_$i; long second_$i; char third_$i[$i]; };"
		echo "int uses_shared_$i(struct shared_$i *s) { return s->first_$i; }"
	done > shared.h
	echo '#include "shared.h"' >> parts.cc
	sed 's/inlined_first/inlined_at_first/; s/known_part/known_other/' parts.cc > second.cc
	for name in full second; do
		source=parts
		[ $name = full ] || source=second
		g++ -O1 -fPIC -gdwarf-4 -shared -finstrument-functions -Wl,--build-id -o $name.so $source.cc
	done
	recorded dwz
	without_symbols full.so first.dwz
	without_symbols second.so second.dwz
	dwz -m "$work/shared.debug" first.dwz second.dwz 2> err || fail "dwz failed: $(cat err)"
	readelf -SW first.dwz | grep -q gnu_debugaltlink || fail "dwz moved no debug information"
	cp first.dwz lib/libparts.so
	named_plainly dwz
	shared_id=$(readelf -n shared.debug | sed -n 's/.*Build ID: //p')
	by_id=tree/.build-id/$(echo "$shared_id" | cut -c 1-2)
	mkdir -p "$by_id"
	mv shared.debug "$by_id/$(echo "$shared_id" | cut -c 3-).debug"
	named_plainly "dwz and a debug directory" --debug-directory tree
	names_of t > got
	grep -q 'the file of dwz with the names is missing' err ||
		fail "the message does not name dwz's missing file: $(cat err)"
	cmp -s bare got || fail "without dwz's file the names differ: $(diff bare got)"
	cp second.so shared.debug
	names_of t > got
	grep -q 'the file of dwz with the names belongs to another build' err ||
		fail "the message does not name dwz's other file: $(cat err)"
	cmp -s bare got || fail "with another file of dwz the names differ: $(diff bare got)"
fi

# gcc with hooks: functions from the unwind table.
g++ -O1 -fPIC -g -shared -finstrument-functions -Wl,--build-id -o full.so parts.cc
recorded gcc
without_symbols full.so lib/libparts.so
named_plainly gcc
