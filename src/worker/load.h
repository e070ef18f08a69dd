// SPDX-License-Identifier: MIT
/* Parts of loading a module, which scripts (target.c) and notebooks (load_notebook.c) share. */
#ifndef WORKER_LOAD_H
#define WORKER_LOAD_H

#include "worker/target.h"

/* What a module begins with. */
struct module_body {
	PyObject *code, *name;
	PyObject *file_name; /* NULL: it has none */
	PyObject *spec;      /* NULL: None */
	bool is_main;        /* replaces suai's bootstrap as __main__ */
	bool may_exit;       /* exit status 0 is success */
};

/* Adds the directory of a file to sys.path, as for a script. */
void load_enter_directory_of(const char *file);

/* Sets sys.argv: the name and the arguments of the job. */
void load_set_arguments(const char *name, const struct job_words *words);

/* The contents of a file as bytes; NULL with OSError pending. */
PyObject *load_read_file(const char *path);

/* The dictionary of a new module. It is added to sys.modules, since dataclasses and pickle look it
 * up there, unless another module has the name, loaded or built in: *registers. NULL with the
 * exception pending. */
PyObject *load_new_module(const struct module_body *body, bool *registers);

/* Whether the pending exception is sys.exit() with None or an int that is 0, which ends a program
 * successfully; as Python does, False and subclasses count. */
bool load_is_successful_exit(void);

/* The dictionary of a notebook. NULL with the exception pending; an exception may also be pending
 * if the objects of the cells before a failed one are of use (struct loaded). */
PyObject *load_notebook(
	struct arena *arena, const char *path, const struct job *job, struct loaded *loaded);

#endif
