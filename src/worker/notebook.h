// SPDX-License-Identifier: MIT
/*
 * Jupyter notebooks (.ipynb, nbformat 4): their code cells, without IPython. Cells are numbered
 * from 1, code cells only, as In [1] after a run of the whole notebook.
 */
#ifndef WORKER_NOTEBOOK_H
#define WORKER_NOTEBOOK_H

#include "worker/python/python.h"

#include "facts/facts.h"

enum { NOTEBOOK_MAX_NOTICES = 20 };

struct notebook_cell {
	PyObject *code, *text; /* references; NULL: the cell is skipped */
};

struct notebook {
	struct arena *arena;
	const char *file_name; /* that of tracebacks, less "#cell3" */
	PyObject *sources;     /* the code cells as the file has them; a list */
	PyObject *compile;     /* builtins.compile */
	size_t n_cells;
	int flags; /* of `from __future__ import` in the cells so far, which later ones inherit */
	int n_skipped;             /* lines and cells */
	struct fact_texts notices; /* lines that only IPython runs, which are skipped */
	const char *failed_step;   /* "cell 3, line 2", if compiling or running it failed */
	const char *not_run;       /* "cells 4 to 7 did not run", of those after it; NULL: none */
};

/* Reads a notebook's contents; -1 with the exception pending. */
int notebook_open(
	struct arena *arena, PyObject *contents, const char *file_name, struct notebook *notebook);

/* Compiles a cell once those before it have run, as Jupyter does; -1 with the exception pending. */
int notebook_compile_cell(struct notebook *notebook, size_t i, struct notebook_cell *out);

/* Runs a compiled cell in names; -1 with the exception pending. */
int notebook_run_cell(struct notebook *notebook, size_t i, PyObject *code, PyObject *names);

void notebook_free(struct notebook *notebook);

#endif
