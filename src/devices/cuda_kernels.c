// SPDX-License-Identifier: MIT
/* Kernels on a CUDA place. */
#include "devices/cuda_place.h"

int cuda_copy_strided(struct device_place *place, const struct copy_plan *plan,
	struct device_pointer to, struct device_pointer from, struct device_launch *launch,
	struct err *err)
{
	(void)place, (void)plan, (void)to, (void)from, (void)launch;
	return err_set(err, EXIT_UNAVAILABLE, "this build has no device kernels");
}
