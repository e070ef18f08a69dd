// SPDX-License-Identifier: MIT
/*
 * The kernels of strided copies, in OpenCL C 1.2. One build makes one kernel, a row of kernels.list:
 *   -DNAME=transpose4 -DTRANSPOSE -DW=4 -DV=4 -DN=16
 * W is the size of an item in bytes, V the number of items in a vector, and N the blocks along a tile's side, the
 * items of the short dimension, or the blocks or vectors of a work-item. The kernel is in the file of its shape, which
 * uses what is included before it.
 *
 * OpenCL builds the source at run time, SYCL uses its SPIR-V, CUDA its PTX. copy/kernels/kernels.h and
 * copy/kernels/kernel_block.h document the arguments. Loops have constant bounds and are unrolled, if need be by the
 * runtime: SPIR-V is generated without optimization, but with all functions inlined.
 */
#include "kernel_constants.h"
#include "cl/group.cl"
#include "cl/divide.cl"
#include "cl/items.cl"

#if defined(TRANSPOSE) || defined(TURN) || defined(BLOCK)
#include "cl/tiles.cl"
#else
#include "cl/loops.cl"
#endif
#if defined(ROWS) || defined(REVERSE) || defined(INTERLEAVE) || defined(DEINTERLEAVE)
#include "cl/across.cl"
#endif
#if defined(INTERLEAVE) || defined(DEINTERLEAVE)
#include "cl/planes.cl"
#endif
#if defined(SQUARE) || defined(TRANSPOSE) || defined(TURN) || defined(BLOCK)
#include "cl/words.cl"
#endif
#if defined(SQUARE) || defined(TRANSPOSE) || defined(TURN)
#include "cl/turn_vectors.cl"
#endif

#if defined(ROWS) || defined(REVERSE)
#include "cl/rows.cl"
#elif defined(FILL)
#include "cl/fill.cl"
#elif defined(GATHER)
#include "cl/gather.cl"
#elif defined(FLAT)
#include "cl/flat.cl"
#elif defined(INTERLEAVE)
#include "cl/interleave.cl"
#elif defined(DEINTERLEAVE)
#include "cl/deinterleave.cl"
#elif defined(SQUARE)
#include "cl/square.cl"
#elif defined(TRANSPOSE)
#include "cl/transpose.cl"
#elif defined(TURN)
#include "cl/turn.cl"
#elif defined(BLOCK)
#include "cl/block.cl"
#else
#error "no shape"
#endif
