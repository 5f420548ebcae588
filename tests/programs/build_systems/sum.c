/* SPDX-License-Identifier: MIT */
int sum(int a, int b);
int sum(int a, int b) { return a + b; }
