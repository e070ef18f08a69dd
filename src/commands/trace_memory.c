// SPDX-License-Identifier: MIT
/*
 * `suai trace-memory`: the memory in which a process records its own exchanges, for `suai.trace()`
 * of the module. The module knows neither its layout nor where the library is.
 */
#include "cli/command.h"
#include "exchanges/exchanges.h"
#include "exchanges/traced_program.h"
#include "formats/json/json_write.h"
#include "supervisor/worker_options.h"
#include "trace/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Prepares empty memory, and prints the variable of the environment that names it, and the path of
 * the library that the process must load. */
static int begin_memory(int memory_fd, struct err *err)
{
	const struct trace_choice choice = { .layers = TRACE_LAYER_ALL };
	char *library;
	int status = -1;

	if (worker_find_part(TRACE_LIBRARY_FILE, NULL, &library, err))
		return -1;
	if (!traced_program_share(memory_fd, &choice, err))
		status = printf("%s\n%s\n", TRACE_ENVIRONMENT, library) < 0
				 ? err_set(err, EXIT_BUG, "cannot write the path")
				 : 0;
	free(library);
	return status;
}

static int report_memory(int memory_fd, struct err *err)
{
	const struct exchange_report report = { 0 };
	struct exchange_list list = { 0 };
	struct arena arena = { 0 };
	int status = exchanges_read(&list, &arena, memory_fd, err);

	if (!status)
		status = json_write_document(
			stdout, exchanges_document(&arena, &list, &report), err);
	arena_free(&arena);
	return status;
}

/* Whether the memory of `suai trace` has what suai.trace() of a process would record. */
static int check_memory(int memory_fd, const char *pid, struct err *err)
{
	struct trace_head head;
	struct trace_segment segment;

	if (pread(memory_fd, &head, sizeof(head), 0) != sizeof(head) || head.magic != TRACE_MAGIC ||
		pread(memory_fd, &segment, sizeof(segment), TRACE_PAGE_BYTES) != sizeof(segment))
		return err_set(err, EXIT_TARGET, "the program corrupted suai's shared memory");
	if (head.is_following || head.min_bytes || head.layers != TRACE_LAYER_ALL)
		return err_set(err, EXIT_UNAVAILABLE,
			"trace: this process is traced already, by suai trace with --follow, --min-bytes or --without; run it without these options, or without suai trace");
	if (segment.pid != strtoul(pid, NULL, 10))
		return err_set(err, EXIT_UNAVAILABLE,
			"trace: the process that forked this one is traced, and forks are not; use the multiprocessing start method 'spawn'");
	return puts("traced") < 0 ? err_set(err, EXIT_BUG, "cannot write") : 0;
}

static int trace_memory_run(void *settings, const struct option_list *operands, struct err *err)
{
	struct stat file;
	int memory_fd, status;

	(void)settings;
	if (operands->n_items != 1 && operands->n_items != 2)
		return err_set(err, EXIT_USAGE, "trace-memory: expected one file, got %zu",
			operands->n_items);
	memory_fd = open(operands->items[0], O_RDWR | O_CLOEXEC);
	if (memory_fd < 0)
		return err_set(err, EXIT_USAGE, "trace-memory: cannot open '%s': %s",
			operands->items[0], strerror(errno));
	if (fstat(memory_fd, &file))
		status = err_set(err, EXIT_BUG, "fstat: %s", strerror(errno));
	else if (operands->n_items == 2)
		status = check_memory(memory_fd, operands->items[1], err);
	else
		status =
			file.st_size ? report_memory(memory_fd, err) : begin_memory(memory_fd, err);
	close(memory_fd);
	return status ? status : EXIT_DONE;
}

const struct command trace_memory_command = {
	.name = "trace-memory",
	.summary = "prepare or report the memory in which a process records its exchanges",
	.usage = "FILE [PID]",
	.prose =
		"suai.trace() of the Python module calls this command. FILE is sealable memory of the process. If it is empty, it is "
		"prepared, and two lines are printed: the variable of the environment that names FILE, and the path of the library that the process must "
		"load; otherwise, the document of "
		"'suai trace -f json' is. With PID, FILE is the memory of 'suai trace': whether that records everything that process PID exchanges, and nothing else, is checked.",
	.examples = "suai trace-memory /proc/1234/fd/5\n"
		    "  what the process 1234 exchanged\n",
	.run = trace_memory_run,
	.hidden = true,
};
