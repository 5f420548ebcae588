#!/bin/sh
# SPDX-License-Identifier: MIT
# strings.sh - constant strings of C, std::string and std::string_view are in the trace as text, by value, by reference
# and as results, by the debug information that clang had, or by GCC's own types. Objects that lead nowhere harm no
# program.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
. "$top_srcdir/tests/integration/support/gcc.sh"
spoor=$top_builddir/tools/spoor

cat > strings.cc << 'END'
#include <memory_resource>
#include <string>
#include <string_view>
#define FAR __attribute__((noinline))
#define KEEP(x) ({ __asm__ volatile("" : : "r"(&(x)) : "memory"); })
/* The allocator comes before the text. */
FAR void allocated(const std::pmr::string &s) { KEEP(s); }
FAR void constant(const char *c, char *buffer, int n) { KEEP(c), KEEP(buffer), KEEP(n); }
FAR void text(const std::string &s, std::string byvalue, const std::string *p, int n) { KEEP(s), KEEP(byvalue), KEEP(p), KEEP(n); }
FAR void view(int n, std::string_view v, const std::string_view &r, double d, std::string_view last)
{
	KEEP(n), KEEP(v), KEEP(r), KEEP(d), KEEP(last);
}
FAR std::string made(int n) { return std::string(static_cast<size_t>(n), 'm'); }
FAR std::string_view part(const std::string &s) { return std::string_view(s).substr(1, 2); }
FAR const char *name(int n) { KEEP(n); return n ? "name" : nullptr; }
struct thing { int k; FAR void method(const std::string &s) { KEEP(s), KEEP(k); } };
static FAR void local(int unused, std::string_view v) { (void)unused; __asm__ volatile("" : : "r"(v.data()), "r"(v.size())); }
struct words { unsigned long a[4]; };
int main()
{
	std::string is_long(100, 'x'), zero("a\0b", 3), is_short("short");
	char buffer[] = "buffer";
	thing t{ 1 };
	words wild{ { 16, 5, 0, 0 } };
	allocated("allocated");
	constant("constant", buffer, 1);
	constant(nullptr, buffer, 2);
	text(is_short, "by value", &is_long, 3);
	text(std::string(), is_long.substr(0, 64), nullptr, 4);
	text(zero, "", reinterpret_cast<std::string *>(32), 5);
	text(*reinterpret_cast<std::string *>(&wild), "", &is_short, 6);
	view(7, std::string_view("viewpoint", 4), std::string_view(is_long), 1.5, "last");
	view(8, std::string_view(), is_short, -1, std::string_view(reinterpret_cast<char *>(48), 3));
	made(3), made(70);
	part(is_short);
	name(1), name(0);
	t.method("to a method");
	local(1, std::string_view(is_short.data(), static_cast<size_t>(t.k) + 2));
	return 0;
}
END
x=$(printf 'x%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32)
x=$x$x m=$(echo "$x" | tr x m)
cat > expected << END
allocated(s=0xADDRESS) strings;
constant(c="constant", buffer=0xADDRESS, n=1) strings;
constant(c=NULL, buffer=0xADDRESS, n=2) strings;
text(s="short", byvalue="by value", p="$x"..., n=3) strings;
text(s="", byvalue="$x", p=NULL, n=4) strings;
text(s="a\\000b", byvalue="", p=<unreadable 0x20>, n=5) strings;
text(s=<unreadable 0x10>, byvalue="", p="short", n=6) strings;
view(n=7, v="view", r="$x"..., d=1.5, last="last") strings;
view(n=8, v="", r="short", d=-1, last=<unreadable 0x30>) strings;
made(n=3) = "mmm" strings;
made(n=70) = "$m"... strings;
part(s="short") = "ho" strings;
name(n=1) = "name" strings;
name(n=0) = NULL strings;
thing::method(this=0xADDRESS, s="to a method") strings;
END

# compared WHAT - compares the texts in a trace of the program strings with the expected ones.
compared()
{
	SPOOR_RUNTIME_FUNCTIONS='allocated*,constant*,text*,view*,made*,part*,name*,thing::*,local*' SPOOR_RUNTIME_ARGS='*' SPOOR_RUNTIME_RETVAL='*' \
		traced strings.trace ./strings 2> err || fail "$1: status $?: $(cat err)"
	silent err
	"$spoor" replay --no-pager strings.trace | sed -n 's/^.*[0-9] [mnu]s *\([a-z:]*(.*) .*;\).*$/\1/p' | sed 's/0x[0-9a-f]\{6,\}/0xADDRESS/g' > shown
	grep -v '^local(' shown | cmp -s expected - || fail "$1: $(diff expected shown)"
}

for level in -O0 -O1 -O2; do
	traced_cxx -std=c++17 $level -o strings strings.cc
	compared "$level"
	case $level in
	-O0) grep -qx 'local(unused=1, v="sho") strings;' shown || fail "$level: $(grep local shown)" ;;
	# The optimiser removed an argument, so that their types are uncertain.
	*) ! grep 'local(.*"' shown || fail "$level: $(grep local shown)" ;;
	esac
done
for version in $(all_gccs); do
	use_gcc "$version"
	for flags in -O0 -O2 '-O2 -flto -Wl,--export-dynamic'; do
		# shellcheck disable=SC2086
		"$spoor_gxx" -std=c++17 -w -g $flags -o strings strings.cc
		compared "g++-$version $flags"
	done
	"$spoor_gxx" -std=c++17 -w -g0 -O2 -o stripped strings.cc
	strip stripped
	SPOOR_RUNTIME_ARGS='*' traced strings.trace ./stripped
	"$spoor" replay --no-pager strings.trace > replayed
	grep -q '(arg1="short", arg2="by value", ' replayed || fail "g++-$version without -g: $(cat replayed)"
done
traced_cxx -std=c++17 -O2 -o strings strings.cc

# A format of the user comes first.
SPOOR_RUNTIME_ARGS='constant(:p,:s),text(:x)' traced strings.trace ./strings
"$spoor" replay --no-pager strings.trace > replayed
grep -q ' constant(c=0x[0-9a-f]*, buffer="buffer") strings;' replayed || fail "format: $(grep constant replayed)"
grep -q ' text(s=0x[0-9a-f]*) strings' replayed || fail "format: $(grep text replayed)"
# A stripped program has the texts.
strip -o stripped strings
SPOOR_RUNTIME_ARGS='*' traced strings.trace ./stripped
"$spoor" replay --no-pager strings.trace > replayed
grep -q '(arg1="short", arg2="by value", ' replayed || fail "stripped: $(cat replayed)"

# libc++'s layout, which its ABI fixes: the lowest bit of the first byte is 1 for a long string.
cat > libcxx.cc << 'END'
#define FAR __attribute__((noinline))
namespace std { inline namespace __1 {
template <class C> struct char_traits {};
template <class C> struct allocator {};
template <class C, class T = char_traits<C>, class A = allocator<C>> struct basic_string {
	union { struct { unsigned long capacity, size; const C *data; } l; struct { unsigned char size; C data[23]; } s; };
	basic_string(const char *text, unsigned long size)
	{
		l.capacity = 0, l.size = 0;
		if (size > 22) {
			l.capacity = size | 1, l.size = size, l.data = text;
			return;
		}
		s.size = static_cast<unsigned char>(2 * size);
		for (unsigned long i = 0; i < size; i++)
			s.data[i] = text[i];
	}
	basic_string(const basic_string &) = default;
	~basic_string() { __asm__ volatile(""); }
};
template <class C, class T = char_traits<C>> struct basic_string_view { const C *data; unsigned long size; };
} }
using string = std::basic_string<char>;
using view = std::basic_string_view<char>;
FAR void take(const string &s, string v, view w, int n) { __asm__ volatile("" : : "r"(&s), "r"(&v), "r"(&w), "r"(n) : "memory"); }
int main()
{
	take(string("little", 6), string("a string of more than 22 bytes", 30), view{ "viewpoint", 4 }, 1);
	take(string("", 0), string("1234567890123456789012", 22), view{ "", 0 }, 2);
}
END
traced_cxx -std=c++17 -O1 -o libcxx libcxx.cc
SPOOR_RUNTIME_ARGS='take*' traced libcxx.trace ./libcxx
"$spoor" replay --no-pager libcxx.trace > replayed
grep -q 'take(s="little", v="a string of more than 22 bytes", w="view", n=1)' replayed || fail "libc++: $(cat replayed)"
grep -q 'take(s="", v="1234567890123456789012", w="", n=2)' replayed || fail "libc++: $(cat replayed)"
