// SPDX-License-Identifier: MIT
/*
 * An entry consists of a head (magic, checksum, sizes), the key, and the bytes; its name is the
 * checksum of the key.
 */
#include "devices/opencl/code_cache.h"

#include "base/crc32.h"
#include "base/debug.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ENTRY_BYTES = 64 << 20, MAX_PATH = 4096 };

struct entry_head {
	char magic[8];
	uint32_t crc32; /* of the key and the bytes */
	uint32_t key_bytes;
	uint64_t n_bytes;
};

static const char magic[8] = "suai-k1";

static bool is_private(int fd, mode_t type)
{
	struct stat status;

	return !fstat(fd, &status) && (status.st_mode & S_IFMT) == type &&
	       status.st_uid == geteuid() && !(status.st_mode & 077);
}

/* Opens the directory, which is created if missing; -1 if there is none that can be trusted. */
static int open_directory(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char parent[MAX_PATH], path[MAX_PATH + 8];
	int fd;

	if (cache && cache[0] == '/')
		snprintf(parent, sizeof(parent), "%s", cache);
	else if (home && home[0] == '/')
		snprintf(parent, sizeof(parent), "%s/.cache", home);
	else
		return -1;
	snprintf(path, sizeof(path), "%s/suai", parent);
	mkdir(parent, 0700);
	mkdir(path, 0700);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		DEBUG_LOG("cache", "not using '%s': %s", path, strerror(errno));
		return -1;
	}
	if (is_private(fd, S_IFDIR))
		return fd;
	DEBUG_LOG("cache", "not using '%s': it is owned by another user or accessible to others",
		path);
	close(fd);
	return -1;
}

static void name_entry(char name[32], const char *key)
{
	size_t n_chars = strlen(key);
	uint32_t sum = crc32_add(0, key, n_chars);

	snprintf(name, 32, "%08x%08x.bin", sum, crc32_add(sum, key, n_chars));
}

static uint32_t sum_entry(const char *key, const unsigned char *bytes, size_t n_bytes)
{
	return crc32_add(crc32_add(0, key, strlen(key)), bytes, n_bytes);
}

static bool code_cache_read_all(int fd, void *to, size_t n_bytes)
{
	for (size_t done = 0; done < n_bytes;) {
		ssize_t n = read(fd, (char *)to + done, n_bytes - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool code_cache_write_all(int fd, const void *from, size_t n_bytes)
{
	for (size_t done = 0; done < n_bytes;) {
		ssize_t n = write(fd, (const char *)from + done, n_bytes - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Gives the bytes of an entry for the key; NULL if it is not valid. */
static unsigned char *read_entry(int fd, const char *key, size_t *n_bytes)
{
	struct entry_head head;
	unsigned char *bytes;
	char *its_key;
	bool is_good;

	if (!is_private(fd, S_IFREG) || !code_cache_read_all(fd, &head, sizeof(head)) ||
		memcmp(head.magic, magic, sizeof(magic)) != 0 || head.key_bytes != strlen(key) ||
		head.n_bytes > MAX_ENTRY_BYTES)
		return NULL;
	its_key = mem_alloc(head.key_bytes + (size_t)1);
	bytes = mem_alloc(head.n_bytes + 1);
	is_good = code_cache_read_all(fd, its_key, head.key_bytes) && !strcmp(its_key, key) &&
		  code_cache_read_all(fd, bytes, head.n_bytes) &&
		  sum_entry(key, bytes, head.n_bytes) == head.crc32;
	free(its_key);
	if (is_good) {
		*n_bytes = head.n_bytes;
		return bytes;
	}
	free(bytes);
	return NULL;
}

bool code_cache_read(const char *key, unsigned char **bytes, size_t *n_bytes)
{
	int directory = open_directory(), fd = -1;
	char name[32];

	*bytes = NULL;
	if (directory < 0)
		return false;
	name_entry(name, key);
	fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0) {
		*bytes = read_entry(fd, key, n_bytes);
		if (!*bytes)
			DEBUG_LOG("cache", "'%s' is not a valid entry", name);
		close(fd);
	}
	close(directory);
	DEBUG_LOG("cache", "%s %s", *bytes ? "found" : "missed", key);
	return *bytes;
}

static bool write_entry(int fd, const char *key, const unsigned char *bytes, size_t n_bytes)
{
	struct entry_head head = { .crc32 = sum_entry(key, bytes, n_bytes),
		.key_bytes = (uint32_t)strlen(key),
		.n_bytes = n_bytes };

	memcpy(head.magic, magic, sizeof(magic));
	return code_cache_write_all(fd, &head, sizeof(head)) &&
	       code_cache_write_all(fd, key, head.key_bytes) &&
	       code_cache_write_all(fd, bytes, n_bytes);
}

/* A file without a name, which is gone if the process is killed; -1: the file system has none. */
static int open_nameless(int directory)
{
	return openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

static bool give_name(int fd, int directory, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	unlinkat(directory, name, 0);
	return !linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW) || errno == EEXIST;
}

static bool write_nameless(int directory, const char *name, const char *key,
	const unsigned char *bytes, size_t n_bytes)
{
	int fd = open_nameless(directory);
	bool is_written =
		fd >= 0 && write_entry(fd, key, bytes, n_bytes) && give_name(fd, directory, name);

	if (fd >= 0)
		close(fd);
	return is_written;
}

void code_cache_write(const char *key, const unsigned char *bytes, size_t n_bytes)
{
	int directory = open_directory(), fd;
	char name[32], aside[64];
	bool is_written;

	if (directory < 0)
		return;
	name_entry(name, key);
	if (write_nameless(directory, name, key, bytes, n_bytes)) {
		close(directory);
		return;
	}
	snprintf(aside, sizeof(aside), "%s.%ld", name, (long)getpid());
	unlinkat(directory, aside, 0);
	fd = openat(directory, aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	is_written = fd >= 0 && write_entry(fd, key, bytes, n_bytes);
	if (fd >= 0 && close(fd))
		is_written = false;
	if (!is_written || renameat(directory, aside, directory, name)) {
		DEBUG_LOG("cache", "cannot write '%s': %s", name, strerror(errno));
		unlinkat(directory, aside, 0);
	}
	close(directory);
}
