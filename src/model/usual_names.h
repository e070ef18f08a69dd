// SPDX-License-Identifier: MIT
/* The usual import names of array libraries. */
#ifndef MODEL_USUAL_NAMES_H
#define MODEL_USUAL_NAMES_H

struct usual_name {
	const char *name, *module; /* "np", "numpy" */
};

/* Ends with a NULL name. */
extern const struct usual_name usual_names[];

/* The module that the name usually stands for; NULL: none. */
const char *usual_module(const char *name);

#endif
