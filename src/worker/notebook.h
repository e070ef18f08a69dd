// SPDX-License-Identifier: MIT
/*
 * Jupyter notebooks (.ipynb, nbformat 4): their code cells, without IPython. Cells are numbered
 * from 1, code cells only, as In [1] after a run of the whole notebook.
 */
#ifndef WORKER_NOTEBOOK_H
#define WORKER_NOTEBOOK_H

#include "worker/python/python.h"

#include "facts/facts.h"

struct notebook_cell {
	PyObject *code, *text; /* references; NULL: the cell is skipped */
};

struct notebook {
	struct notebook_cell *cells; /* in the arena */
	size_t n_cells;
	struct fact_texts notices; /* lines that only IPython runs, which are skipped */
	const char *failed_step;   /* "cell 3, line 2", if compiling or running it failed */
	const char *not_run;       /* "cells 4 to 7 did not run", of those after it; NULL: none */
};

/*
 * Compiles the code cells of a notebook's contents; file_name is that of tracebacks, less "#cell3".
 * -1 with the exception pending.
 */
int notebook_compile(
	struct arena *arena, PyObject *contents, const char *file_name, struct notebook *notebook);

/* Runs a cell in names; -1 with the exception pending. */
int notebook_run_cell(struct arena *arena, struct notebook *notebook, size_t i, PyObject *names);

void notebook_free(struct notebook *notebook);

#endif
