// SPDX-License-Identifier: MIT
/*
 * The cache of compiled kernels: what was stored is read back, and nothing that another user
 * could have written.
 */
#include "devices/opencl/code_cache.h"

#include "base/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/suai-cache-XXXXXX", directory[64];

static const unsigned char code[] = "compiled", other[] = "compiled again";

/* Whether exactly these bytes are cached for the key; NULL: none. */
static bool holds(const char *key, const unsigned char *bytes, size_t n_bytes)
{
	unsigned char *found;
	size_t n_found = 0;
	bool is_there = code_cache_read(key, &found, &n_found);
	bool is_right = bytes ? is_there && n_found == n_bytes && !memcmp(found, bytes, n_bytes)
			      : !is_there && !found;

	free(found);
	return is_right;
}

/* The path of the only entry, or of the one with another name than path. */
static void find_entry(char path[512])
{
	DIR *entries = opendir(directory);
	struct dirent *entry;

	path[0] = '\0';
	while (entries && (entry = readdir(entries)))
		if (entry->d_name[0] != '.')
			snprintf(path, 512, "%s/%s", directory, entry->d_name);
	if (entries)
		closedir(entries);
}

static int count_entries(void)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;
	int n = 0;

	while (entries && (entry = readdir(entries)))
		n += entry->d_name[0] != '.';
	if (entries)
		closedir(entries);
	return n;
}

/* Changes one byte, counted from the end. */
static void corrupt_byte(const char *path, long from_end)
{
	FILE *file = fopen(path, "r+b");
	int byte;

	if (!file)
		return;
	fseek(file, -from_end, SEEK_END);
	byte = fgetc(file);
	fseek(file, -from_end, SEEK_END);
	fputc(byte ^ 1, file);
	fclose(file);
}

static void test_keeps(void)
{
	struct stat status;

	CHECK(holds("key", NULL, 0), "an empty cache");
	code_cache_write("key", code, sizeof(code));
	CHECK(holds("key", code, sizeof(code)), "the stored bytes");
	CHECK(holds("another key", NULL, 0), "another key");
	code_cache_write("key", other, sizeof(other));
	CHECK(holds("key", other, sizeof(other)), "what replaced it");
	CHECK(count_entries() == 1, "%d entries", count_entries());
	CHECK(!stat(directory, &status) && (status.st_mode & 0777) == 0700,
		"mode of the directory");
}

static void test_torn(void)
{
	char path[512];

	find_entry(path);
	for (long at = 1; at < 40; at += 3) {
		code_cache_write("key", code, sizeof(code));
		corrupt_byte(path, at);
		CHECK(holds("key", NULL, 0), "byte %ld from the end was changed", at);
	}
	for (off_t size = 0; size < 35; size += 5) {
		code_cache_write("key", code, sizeof(code));
		CHECK(!truncate(path, size) && holds("key", NULL, 0), "truncated to %ld",
			(long)size);
	}
	code_cache_write("key", code, sizeof(code));
	CHECK(holds("key", code, sizeof(code)), "replaced after corruption");
}

/* As root only: others cannot give a file away. The mode is the one that suai gives. */
static void test_owned_by_others(const char *path)
{
	enum { OTHER_USER = 1 };

	if (geteuid())
		return;
	CHECK(!chown(path, OTHER_USER, (gid_t)-1) && holds("key", NULL, 0),
		"an entry of another user");
	code_cache_write("key", code, sizeof(code));
	CHECK(holds("key", code, sizeof(code)), "the entry was replaced");
	CHECK(!chown(directory, OTHER_USER, (gid_t)-1) && holds("key", NULL, 0),
		"a directory of another user");
	code_cache_write("other", code, sizeof(code));
	CHECK(count_entries() == 1, "%d entries in it", count_entries());
	CHECK(!chown(directory, 0, (gid_t)-1) && holds("key", code, sizeof(code)), "its own again");
}

static void test_foreign(void)
{
	char path[512], elsewhere[512];

	find_entry(path);
	CHECK(!chmod(path, 0644) && holds("key", NULL, 0), "an entry that others read");
	CHECK(!chmod(path, 0600) && holds("key", code, sizeof(code)), "closed again");
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", root);
	CHECK(!rename(path, elsewhere) && !symlink(elsewhere, path) && holds("key", NULL, 0),
		"an entry that is a link");
	code_cache_write("key", code, sizeof(code));
	CHECK(holds("key", code, sizeof(code)), "the link was replaced");
	CHECK(!unlink(path) && !mkfifo(path, 0600) && holds("key", NULL, 0),
		"an entry that is a FIFO");
	code_cache_write("key", code, sizeof(code));
	CHECK(holds("key", code, sizeof(code)) && count_entries() == 1, "the FIFO was replaced");
	test_owned_by_others(path);
	CHECK(!chmod(directory, 0755) && holds("key", NULL, 0), "a directory open to others");
	code_cache_write("new", code, sizeof(code));
	CHECK(!chmod(directory, 0700) && holds("new", NULL, 0), "nothing was written there");
	snprintf(elsewhere, sizeof(elsewhere), "%s/real", root);
	CHECK(!rename(directory, elsewhere) && !symlink(elsewhere, directory) &&
			holds("key", NULL, 0),
		"a directory that is a link");
	CHECK(!unlink(directory) && !rename(elsewhere, directory) &&
			holds("key", code, sizeof(code)),
		"back again");
}

static void test_sessions(void)
{
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", root, 1);
	code_cache_write("home", code, sizeof(code));
	CHECK(holds("home", code, sizeof(code)), "below ~/.cache");
	unsetenv("HOME");
	CHECK(holds("home", NULL, 0), "no home");
	setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
	code_cache_write("home", code, sizeof(code));
	CHECK(holds("home", NULL, 0), "a directory that cannot be created");
}

int main(void)
{
	char command[128];

	if (!mkdtemp(root))
		return 1;
	snprintf(directory, sizeof(directory), "%s/suai", root);
	setenv("XDG_CACHE_HOME", root, 1);
	test_keeps();
	test_torn();
	test_foreign();
	test_sessions();
	snprintf(command, sizeof(command), "rm -rf %s", root);
	CHECK(!system(command), "%s", command);
	return test_end();
}
