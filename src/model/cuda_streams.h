// SPDX-License-Identifier: MIT
/* How __cuda_array_interface__ and, for CUDA, __dlpack__ denote streams by numbers. */
#ifndef MODEL_CUDA_STREAMS_H
#define MODEL_CUDA_STREAMS_H

enum {
	CUDA_STREAM_LEGACY = 1,
	CUDA_STREAM_PER_THREAD = 2,
	CUDA_STREAM_FIRST_HANDLE = 3, /* from here on, the number is a CUstream */
};

/* The first version of __cuda_array_interface__ with a stream. */
enum { CUDA_INTERFACE_WITH_STREAM = 3 };

#endif
