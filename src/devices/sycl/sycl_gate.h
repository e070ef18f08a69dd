// SPDX-License-Identifier: MIT
/* A gate on the queue of a SYCL session (devices/gate.h). */
#ifndef DEVICES_SYCL_SYCL_GATE_H
#define DEVICES_SYCL_SYCL_GATE_H

#include "devices/device.h"
#include "devices/gate.h"

/*
 * Gives a shut gate on the session's queue, behind which all work waits that is submitted from now
 * on, whether the queue keeps an order or not; end it with sycl_gate_end. NULL with err set
 * (EXIT_UNAVAILABLE) where no kernel can be had for it.
 */
struct gate *sycl_gate_shut(struct device_session *session, struct err *err);

/* Opens the gate, waits until the queue has passed it, and frees it. */
void sycl_gate_end(struct device_session *session, struct gate *gate);

#endif
