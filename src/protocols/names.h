// SPDX-License-Identifier: MIT
/*
 * The one list of protocols. Adding one: a line here, protocols/x.c (which defines
 * x_protocol), worker/capture/x.c (x_capture) and rules/x/. Shown and captured in this order.
 */
#ifndef PROTOCOLS_NAMES_H
#define PROTOCOLS_NAMES_H

#define PROTOCOL_LIST(EACH) \
	EACH(sycl)          \
	EACH(cuda)          \
	EACH(dlpack)        \
	EACH(numpy)         \
	EACH(numpy_struct)  \
	EACH(buffer)

/* Protocols of files: the judge reads them itself, so they have no capture. */
#define FILE_PROTOCOL_LIST(EACH) EACH(npy)

#endif
