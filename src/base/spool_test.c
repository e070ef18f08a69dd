// SPDX-License-Identifier: MIT
/* Records of a temporary file, and that one which cannot be read to its end is not taken for one
 * that has ended. */
#include "base/spool.h"

#include "base/array_size.h"
#include "base/test.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_records(void)
{
	static const size_t lengths[] = { 0, 1, 4095, 4096, 4097, 100000 };
	static char bytes[100000];
	struct text record = { 0 };
	struct err err = { 0 };
	FILE *spool = spool_open(&err);

	memset(bytes, 'x', sizeof(bytes));
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		CHECK(!spool_write_record(spool, bytes, lengths[i], &err), "%s", err.message);
	CHECK(!spool_rewind(spool, &err), "%s", err.message);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		CHECK(spool_read_record(spool, &record, &err) == 1, "%s", err.message);
		CHECK(record.n_bytes == lengths[i] &&
				(!lengths[i] || !memcmp(record.bytes, bytes, lengths[i])),
			"%zu bytes of %zu", record.n_bytes, lengths[i]);
	}
	CHECK(!spool_read_record(spool, &record, &err), "not the end");
	text_free(&record);
	fclose(spool);
}

/* The first n_bytes of a record of 3 bytes. */
static void check_truncated(size_t n_bytes, int expected)
{
	struct text record = { 0 };
	struct err err = { 0 };
	FILE *spool = spool_open(&err);
	int status;

	CHECK(!spool_write_record(spool, "abc", 3, &err), "%s", err.message);
	fflush(spool);
	CHECK(!ftruncate(fileno(spool), (off_t)n_bytes), "%zu bytes", n_bytes);
	CHECK(!spool_rewind(spool, &err), "%s", err.message);
	status = spool_read_record(spool, &record, &err);
	CHECK(status == expected && (status >= 0 || strstr(err.message, "truncated")),
		"%d of %zu bytes: %s", status, n_bytes, err.message);
	text_free(&record);
	fclose(spool);
}

/* Reading a directory fails. */
static void test_unreadable(void)
{
	struct text record = { 0 };
	struct err err = { 0 };
	FILE *spool = fdopen(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "r");

	CHECK(spool_read_record(spool, &record, &err) == -1 && strstr(err.message, "directory"),
		"%s", err.message);
	text_free(&record);
	fclose(spool);
}

/* Whether a temporary file is in the directory, if TMPDIR is set to it. */
static bool is_spooled_in(const char *directory)
{
	char link[64], path[4096] = "";
	struct err err = { 0 };
	FILE *spool;

	setenv("TMPDIR", directory, 1);
	spool = spool_open(&err);
	CHECK(spool, "%s", err.message);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fileno(spool));
	CHECK(readlink(link, path, sizeof(path) - 1) > 0, "%s", link);
	fclose(spool);
	unsetenv("TMPDIR");
	return !strncmp(path, directory, strlen(directory)) && path[strlen(directory)] == '/';
}

static void test_directory(void)
{
	char directory[] = "/tmp/spool-test-XXXXXX";

	CHECK(mkdtemp(directory), "%s", directory);
	CHECK(is_spooled_in(directory), "not in $TMPDIR");
	setenv("SUAI_NO_TMPFILE", "1", 1);
	CHECK(is_spooled_in(directory), "not in $TMPDIR without O_TMPFILE");
	unsetenv("SUAI_NO_TMPFILE");
	CHECK(!rmdir(directory), "the file has a name in %s", directory);
	CHECK(!is_spooled_in(directory), "in a directory that does not exist");
}

int main(void)
{
	test_directory();
	test_records();
	check_truncated(0, 0);
	check_truncated(1, -1);
	check_truncated(sizeof(size_t), -1);
	check_truncated(sizeof(size_t) + 2, -1);
	check_truncated(sizeof(size_t) + 3, 1);
	test_unreadable();
	return test_end();
}
