// SPDX-License-Identifier: MIT
/* The table of usual names, for hints and for --call. */
#include "model/usual_names.h"

#include <stddef.h>
#include <string.h>

const struct usual_name usual_names[] = {
	{ "np", "numpy" },
	{ "cp", "cupy" },
	{ "jnp", "jax.numpy" },
	{ "dpt", "dpnp.tensor" },
	{ "pa", "pyarrow" },
	{ "pd", "pandas" },
	{ "nb", "numba" },
	{ "tf", "tensorflow" },
	{ "numpy", "numpy" },
	{ "cupy", "cupy" },
	{ "jax", "jax" },
	{ "torch", "torch" },
	{ "dpnp", "dpnp" },
	{ "dpctl", "dpctl" },
	{ "pyarrow", "pyarrow" },
	{ "pandas", "pandas" },
	{ "numba", "numba" },
	{ "tvm_ffi", "tvm_ffi" },
	{ "ctypes", "ctypes" },
	{ NULL, NULL },
};

const char *usual_module(const char *name)
{
	for (const struct usual_name *row = usual_names; row->name; row++)
		if (!strcmp(row->name, name))
			return row->module;
	return NULL;
}
