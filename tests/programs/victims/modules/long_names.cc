/* SPDX-License-Identifier: MIT */
/* long_names.cc - functions whose linkage names have thousands of characters. */
template <typename A, typename B, typename C> struct Pair {
	template <typename D> struct Inner {
	};
};

typedef Pair<Pair<int, char *, long (*)(int)>, const volatile void *, Pair<char, short, double>::Inner<float>> One;
typedef Pair<One, One *(*)(One), One::Inner<One>> Two;
typedef Pair<Two::Inner<One>, int (*)(Two, One, short), Two::Inner<Two>> Three;

template <typename A, typename B> struct Long {
	__attribute__((noinline)) static int call(A *, B *)
	{
		__asm__ volatile("");
		return 1;
	}
};

/* Mangling shortens repeated parts, so all parts here are different. */
template <int... Numbers> struct List {
};

#define TEN(n) n##0, n##1, n##2, n##3, n##4, n##5, n##6, n##7, n##8, n##9
#define HUNDRED(n) TEN(n##0), TEN(n##1), TEN(n##2), TEN(n##3), TEN(n##4), TEN(n##5), TEN(n##6), TEN(n##7), TEN(n##8), TEN(n##9)
typedef List<HUNDRED(1), HUNDRED(2), HUNDRED(3)> Numbers;

extern "C" int long_names(void)
{
	return Long<Three, Two>::call(nullptr, nullptr) + Long<Numbers, Three>::call(nullptr, nullptr);
}
