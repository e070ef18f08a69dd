// SPDX-License-Identifier: MIT
/* Whether work is pending on the queue that an exchange passes, for interfaces that pass no event,
 * or, on CUDA, on a stream that it does not name. */
#ifndef TRACE_ORDER_H
#define TRACE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* Whether work is pending on the queue of a dictionary of __sycl_usm_array_interface__; false if
 * that is unknown. Submits nothing to the queue. Call with the GIL and without the lock. */
bool trace_order_is_pending(void *dictionary);

/* Whether work of the producer, whose memory a __cuda_array_interface__ describes, is pending on a
 * stream that it does not name. */
bool trace_order_is_cuda_pending(
	void *dictionary, uint32_t producer, uint64_t address, uint64_t n_bytes);

/* What an exporter of DLPack, which is about to create a capsule, was asked to do about streams: to
 * synchronize with none (stream=-1), or nothing that is visible. */
enum trace_stream_request { STREAM_IS_GIVEN, STREAM_IS_EXCLUDED, STREAM_IS_UNSEEN };

/* Reads the request from the frame of a __dlpack__ that is written in Python. With the GIL, without
 * the lock. */
enum trace_stream_request trace_order_request(void);

/* Whether such a __dlpack__ was called with copy=True. With the GIL, without the lock. */
bool trace_order_requests_copy(void);

#endif
