// SPDX-License-Identifier: MIT
/*
 * The list of protocols, for the judge and the worker. Adding one: a line here, protocols/x.c
 * (x_protocol), worker/capture/x.c (x_capture), worker/export/x.c (x_exporter) if convert creates
 * objects that export it, and rules/x/. Shown and captured in this order.
 */
#ifndef PROTOCOLS_NAMES_H
#define PROTOCOLS_NAMES_H

/* Names as rules and messages spell them; other code uses the descriptor. */
#define PROTOCOL_SYCL "sycl"
#define PROTOCOL_CUDA "cuda"
#define PROTOCOL_DLPACK "dlpack"
#define PROTOCOL_NUMPY "numpy"
#define PROTOCOL_NUMPY_STRUCT "numpy-struct"
#define PROTOCOL_BUFFER "buffer"
#define PROTOCOL_NPY "npy"

/* EACH(symbol, name, whether convert creates objects that export it). */
#define PROTOCOL_LIST(EACH)                           \
	EACH(sycl, PROTOCOL_SYCL, EXPORTED)           \
	EACH(cuda, PROTOCOL_CUDA, EXPORTED)           \
	EACH(dlpack, PROTOCOL_DLPACK, EXPORTED)       \
	EACH(numpy, PROTOCOL_NUMPY, EXPORTED)         \
	EACH(numpy_struct, PROTOCOL_NUMPY_STRUCT, NO) \
	EACH(buffer, PROTOCOL_BUFFER, EXPORTED)

/* Protocols of files: the judge reads them itself, so they have no capture. */
#define FILE_PROTOCOL_LIST(EACH) EACH(npy, PROTOCOL_NPY, NO)

/* "sycl cuda ...": all protocols of objects, and those that convert exports. */
#define PROTOCOL_NAMES (&(PROTOCOL_LIST(PROTOCOL_WORD))[1])
#define PROTOCOL_EXPORTED_NAMES (&(PROTOCOL_LIST(PROTOCOL_WORD_IF))[1])

#define PROTOCOL_WORD(SYMBOL, NAME, EXPORT) " " NAME
#define PROTOCOL_WORD_IF(SYMBOL, NAME, EXPORT) PROTOCOL_WORD_IF_##EXPORT(NAME)
#define PROTOCOL_WORD_IF_EXPORTED(NAME) " " NAME
#define PROTOCOL_WORD_IF_NO(NAME)

#endif
