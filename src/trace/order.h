// SPDX-License-Identifier: MIT
/* Whether work is pending on the queue that an exchange passes, for interfaces that pass no event.
 */
#ifndef TRACE_ORDER_H
#define TRACE_ORDER_H

#include <stdbool.h>

/* A dictionary of __sycl_usm_array_interface__; false also if it is unknown. With the GIL, without
 * the lock. Nothing is submitted to the queue. */
bool trace_order_is_pending(void *dictionary);

#endif
