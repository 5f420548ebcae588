/* SPDX-License-Identifier: MIT */
/*
 * gcc_headers.h - includes GCC's headers in the order that they need.
 *
 * GCC forbids names of the C library after its own headers, so the standard headers come first.
 */
#ifndef SPOOR_GCC_HEADERS_H
#define SPOOR_GCC_HEADERS_H

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gcc-plugin.h"
#include "plugin-version.h"
#include "tree.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimplify.h"
#include "tree-pass.h"
#include "context.h"
#include "function.h"
#include "cgraph.h"
#include "stringpool.h"
#include "attribs.h"
#include "basic-block.h"
#include "cfganal.h"
#include "tree-eh.h"
#include "except.h"
#include "memmodel.h"
#include "rtl.h"
#include "emit-rtl.h"
#include "regs.h"
#include "function-abi.h"
#include "output.h"
#include "varasm.h"
#include "cfgrtl.h"
#include "tm_p.h"
#include "target.h"
#include "langhooks.h"
#include "tree-cfg.h"
#include "gimple-ssa.h"
#include "ssa.h"
#include "toplev.h"
#include "diagnostic-core.h"
#include "file-prefix-map.h"
#include "insn-flags.h"

#endif
