/* SPDX-License-Identifier: MIT */
/*
 * type_seeds.c - functions with parameters of all kinds of types. This made the corpus of fuzz_dwarf_types:
 *
 *   options="-O1 -nostdlib -static -no-pie -fno-stack-protector -fcf-protection=none -falign-functions=16
 *            -fno-asynchronous-unwind-tables -w -Wl,-Ttext=0x10000,--build-id=none,-e,nothing,-z,noseparate-code"
 *   gcc -gdwarf-4 $options -o corpus/dwarf_types/c_dwarf4 type_seeds.c
 *   clang -gdwarf-5 $options -o corpus/dwarf_types/c_dwarf5 type_seeds.c
 *   g++ -gdwarf-5 $options -fno-rtti -D_Bool=bool -x c++ -o corpus/dwarf_types/cxx_dwarf5 type_seeds.c
 */
#ifdef __cplusplus
#define RAW extern "C"
#else
#define RAW
#endif
enum colour { RED = 1, GREEN = 2, BLUE = 4 };
struct pair { int a; double b; };
struct bits { unsigned int low : 3; int high : 13; signed char rest; };
union either { long whole; float parts[2]; };
struct large { struct pair pairs[3]; const char *name; union either either; struct large *next; };
typedef float four __attribute__((vector_size(16)));
typedef int (*callback)(struct pair, enum colour);

RAW int integers(signed char a, unsigned short b, int c, unsigned long d, __int128 e, _Bool f) { return a + b + c + (int)d + (int)e + f; }
RAW double reals(float a, double b, long double c, _Complex double d) { (void)d; return (double)(a + b + c); }
RAW struct pair structures(struct pair a, struct bits b, union either c, struct large d) { (void)b, (void)c, (void)d; return a; }
RAW struct large whole(struct large *a, const char *b, char c[4], enum colour d) { (void)b, (void)c, (void)d; return *a; }
RAW four vectors(four a, callback b) { (void)b; return a; }
RAW void nothing(void) { }
#ifdef __cplusplus
namespace room {
template <class T> struct box { T content; virtual ~box() { } int count(const T &other, T &&moved) const; };
template <> int box<long>::count(const long &other, long &&moved) const { return (int)(content + other + moved); }
enum class side : unsigned char { LEFT, RIGHT };
side turn(side from, pair &&one, decltype(nullptr)) { return one.a ? from : side::RIGHT; }
}
extern "C" void *__dso_handle, *_ZTVN10__cxxabiv117__class_type_infoE[3];
void *__dso_handle, *_ZTVN10__cxxabiv117__class_type_infoE[3];
void operator delete(void *) noexcept { }
void operator delete(void *, unsigned long) noexcept { }
#endif
