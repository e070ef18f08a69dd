// SPDX-License-Identifier: MIT
/* Work-items, barriers and memory, as CUDA and OpenCL name them. */

#define INLINE static inline __attribute__((always_inline))

#ifdef __NVPTX__
#define LOCAL_ID __nvvm_read_ptx_sreg_tid_x()
#define GROUP_ID __nvvm_read_ptx_sreg_ctaid_x()
#define BARRIER() __syncthreads()
#else
#define LOCAL_ID ((uint)get_local_id(0))
#define GROUP_ID ((uint)get_group_id(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#endif

/*
 * Barriers under a condition that is the same for all work-items. PoCL 3.1 miscompiles some of these, so only CUDA
 * skips them; elsewhere, every barrier is executed.
 */
#ifdef __NVPTX__
#define BARRIER_IF(CONDITION) \
	if (CONDITION)        \
	BARRIER()
#define RETURN_BEFORE_BARRIER return;
#else
#define BARRIER_IF(CONDITION) BARRIER()
#define RETURN_BEFORE_BARRIER
#endif

#define ITEMS ((uint)KERNEL_GROUP_ITEMS)

#define LOAD(TYPE, FROM) (*(__global const TYPE *)(FROM))
#define STORE(TYPE, TO) (*(__global TYPE *)(TO))
