// SPDX-License-Identifier: MIT
/*
 * libsuai_trace.so, which `suai trace` preloads into a program: start, hooks, forks and end. It
 * exports nothing and uses the C library only. In a process without Python it waits for an
 * interpreter that the process loads with dlopen(), and leaves the environment to what it executes,
 * so that a program which a shell or a launcher executes is still traced.
 */
#include "trace/buffers.h"
#include "trace/capsules.h"
#include "trace/cuda.h"
#include "trace/direct_readers.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/modules.h"
#include "trace/objects.h"
#include "trace/prefix.h"
#include "trace/starts.h"
#include "trace/streams.h"
#include "trace/views.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic bool plain_switch;
_Atomic bool *trace_switch = &plain_switch;

/* What the switch was last set to in this process, or in the one that forked it. */
static _Atomic bool was_on;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum {
	OF_LIBRARIES = TRACE_STANDARD_MODULE | TRACE_OTHER_OBJECT,
	OF_ANY = TRACE_INTERPRETER | OF_LIBRARIES,
};

static void *find_and_redirect(void *handle, const char *name);
static void *find_for_library(void *handle, const char *name);
static int end_before_kill(pid_t pid, int number);

enum { LAYERS_OF_VIEWS = TRACE_LAYER_BUFFERS | TRACE_LAYER_DELETERS };

/* layers: all of those without which a function is not redirected. A caller has one hook for each
 * function. */
static const struct {
	const char *name;
	void *replacement;
	uint32_t layers;
	unsigned int callers; /* enum trace_object_kind */
} hooked_functions[] = {
	{ "dlsym", (void *)find_and_redirect, 0, TRACE_INTERPRETER },
	{ "dlsym", (void *)find_for_library, 0, OF_LIBRARIES },
	{ "kill", (void *)end_before_kill, 0, TRACE_INTERPRETER },
	{ "PyCapsule_New", (void *)trace_capsule_new, TRACE_LAYER_CAPSULES, OF_LIBRARIES },
	{ "PyCapsule_SetName", (void *)trace_capsule_set_name, TRACE_LAYER_CAPSULES, OF_LIBRARIES },
	{ "PyCapsule_SetDestructor", (void *)trace_capsule_set_destructor, TRACE_LAYER_CAPSULES,
		OF_LIBRARIES },
	{ "PyCapsule_GetDestructor", (void *)trace_capsule_get_destructor, TRACE_LAYER_CAPSULES,
		OF_LIBRARIES },
	{ "PyObject_GetBuffer", (void *)trace_get_buffer, TRACE_LAYER_BUFFERS, TRACE_OTHER_OBJECT },
	{ "PyObject_GetBuffer", (void *)trace_get_buffer_in_python, TRACE_LAYER_BUFFERS,
		TRACE_STANDARD_MODULE },
	{ "PyMemoryView_FromObject", (void *)trace_memoryview_from, TRACE_LAYER_BUFFERS,
		OF_LIBRARIES },
	{ "PyBuffer_Release", (void *)trace_release_buffer, LAYERS_OF_VIEWS, TRACE_OTHER_OBJECT },
	{ "PyBuffer_Release", (void *)trace_release_buffer_in_python, LAYERS_OF_VIEWS,
		TRACE_STANDARD_MODULE },
	{ "PyEval_RestoreThread", (void *)trace_restore_thread, TRACE_LAYER_DRIVER, OF_LIBRARIES },
	{ "execve", (void *)trace_execve, 0, OF_ANY },
	{ "execv", (void *)trace_execv, 0, OF_ANY },
	{ "execvp", (void *)trace_execvp, 0, OF_ANY },
	{ "execvpe", (void *)trace_execvpe, 0, OF_ANY },
	{ "execl", (void *)trace_execl, 0, OF_ANY },
	{ "execlp", (void *)trace_execlp, 0, OF_ANY },
	{ "execle", (void *)trace_execle, 0, OF_ANY },
	{ "fexecve", (void *)trace_fexecve, 0, OF_ANY },
	{ "posix_spawn", (void *)trace_posix_spawn, 0, OF_ANY },
	{ "posix_spawnp", (void *)trace_posix_spawnp, 0, OF_ANY },
	{ "system", (void *)trace_system, 0, OF_ANY },
	{ "popen", (void *)trace_popen, 0, OF_ANY },
};

enum { N_HOOKED = sizeof(hooked_functions) / sizeof(hooked_functions[0]) };

/* With an end. */
static struct trace_hook hooks[N_HOOKED + 1];
static size_t n_hooks;

void trace_lock(void)
{
	pthread_mutex_lock(&lock);
}

void trace_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* ctypes looks up what it calls. */
static void *replace_capsule_function(const char *name, void *found)
{
	if (found && trace_has_prefix(name, "PyCapsule_"))
		for (const struct trace_hook *hook = hooks; hook->name; hook++)
			if (hook->original == found && !strcmp(hook->name, name))
				return hook->replacement;
	return found;
}

/* Python looks up the initialization of each extension module that it loaded, by its handle, so
 * that it does not matter who calls dlsym(). memray replaces the interpreter's dlopen(). */
static void *find_and_redirect(void *handle, const char *name)
{
	void *found = dlsym(handle, name);

	if (!found || !trace_is_on())
		return found;
	if (trace_objects_update(hooks))
		trace_modules_loaded();
	if (trace_has_prefix(name, "PyInit_"))
		return trace_direct_readers_replace(name, found);
	return replace_capsule_function(name, trace_cuda_replace(handle, name, found));
}

static void begin_with_loaded_python(void);

/* The process has no interpreter yet. */
static _Atomic bool is_waiting;

/* Libraries look up the CUDA driver's functions, and those of libraries that they load. What a
 * lookup without a handle finds depends on its caller: that must remain a call in tail position. */
static void *find_for_library(void *handle, const char *name)
{
	void *found;

	if (is_waiting)
		begin_with_loaded_python();
	if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || !trace_is_on())
		return dlsym(handle, name);
	found = dlsym(handle, name);
	if (found)
		trace_objects_update(hooks);
	return replace_capsule_function(name, trace_cuda_replace(handle, name, found));
}

static void end_tracing(void);

/* After KeyboardInterrupt, Python ends its interpreter and then kills itself with SIGINT, so that
 * no destructor is called. */
static int end_before_kill(pid_t pid, int number)
{
	if (pid == getpid() && *trace_switch && !trace_python.is_initialized())
		end_tracing();
	return kill(pid, number);
}

static void set_hooks(void)
{
	for (size_t i = 0; i < N_HOOKED; i++)
		if (!(hooked_functions[i].layers & ~trace_memory.layers))
			hooks[n_hooks++] = (struct trace_hook){ hooked_functions[i].name,
				hooked_functions[i].replacement,
				dlsym(RTLD_DEFAULT, hooked_functions[i].name),
				hooked_functions[i].callers };
}

/* The entry of a list, separated by colons or spaces, that is this library; NULL: none. */
static char *find_own_entry(char *list, const char *own)
{
	size_t n_chars = strlen(own);

	for (char *at = list; (at = strstr(at, own)); at++)
		if ((at == list || strchr(": ", at[-1])) && strchr(": ", at[n_chars]))
			return at;
	return NULL;
}

/* What the program and its children see is what they would see without suai, which appended this
 * library to LD_PRELOAD, after a colon if that was set before. */
static void restore_environment(void)
{
	char *preload = getenv("LD_PRELOAD"), *entry = NULL, *rest;
	Dl_info own;

	if (preload && dladdr(hooks, &own))
		entry = find_own_entry(preload, own.dli_fname);
	if (entry) {
		rest = entry + strlen(own.dli_fname);
		if (entry == preload && !*rest)
			unsetenv("LD_PRELOAD");
		else if (entry == preload)
			memmove(entry, rest + 1, strlen(rest + 1) + 1);
		else
			memmove(entry - 1, rest, strlen(rest) + 1);
	}
	unsetenv(TRACE_ENVIRONMENT);
}

/* Programs that the process starts are traced or counted, although its environment is restored. */
static void observe_starts(const char *memory)
{
	Dl_info own;
	static char *kept;

	if (!dladdr(hooks, &own))
		return;
	kept = strdup(memory);
	if (!kept)
		return;
	if (trace_memory.is_following)
		trace_starts_follow(own.dli_fname, kept);
	else
		trace_starts_count(own.dli_fname, kept);
	restore_environment();
}

/* A child that a system call forked continues with its own memory first. */
static void lock_before_fork(void)
{
	trace_is_on();
	trace_lock();
}

static void turn_on(bool is_on)
{
	*trace_switch = is_on;
	was_on = is_on; /* last: see trace_resume_in_child() */
}

/* The memory is that of the parent. */
static void begin_in_child(void)
{
	const bool is_traced = was_on && trace_memory_fork();

	trace_modules_fork();
	if (is_traced) {
		trace_capsules_fork();
		trace_views_fork();
	}
	trace_streams_fork();
	turn_on(is_traced);
	pthread_mutex_unlock(&lock);
}

bool trace_resume_in_child(void)
{
	if (!was_on || pthread_mutex_trylock(&lock))
		return false;
	if (was_on && !*trace_switch)
		begin_in_child();
	else
		pthread_mutex_unlock(&lock);
	return *trace_switch;
}

/* Linux before 4.14 clears no memory in children: what a system call forks is not distinguished. */
static void map_switch(void)
{
	const size_t n_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page =
		mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return;
	if (madvise(page, n_bytes, MADV_WIPEONFORK))
		munmap(page, n_bytes);
	else
		trace_switch = page;
}

static void begin_tracing(const char *path)
{
	bool is_open = trace_memory_open(path);

	if (!trace_memory.is_following)
		restore_environment();
	if (!is_open)
		return;
	if (!trace_python_find()) {
		trace_memory.segment->problem = TRACE_NO_FUNCTION;
		trace_memory.segment->state = TRACE_EXITED; /* as far as others are concerned */
		return;
	}
	set_hooks();
	observe_starts(path);
	pthread_atfork(lock_before_fork, trace_unlock, begin_in_child);
	trace_objects_update(hooks);
	map_switch();
	turn_on(true);
	if (trace_python.is_initialized()) /* the process itself loaded the library */
		trace_modules_loaded();
	else
		trace_modules_search_holders();
}

/* What loads an interpreter, or a module that depends on one, as PyInstaller and web servers do,
 * looks up its functions next. */
static struct trace_hook waiting_hooks[2];
static const char *waiting_path;

static void wait_for_python(const char *path)
{
	waiting_path = strdup(path);
	if (!waiting_path)
		return;
	waiting_hooks[0] = (struct trace_hook){ "dlsym", (void *)find_for_library,
		dlsym(RTLD_DEFAULT, "dlsym"), TRACE_OTHER_OBJECT };
	is_waiting = true;
	trace_objects_redirect(waiting_hooks);
}

static void begin_with_loaded_python(void)
{
	static _Atomic unsigned long long n_seen;
	unsigned long long n_loaded = trace_objects_count_loaded();

	if (n_loaded == n_seen)
		return;
	n_seen = n_loaded;
	if (!trace_python_exists())
		trace_objects_redirect(waiting_hooks);
	else if (atomic_exchange(&is_waiting, false))
		begin_tracing(waiting_path);
}

__attribute__((constructor)) static void start_tracing(void)
{
	const char *path = getenv(TRACE_ENVIRONMENT);

	if (path && trace_python_exists())
		begin_tracing(path);
	else if (path)
		wait_for_python(path);
}

/* After main() or at exit(), when an interpreter that was ended properly is gone. */
__attribute__((destructor)) static void end_tracing(void)
{
	struct trace_segment *segment = trace_memory.segment;

	if (!segment || !*trace_switch)
		return;
	segment->ended_ns = trace_now_ns();
	segment->state = trace_python.is_initialized() ? TRACE_EXITED : TRACE_FINALIZED;
}
