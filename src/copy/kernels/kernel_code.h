// SPDX-License-Identifier: MIT
/*
 * The code of kernels in the forms that this build has. A kernel is unpacked when it is
 * first needed, with others of its group (tools/pack-kernels), which the process keeps.
 */
#ifndef COPY_KERNELS_KERNEL_CODE_H
#define COPY_KERNELS_KERNEL_CODE_H

#include "base/error.h"
#include "copy/kernels/kernels.h"

/* The form of kernels with that name, such as "spv". NULL: this build lacks it. */
const struct kernel_form *kernel_form_find(const char *name);

/*
 * Native code for a CUDA device of a compute capability: a cubin runs on devices of the same major
 * and the same or a later minor version (CUDA C++ Programming Guide, "Binary Compatibility").
 * NULL: none.
 */
const struct kernel_form *kernel_form_native(int major, int minor);

/*
 * The code, of *n_bytes bytes, and a zero after it; borrowed. NULL: err is set, since it could not
 * be unpacked. Not to be called in several threads at the same time.
 */
const char *kernel_code(const struct kernel *kernel, const struct kernel_form *form,
	size_t *n_bytes, struct err *err);

#endif
