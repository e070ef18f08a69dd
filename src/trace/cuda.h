// SPDX-License-Identifier: MIT
/*
 * Copies between host and device, and waits of streams: functions of the CUDA driver, replaced
 * where a library looks them up, by dlsym() or cuGetProcAddress(). The driver itself is not
 * changed.
 */
#ifndef TRACE_CUDA_H
#define TRACE_CUDA_H

/* The function that a lookup by dlsym() found in the library of handle, or what replaces it. Call
 * without the lock. */
void *trace_cuda_replace(void *handle, const char *name, void *found);

/* Replaces PyEval_RestoreThread: copies without the GIL get their call site afterwards. */
void trace_restore_thread(void *thread_state);

#endif
