// SPDX-License-Identifier: MIT
/*
 * MPI, if the target initialized it. A rank that exits without MPI_Finalize is a failure to the
 * launcher (mpiexec), which then kills the other ranks, and bindings such as mpi4py call it from
 * Py_FinalizeEx(), which a worker does not run.
 */
#ifndef WORKER_PROCESS_MPI_H
#define WORKER_PROCESS_MPI_H

#include <stdbool.h>

/* Whether MPI is initialized in this process and not finalized. */
bool mpi_is_active(void);

/* Calls MPI_Finalize if MPI is active: it waits for the other ranks. */
void mpi_finalize(void);

#endif
