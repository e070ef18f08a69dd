// SPDX-License-Identifier: MIT
/*
 * The functions have one signature in all implementations of MPI, but their libraries have many
 * names: libmpi.so.40 (Open MPI), libmpi.so.12 and libmpich.so.12 (MPICH, Intel MPI),
 * libmpi_abi.so.0, libmpi_cray.so.12.
 */
#include "worker/process/mpi.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

struct mpi {
	int (*MPI_Initialized)(int *flag);
	int (*MPI_Finalized)(int *flag);
	int (*MPI_Finalize)(void);
};

/* Stops at the first loaded library that has the functions. */
static int find_mpi(struct dl_phdr_info *info, size_t n_bytes, void *out)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	struct mpi *mpi = out;
	void *library;

	(void)n_bytes;
	if (strncmp(slash ? slash + 1 : info->dlpi_name, "libmpi", strlen("libmpi")) != 0)
		return 0;
	library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return 0;
	*(void **)&mpi->MPI_Initialized = dlsym(library, "MPI_Initialized");
	*(void **)&mpi->MPI_Finalized = dlsym(library, "MPI_Finalized");
	*(void **)&mpi->MPI_Finalize = dlsym(library, "MPI_Finalize");
	return mpi->MPI_Initialized && mpi->MPI_Finalized && mpi->MPI_Finalize;
}

static bool find_active(struct mpi *mpi)
{
	int is_initialized = 0, is_finalized = 0;

	return dl_iterate_phdr(find_mpi, mpi) && !mpi->MPI_Initialized(&is_initialized) &&
	       is_initialized && !mpi->MPI_Finalized(&is_finalized) && !is_finalized;
}

bool mpi_is_active(void)
{
	struct mpi mpi;

	return find_active(&mpi);
}

void mpi_finalize(void)
{
	struct mpi mpi;

	if (find_active(&mpi))
		mpi.MPI_Finalize();
}
