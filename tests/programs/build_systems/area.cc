// SPDX-License-Identifier: MIT
namespace shapes { __attribute__((noinline)) int square(int side) { return side * side; } }
extern "C" int area(int side) { return shapes::square(side) + 1; }
