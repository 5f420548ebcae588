#!/bin/sh
# SPDX-License-Identifier: MIT
# types.sh - arguments and results have the names, enumerations, structures and signs of the source. Debug information
# comes from the program, from .dwo files and from a debug file, by each compiler. A parameter that the optimiser
# removed gives no other parameter its name. Without debug information the values have numbers.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
. "$top_srcdir/tests/integration/support/gcc.sh"
spoor=$top_builddir/tools/spoor
"$spoor" doctor > doctor.out 2>&1 || true
! grep -q 'built without libdw' doctor.out || skip "this spoor was built without libdw: apt-get install libdw-dev"

cat > types.cc << 'END'
#include <stdint.h>
#define FAR __attribute__((noinline))
#define KEEP(x) ({ __asm__ volatile("" : : "r"(&(x)) : "memory"); })
enum mode { NONE, READ = 1, WRITE = 2, EXEC = 4, ALL = 7 };
enum class color : signed char { red = -1, green, blue = 5 };
struct point { int x, y; };
struct mixed { double d; char c; bool b; };
struct large { long a[3]; char name[16]; };
struct bits { unsigned a : 3; int b : 5; color c : 8; };
struct base { int id; };
struct empty {};
struct derived : base, empty { float w; union { int i; unsigned u; } u; };
struct floats { float a, b; };
struct kept { int v; kept(int v) : v(v) {} kept(const kept &o) : v(o.v) {} ~kept() { KEEP(v); } };
FAR int scalars(bool b, char c, signed char sc, uint8_t u8, short s, unsigned short us, int i, unsigned u, long l,
		unsigned long ul)
{
	KEEP(b), KEEP(c), KEEP(sc), KEEP(u8), KEEP(s), KEEP(us), KEEP(i), KEEP(u), KEEP(l), KEEP(ul);
	return i;
}
FAR double reals(float f, double d, long double ld, float _Complex fc, double _Complex dc)
{
	KEEP(f), KEEP(d), KEEP(ld), KEEP(fc), KEEP(dc);
	return d / 3;
}
FAR mode enums(mode m, color c, mode n) { KEEP(m), KEEP(c), KEEP(n); return n; }
FAR point structs(point p, mixed m, large l, bits b, derived d, empty e, floats f, int last)
{
	KEEP(p), KEEP(m), KEEP(l), KEEP(b), KEEP(d), KEEP(e), KEEP(f), KEEP(last);
	return point{ p.y, p.x };
}
FAR mixed both(int n) { KEEP(n); return mixed{ n * 1.5, 'q', true }; }
struct held { int v; ~held() { KEEP(v); } };
FAR held made(int n) { held h = { n + 1 }; KEEP(h); return h; }
FAR large returned(point p, kept k, int n) { KEEP(p), KEEP(k); return large{ { n, 2, -3 }, "hello" }; }
struct wide { int numbers[20]; ~wide() { KEEP(numbers); } };
FAR wide copied(wide w) { KEEP(w); return w; }
FAR int others(kept n, char32_t w, __int128 big, unsigned __int128 ubig) { KEEP(n), KEEP(w), KEEP(big), KEEP(ubig); return n.v; }
/* After the last register of one kind, structures are on the stack and in registers of the other kind. */
FAR int no_general(int a, int &b, short c, short d, __int128 e, int &f, floats g, unsigned long h, kept i, point j, mixed k, int l)
{
	KEEP(a), KEEP(b), KEEP(c), KEEP(d), KEEP(e), KEEP(f), KEEP(g), KEEP(h), KEEP(i), KEEP(j), KEEP(k), KEEP(l);
	return a;
}
FAR int no_vectors(double a, double b, double c, double d, double e, double f, double g, floats h, floats i, point j, mixed k,
		   float _Complex m, double _Complex o, int l)
{
	KEEP(a), KEEP(b), KEEP(c), KEEP(d), KEEP(e), KEEP(f), KEEP(g), KEEP(h), KEEP(i), KEEP(j), KEEP(k), KEEP(m), KEEP(o);
	KEEP(l);
	return l;
}
/* Two registers of one structure, a structure of three bytes, and a class whose unnamed bits take a register. */
struct three { int a, b, c; };
struct bytes { unsigned char r, g, b; };
struct unnamed { int : 5; };
FAR three registers(int a, int b, three c, int d, bytes e, unnamed, long f)
{
	KEEP(a), KEEP(b), KEEP(c), KEEP(d), KEEP(e), KEEP(f);
	return three{ d, (int)f, a };
}
/* The constructor of the whole object has no parameter for the virtual base. */
struct child : virtual base { int n; FAR child(int n, const int *p, int m) : n(n + m) { KEEP(n), KEEP(p), KEEP(m); } };
/* GCC passes a part of a structure in the place of the structure. */
static FAR int parts(point p, int n) { __asm__ volatile("" : : "r"(p.y), "r"(n)); return p.y + n; }
struct thing {
	int k;
	FAR int method(int n) const { KEEP(n); return k + n; }
};
static FAR int dropped(int unused, int n, int unused2, unsigned char letter, double d)
{
	(void)unused, (void)unused2;
	__asm__ volatile("" : : "r"(n), "r"((int)letter));
	return n + (int)d;
}
static FAR int many(int a, int b, int c, int d, int e, int f, unsigned char letter, long last)
{
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
	__asm__ volatile("" : : "r"((int)letter), "r"(last));
	return a;
}
int main()
{
	volatile int two = 2;
	thing t;
	KEEP(t);
	t.k = 3;
	scalars(true, 'a', -5, 200, -3, 65000, -70000, 4000000000u, -1, -1);
	reals(1.5f, 2.25, 3.125L, 1.0f + 2.0fi, 3.0 - 4.0i);
	enums((mode)5, color::red, NONE);
	enums((mode)10, color::blue, ALL);
	structs(point{ 1, -2 }, mixed{ 2.5, 'x', true }, large{ { 1, 2, -3 }, "hello" }, bits{ 5, -3, color::green },
		derived{ { 9 }, {}, 1.5f, { 1 } }, empty(), floats{ 0.5, -1 }, 77);
	both(3);
	others(kept(5), U'\u00e9', -1, 1);
	made(6);
	no_general(two, t.k, -3, 4, 5, t.k, floats{ 6.5, -7 }, 8, kept(9), point{ 10, -11 }, mixed{ 12.5, 'l', true }, 13);
	no_vectors(1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, floats{ 8, 8.5 }, floats{ 9, 9.5 }, point{ 10, -11 },
		   mixed{ 12.5, 'l', true }, 13.0f + 14.5fi, 15.0 - 16.5i, two);
	registers(two, -two, three{ 3, -4, 5 }, 6, bytes{ 7, 8, 9 }, unnamed(), 10);
	KEEP(*new child(two, &t.k, 4));
	t.k += parts(point{ two - 1, two }, two + 1) > 99;
	returned(point{ 3, 4 }, kept(-5), 1);
	wide w = {};
	for (int i = 0; i < 20; i++)
		w.numbers[i] = i * two;
	copied(w);
	t.k = many(two, -two, two + 1, two + 2, two + 3, two + 4, (unsigned char)(two + 118), -two - 5L) + 1;
	return t.method(4) + dropped(1, two, 3, (unsigned char)(two + 118), two + 2.5) > 0 ? 0 : 1;
}
END
# Known from the source.
cat > expected << 'END'
scalars(b=true, c='a', sc=-5, u8=200, s=-3, us=65000, i=-70000, u=4000000000, l=-1, ul=18446744073709551615) = -70000
reals(f=1.5, d=2.25, ld=3.125, fc=1+2i, dc=3-4i) = 0.75
enums(m=READ|EXEC, c=red, n=NONE) = NONE
enums(m=WRITE|0x8, c=blue, n=ALL) = ALL
structs(p={x=1, y=-2}, m={d=2.5, c='x', b=true}, l={a=[1, 2, -3], name="hello"}, b={a=5, b=-3, c=green}, d={base={id=9}, w=1.5, u={i=1, u=1}}, f={a=0.5, b=-1}, last=77) = {x=-2, y=1}
both(n=3) = {d=4.5, c='q', b=true}
others(n={v=5}, w='é', big=-1, ubig=1) = 5
made(n=6) = {v=7}
no_general(a=2, b=0xADDRESS, c=-3, d=4, e=5, f=0xADDRESS, g={a=6.5, b=-7}, h=8, i={v=9}, j={x=10, y=-11}, k={d=12.5, c='l', b=true}, l=13) = 2
no_vectors(a=1.5, b=2.5, c=3.5, d=4.5, e=5.5, f=6.5, g=7.5, h={a=8, b=8.5}, i={a=9, b=9.5}, j={x=10, y=-11}, k={d=12.5, c='l', b=true}, m=13+14.5i, o=15-16.5i, l=2) = 2
registers(a=2, b=-2, c={a=3, b=-4, c=5}, d=6, e={r=7, g=8, b=9}, f=10) = {a=6, b=10, c=2}
returned(p={x=3, y=4}, k={v=-5}, n=1) = {a=[1, 2, -3], name="hello"}
copied(w={numbers=[0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, ...]}) = {numbers=[0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, ...]}
many(a=2, b=-2, c=3, d=4, e=5, f=6, letter=120, last=-7) = 2
thing::method(this=0xADDRESS, n=4) = 7
END

# shown PROGRAM [OPTION...] - writes the calls of the program's trace to the file shown.
shown()
{
	shown_of=$1
	shift
	rm -rf types.trace
	SPOOR_RUNTIME_ARGS='*' SPOOR_RUNTIME_RETVAL='*' traced types.trace "./$shown_of" 2> err || fail "$shown_of: status $?: $(cat err)"
	silent err
	"$spoor" replay --no-pager "$@" types.trace 2> err | sed 's/0x[0-9a-f]\{6,\}/0xADDRESS/g' > replayed
	# GCC passes a class that has nothing but unnamed bits.
	sed -n -e 's/ arg6=[-0-9{}]*,//' -e "s/^.*[0-9] [mnu]s *\(.*) = .*\) $shown_of;\$/\1/p" replayed > shown
	silent err
}

# An emulator does not read memory for spoor, so objects that are passed by their address have it in the place of their
# contents. AArch64 passes an empty class, too.
masked()
{
	if [ -z "$emulated" ]; then
		cat "$1"
		return
	fi
	sed -e 's/ e={},//' -e 's/\([klwni]\)=\({\(v=\|numbers\|a=\[\)[^}]*}\|0xADDRESS\)/\1=OBJECT/g' \
		-e 's/ = \({\(v=\|numbers\|a=\[\).*\|<in memory .*\)/ = OBJECT/' "$1"
}

# same PROGRAM [OPTION...] - compares the calls with the expected ones.
same()
{
	shown "$@"
	grep -v 'dropped\|^parts(' shown > compared
	masked compared > seen
	masked expected | cmp -s - seen || fail "$*: $(masked expected | diff - seen)"
	grep -q 'child::child(this=0xADDRESS, n=2, p=0xADDRESS, m=4)' replayed || fail "$*: $(grep child:: replayed)"
	if grep '^parts(' shown | grep -v '(p={x=1, y=2}, n=3) = 5$\|([^p].*n=3) = 5$'; then
		fail "$*: a part of a structure has the structure's name"
	fi
}

set -- '-O0' '-O2' '-O3 -gdwarf-4' '-O0 -gdwarf-4 -gsplit-dwarf' '-O2 -gdwarf-5 -gsplit-dwarf'
[ -z "$emulated" ] || set -- -O0 -O2
for flags; do
	traced_cxx -std=c++17 -Wno-c99-extensions -Wno-gnu-imaginary-constant $flags -o types types.cc
	same types
	case $flags in
	-O0*) wanted='dropped(unused=1, n=2, unused2=3, letter=120, d=4.5) = 6' ;;
	*) wanted='dropped(n=2, letter=120, d=4.5) = 6' ;;	# without the unused parameters
	esac
	grep -qx "$wanted" shown || fail "$flags: $(grep dropped shown)"
done
for version in 14 19; do
	command -v "clang-$version" > /dev/null || continue
	for level in -O0 -O2; do
		SPOOR_CXX=clang++-$version "$SPOOR_DRIVERS/spoor-c++" -std=c++17 -w -g $level -o "types.$version" types.cc 2> said || {
			grep -q 'cannot find the plugin' said && continue
			fail "clang++-$version: $(cat said)"
		}
		same "types.$version"
	done
done
# GCC gives a changed function another symbol; one that keeps its own has all parameters of the source. When GCC optimises
# the whole program, it would change most of these functions.
# GCC passes these arguments in places of their own.
cat > odd.c << 'END'
struct flexible { float n, a[]; };
struct zero { int z[0]; float f; };
struct aligned { _Alignas(16) float a; float b; };
float take(double a, double b, double c, double d, double e, double f, double g, double h, struct flexible i, struct zero j,
	   struct aligned k, float l)
{
	return i.n + j.f + k.b + l;
}
float take_longs(long a, long b, long c, long d, long e, long f, long g, long h, struct flexible i, struct zero j, float k)
{
	return i.n + j.f + k;
}
END
set -- '-O0' '-O2' '-O3 -gdwarf-4' '-O2 -flto -fno-ipa-cp -fno-ipa-sra'
[ -z "$emulated" ] || set -- -O0 -O2
for version in $(all_gccs); do
	use_gcc "$version"
	"$spoor_gcc" -w -O2 -c -o odd.o odd.c
	for flags; do
		# shellcheck disable=SC2086
		"$spoor_gxx" -std=gnu++17 -w -g $flags -o types.gcc types.cc
		same types.gcc
		case $flags in
		-O0 | *-sra) wanted='dropped(unused=1, n=2, unused2=3, letter=120, d=4.5) = 6' ;;
		*) wanted='dropped(n=2, letter=120, d=4.5) = 6' ;;
		esac
		grep -qx "$wanted" shown || fail "g++-$version $flags: $(grep dropped shown)"
	done
done

# The exports have the same names and texts.
shown types
"$spoor" export --format=json --flat -o types.json types.trace
python3 - << 'END'
import json
with open("types.json", encoding="utf-8") as file:
    events = [event for event in json.load(file)["events"] if event.get("function", "").startswith("enums")]
assert events[0]["arguments"][0] == {"name": "m", "value": "READ|EXEC"}, events[0]
assert events[1]["result"] == [{"name": "result", "value": "NONE"}], events[1]
END

# The user's names and formats come first.
SPOOR_RUNTIME_ARGS='enums(mine:,:d,:x),others(:p),made' SPOOR_RUNTIME_RETVAL='made(:p)' traced types.trace ./types
"$spoor" replay --no-pager types.trace > replayed
grep -q 'enums(mine=READ|EXEC, c=-1, n=0x0)' replayed || fail "choice: $(grep enums replayed)"
grep -q 'others(n=0x[0-9a-f]*)' replayed || fail "choice: $(grep others replayed)"
grep -q 'made(n=6) = <in memory at 0x[0-9a-f]*> types;' replayed || fail "choice: $(grep made replayed)"

# Debug information in a file of its own, and none at all.
traced_cxx -std=c++17 -Wno-c99-extensions -Wno-gnu-imaginary-constant -O0 -Wl,--build-id -o types types.cc
build_id=$(readelf -n types | sed -n 's/^ *Build ID: //p')
mkdir -p empty debug/.build-id/"$(echo "$build_id" | cut -c 1-2)"
objcopy --only-keep-debug types "debug/.build-id/$(echo "$build_id" | sed 's|^..|&/|').debug"
strip --strip-debug types
same types --debug-directory debug
shown types --debug-directory empty
grep -qx 'thing::method(arg1=0xADDRESS, arg2=4) = 7' shown || fail "without debug information: $(cat shown)"
grep -q '^others(arg1=0xADDRESS, arg2=' shown || fail "without debug information: $(cat shown)"
grep -qx 'made(arg1=6) = <in memory at 0xADDRESS>' shown || fail "without debug information: $(cat shown)"
grep -q '^structs(arg1=.*, arg2=.*, arg3=.*) = ' shown || fail "without debug information: $(cat shown)"
