/* SPDX-License-Identifier: MIT */
int area(int side);
int sum(int a, int b);
int untraced(int x);
int main(void) { return sum(area(2), untraced(5)); }
