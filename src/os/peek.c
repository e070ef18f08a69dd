// SPDX-License-Identifier: MIT
/*
 * process_vm_readv(2) on this process; if a sandbox forbids it, write(2) to a pipe, which also
 * fails with EFAULT.
 */
#include "os/peek.h"

#include "base/environment.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static bool peek_through_pipe(char *out, uint64_t address, size_t n_bytes)
{
	int fds[2];
	size_t n_done = 0;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return false;
	while (n_done < n_bytes) {
		size_t n_next = n_bytes - n_done < PIPE_BUF ? n_bytes - n_done : PIPE_BUF;

		/* Not write(): a sanitizer would access the memory first. */
		if (syscall(SYS_write, fds[1], address + n_done, n_next) != (long)n_next ||
			read(fds[0], out + n_done, n_next) != (ssize_t)n_next)
			break;
		n_done += n_next;
	}
	close(fds[0]);
	close(fds[1]);
	return n_done == n_bytes;
}

bool peek_bytes(void *out, uint64_t address, size_t n_bytes)
{
	struct iovec local = { out, n_bytes };
	struct iovec remote = { (void *)(uintptr_t)address, n_bytes };
	ssize_t n_read;

	if (!n_bytes)
		return true;
	if (address > UINT64_MAX - n_bytes)
		return false;
	if (environment_forces("SUAI_NO_VM_READV"))
		return peek_through_pipe(out, address, n_bytes);
	n_read = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	if (n_read < 0 && (errno == ENOSYS || errno == EPERM))
		return peek_through_pipe(out, address, n_bytes);
	return n_read == (ssize_t)n_bytes;
}

const char *peek_text(struct arena *arena, const void *address, size_t max_chars)
{
	uint64_t at = (uint64_t)(uintptr_t)address;
	struct text text = { 0 };
	const char *copy = NULL;
	char chunk[64];

	while (text.n_bytes < max_chars) {
		/* Up to the next multiple of the chunk size: never across a page. */
		size_t n_next = sizeof(chunk) - at % sizeof(chunk), n_chars;

		if (!peek_bytes(chunk, at, n_next))
			goto out;
		n_chars = strnlen(chunk, n_next);
		text_add_bytes(&text, chunk, n_chars);
		at += n_next;
		if (n_chars < n_next)
			break;
	}
	copy = arena_copy(arena, text.bytes ? text.bytes : "",
		text.n_bytes < max_chars ? text.n_bytes : max_chars);
out:
	text_free(&text);
	return copy;
}
