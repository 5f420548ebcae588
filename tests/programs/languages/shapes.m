/* SPDX-License-Identifier: MIT */
/* shapes.m - class and instance methods and a category. Each counts its calls. At its end
 * the program prints them as "NAME,CALLS". */
#include <objc/Object.h>
#include <objc/runtime.h>
#include <stdio.h>

static int calls[4];

@interface Shape : Object
{
	int side;
}
+ (int)fibonacci:(int)n;
- (int)area;
@end

@implementation Shape
+ (int)fibonacci:(int)n
{
	calls[0]++;
	return n < 2 ? n : [self fibonacci:n - 1] + [self fibonacci:n - 2];
}
- (int)area
{
	calls[1]++;
	return side * side;
}
@end

@interface Shape (Scaling)
- (void)scale:(int)factor by:(int)more;
@end

@implementation Shape (Scaling)
- (void)scale:(int)factor by:(int)more
{
	calls[2]++;
	side = side * factor * more + 1;
}
@end

int main(void)
{
	Shape *shape = (Shape *)class_createInstance(objc_getClass("Shape"), 0);

	[shape scale:2 by:3];
	if ([Shape fibonacci:6] != 8 || [shape area] != 1)
		return 1;
	printf("+[Shape fibonacci:],%d\n-[Shape area],%d\n-[Shape(Scaling) scale:by:],%d\n", calls[0], calls[1], calls[2]);
	return 0;
}
