// SPDX-License-Identifier: MIT
/* Writes the elements into the judge's file, block by block, without a second copy in memory. */
#include "base/plural.h"
#include "worker/convert/convert.h"

#include "copy/blocks.h"
#include "copy/npy.h"
#include "devices/mapping.h"
#include "os/working_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { BLOCK_BYTES = 4 << 20 };

/* A file and a block of it. */
struct file_writer {
	struct conversion *conversion;
	struct memory_location location;
	struct mapping source;
	struct transfer transfer;
	int fd;
	char *block;    /* BLOCK_BYTES, or one element if that is more */
	int64_t n_done; /* bytes */
};

static int convert_write_all(int fd, const void *bytes, size_t n_bytes, struct err *err)
{
	const char *at = bytes;

	while (n_bytes) {
		ssize_t n_written = write(fd, at, n_bytes);

		if (n_written < 0 && errno != EINTR)
			return err_set(
				err, EXIT_USAGE, "cannot write the file: %s", strerror(errno));
		if (n_written > 0) {
			at += n_written;
			n_bytes -= (size_t)n_written;
		}
	}
	return 0;
}

/* Whether a block can be written from its memory, without a copy. */
static bool is_ready(const struct file_writer *writer, const struct array *block)
{
	return writer->source.end.location->host_reaches &&
	       writer->conversion->engine != TRANSFER_KERNEL && array_is_c_contiguous(block) &&
	       block->dtype.foreign_order == writer->conversion->result.array.dtype.foreign_order;
}

/* Copies the block in the file's layout to the buffer. */
static int pack_block(struct file_writer *writer, const struct array *block, struct err *err)
{
	const struct conversion *conversion = writer->conversion;
	const struct memory_location host = { .host_reaches = true };
	struct array dense = *block;
	const struct transfer_end from = { block, writer->source.end.location },
				  to = { &dense, &host };
	int rc;

	dense.dtype = conversion->result.array.dtype;
	dense.pointer = (uint64_t)(uintptr_t)writer->block;
	array_set_compact_strides(&dense, 'C');
	WITHOUT_GIL(rc = transfer_run(&writer->transfer, &from, &to, conversion->engine, err));
	if (!rc)
		convert_fill_transfer(writer->conversion, &writer->transfer);
	return rc;
}

static int write_block(void *context, const struct array *block, struct err *err)
{
	struct file_writer *writer = context;
	const void *bytes = (const void *)(uintptr_t)block->pointer;
	int rc;

	if (!is_ready(writer, block)) {
		if (pack_block(writer, block, err))
			return -1;
		bytes = writer->block;
	}
	WITHOUT_GIL(rc = convert_write_all(writer->fd, bytes, (size_t)array_nbytes(block), err));
	writer->n_done += array_nbytes(block);
	convert_report_progress(writer->conversion, writer->n_done);
	return rc;
}

static int write_header(const struct file_writer *writer, struct err *err)
{
	const struct conversion *conversion = writer->conversion;
	const struct element_array *result = &conversion->result;
	struct text header = { 0 };
	int rc;

	if (!conversion->exporter)
		return 0;
	rc = npy_write_header(&header, &result->array, result->descr, conversion->order, err);
	if (!rc)
		rc = convert_write_all(writer->fd, header.bytes, header.n_bytes, err);
	text_free(&header);
	return rc;
}

/* SUAI_FAULT=copy-flip: injects an error that --verify must find. */
static int convert_write_flip_byte(const struct file_writer *writer, struct err *err)
{
	const struct conversion *conversion = writer->conversion;
	off_t at = lseek(writer->fd, -1, SEEK_CUR);
	char byte;

	if (conversion->options->fault != JOB_FAULT_COPY_FLIP ||
		array_nbytes(&conversion->result.array) <= 0)
		return 0;
	if (pread(writer->fd, &byte, 1, at) != 1)
		return err_set(err, EXIT_BUG, "cannot read the file back");
	byte ^= 1;
	return pwrite(writer->fd, &byte, 1, at) == 1
		       ? 0
		       : err_set(err, EXIT_BUG, "cannot rewrite the file");
}

/* Checks the free space first, so that a file that cannot fit does not fill the disk. */
static int check_room(const struct file_writer *writer, struct err *err)
{
	int64_t n_bytes = array_nbytes(&writer->conversion->result.array);
	struct statvfs disk;
	double n_free;

	if (fstatvfs(writer->fd, &disk) || !disk.f_blocks)
		return 0;
	n_free = (double)disk.f_bfree * (double)disk.f_frsize;
	if ((double)n_bytes <= n_free)
		return 0;
	return err_set(err, EXIT_USAGE,
		"cannot write the file: %s: the elements have %lld byte%s, but only %.0f bytes are free",
		strerror(ENOSPC), (long long)n_bytes, plural(n_bytes), n_free);
}

static int write_elements(struct file_writer *writer, struct err *err)
{
	struct conversion *conversion = writer->conversion;
	const struct array *array = writer->source.end.array;
	int64_t item_bytes = dtype_itemsize(&array->dtype);

	writer->block = malloc(item_bytes > BLOCK_BYTES ? (size_t)item_bytes : BLOCK_BYTES);
	if (!writer->block)
		return err_set(err, EXIT_BUG, "cannot allocate memory for a block of the file");
	if (ftruncate(writer->fd, 0))
		return err_set(err, EXIT_USAGE, "cannot write the file: %s", strerror(errno));
	return check_room(writer, err) || write_header(writer, err) ||
			       blocks_visit(array, conversion->order, BLOCK_BYTES, write_block,
				       writer, err) ||
			       convert_write_flip_byte(writer, err)
		       ? -1
		       : 0;
}

/* Maps the source once, not for each block. */
static int write_mapped(struct file_writer *writer, struct err *err)
{
	const struct conversion *conversion = writer->conversion;
	struct err ignored;
	int rc;

	writer->location = convert_source_location(conversion);
	WITHOUT_GIL(mapping_open(&writer->source,
		&(struct transfer_end){ &conversion->source.elements.array, &writer->location },
		conversion->engine, &ignored));
	rc = write_elements(writer, err);
	WITHOUT_GIL(mapping_close(&writer->source, &ignored));
	return rc;
}

int convert_write_file(struct conversion *conversion, struct err *err)
{
	static bool is_written; /* suai may still read the header of the first target's file */
	struct file_writer writer = { .conversion = conversion };
	int rc;

	if (is_written)
		return err_set(err, EXIT_USAGE, "-o accepts only one object");
	is_written = true;
	writer.fd = directory_open(conversion->options->output_path, O_RDWR);
	if (writer.fd < 0)
		return err_set(err, EXIT_USAGE, "cannot write the file: %s", strerror(errno));
	rc = write_mapped(&writer, err);
	convert_end_progress();
	if (close(writer.fd) && !rc)
		rc = err_set(err, EXIT_USAGE, "cannot write the file: %s", strerror(errno));
	free(writer.block);
	return rc;
}
