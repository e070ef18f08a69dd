// SPDX-License-Identifier: MIT
/* Which interpreter is chosen, and when it is embedded: made-up directories and made-up ELF files.
 */
#include "base/array_size.h"
#include "supervisor/find_python.h"

#include "base/test.h"
#include "supervisor/elf.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/suai-find-python-XXXXXX";

/* A path in the directory; four may be in use at once. */
static const char *at(const char *name)
{
	static char paths[4][PATH_MAX];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", directory, name);
	return path;
}

static void write_file(const char *path, const void *bytes, size_t n_bytes)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fwrite(bytes, 1, n_bytes, file) == n_bytes, "%s", path);
	if (file)
		fclose(file);
	chmod(path, 0755);
}

static int own_loader(struct dl_phdr_info *info, size_t size, void *out)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			snprintf(out, 256, "%s",
				(const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
	return 1;
}

/* The parts of a program that elf_read_python reads. */
static struct image {
	ElfW(Ehdr) head;
	ElfW(Phdr) segments[3];
	ElfW(Dyn) dynamic[4];
	char loader[256];
	char strings[256];
} image;

static void make_image(const char *soname, ElfW(Sxword) run_path_tag, const char *run_path)
{
	image = (struct image){
		.head = { .e_type = ET_DYN,
			.e_phoff = offsetof(struct image, segments),
			.e_phentsize = sizeof(ElfW(Phdr)),
			.e_phnum = 3 },
		.segments = { { .p_type = PT_INTERP,
				      .p_offset = offsetof(struct image, loader),
				      .p_filesz = sizeof(image.loader) },
			{ .p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(image) },
			{ .p_type = PT_DYNAMIC,
				.p_offset = offsetof(struct image, dynamic),
				.p_filesz = sizeof(image.dynamic) } },
		.dynamic = { { DT_STRTAB, { 0x1000 + offsetof(struct image, strings) } },
			{ DT_NEEDED, { 1 } }, { run_path_tag, { 101 } }, { DT_NULL, { 0 } } },
	};
	memcpy(image.head.e_ident, ELFMAG, SELFMAG);
	image.head.e_ident[EI_CLASS] = ELFCLASS64;
	dl_iterate_phdr(own_loader, image.loader);
	snprintf(image.strings + 1, 100, "%s", soname);
	snprintf(image.strings + 101, sizeof(image.strings) - 101, "%s", run_path);
	write_file(at("bin/python3"), &image, sizeof(image));
}

/* text with the directory's path for each @; two may be in use at once. */
static const char *expand(const char *text)
{
	static char expanded[2][PATH_MAX];
	static int next;
	char *out = expanded[next++ % 2];

	*out = '\0';
	for (; *text; text++)
		snprintf(out + strlen(out), PATH_MAX - strlen(out), *text == '@' ? "%s" : "%.1s",
			*text == '@' ? directory : text);
	return out;
}

static void test_choice(void)
{
	static const struct {
		const char *name, *chosen, *suai_python, *virtual_env, *conda_prefix, *path;
		const char *executable; /* NULL: an error with the code */
		enum exit_code code;
	} cases[] = {
		{ "a program", "a/python", NULL, "b", "b", "b/bin", "a/python", 0 },
		{ "a directory", "b", NULL, NULL, NULL, "", "b/bin/python3", 0 },
		{ "a directory with only python", "d", NULL, NULL, NULL, "", "d/bin/python", 0 },
		{ "a name in PATH", "=python", NULL, NULL, NULL, "@/nope:@/a", "@/a/python", 0 },
		{ "a name on a relative PATH", "=python", NULL, NULL, NULL, "a:./a", NULL,
			EXIT_USAGE },
		{ "no such file", "nope/python", NULL, "b", NULL, "b/bin", NULL, EXIT_USAGE },
		{ "not executable", "c/python3", NULL, NULL, NULL, "b/bin", NULL, EXIT_USAGE },
		{ "no such name", "=nope", NULL, NULL, NULL, "b/bin", NULL, EXIT_USAGE },
		{ "an empty directory", "empty", NULL, NULL, NULL, "b/bin", NULL, EXIT_USAGE },
		{ "SUAI_PYTHON", NULL, "a/python", "b", NULL, "b/bin", "a/python", 0 },
		{ "bad SUAI_PYTHON", NULL, "nope", "b", NULL, "b/bin", NULL, EXIT_USAGE },
		{ "empty SUAI_PYTHON", NULL, "=", "b", NULL, "a", "b/bin/python3", 0 },
		{ "VIRTUAL_ENV", NULL, NULL, "b", "d", "a", "b/bin/python3", 0 },
		{ "stale VIRTUAL_ENV", NULL, NULL, "empty", "d", "a", "d/bin/python", 0 },
		{ "CONDA_PREFIX", NULL, NULL, NULL, "d", "b/bin", "d/bin/python", 0 },
		{ "PATH", NULL, NULL, NULL, NULL, "@/empty:@/c:@/b/bin", "@/b/bin/python3", 0 },
		{ "relative entries of PATH", NULL, NULL, NULL, NULL, "c:b/bin:../x:", NULL,
			EXIT_UNAVAILABLE },
		{ "relative entries before others", NULL, NULL, NULL, NULL,
			"b/bin::@/e:", "@/e/python3", 0 },
		{ "no python3 in PATH", NULL, NULL, NULL, NULL, "@/a:@/c", NULL, EXIT_UNAVAILABLE },
		{ "no PATH", NULL, NULL, NULL, NULL, NULL, NULL, EXIT_UNAVAILABLE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *const values[] = { cases[i].suai_python, cases[i].virtual_env,
			cases[i].conda_prefix, cases[i].path };
		static const char *const names[] = { "SUAI_PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX",
			"PATH" };
		struct python python;
		struct err err = { 0 };

		for (int j = 0; j < 4; j++)
			if (values[j])
				setenv(names[j], expand(values[j] + (values[j][0] == '=')), 1);
			else
				unsetenv(names[j]);
		python_find(cases[i].chosen ? cases[i].chosen + (cases[i].chosen[0] == '=') : NULL,
			&python, &err);
		if (cases[i].executable)
			CHECK(python.executable &&
					!strcmp(python.executable, expand(cases[i].executable)),
				"%s: %s", cases[i].name,
				python.executable ? python.executable : err.message);
		else
			CHECK(!python.executable && err.code == cases[i].code, "%s: %d %s",
				cases[i].name, err.code, err.message);
		python_free(&python);
	}
}

static void test_embedding(void)
{
	static const struct {
		const char *name, *soname, *run_path, *library_path;
		ElfW(Sxword) tag;
		const char *library; /* NULL: executed */
	} cases[] = {
		{ "RUNPATH", "libpython3.12.so.1.0", "=lib", NULL, DT_RUNPATH,
			"lib/libpython3.12.so.1.0" },
		{ "RPATH", "libpython3.12.so.1.0", "=lib", NULL, DT_RPATH,
			"lib/libpython3.12.so.1.0" },
		{ "ORIGIN", "libpython3.12.so.1.0", "$ORIGIN/../lib", NULL, DT_RUNPATH,
			"bin/../lib/libpython3.12.so.1.0" },
		{ "braces", "libpython3.12.so.1.0", "/nope:${ORIGIN}/../lib", NULL, DT_RUNPATH,
			"bin/../lib/libpython3.12.so.1.0" },
		{ "another token", "libpython3.12.so.1.0", "$ORIGIN/../$LIB", NULL, DT_RUNPATH,
			NULL },
		{ "no such file", "libpython3.13.so.1.0", "=lib", NULL, DT_RUNPATH, NULL },
		{ "no run path", "libpython3.12.so.1.0", "", NULL, DT_RUNPATH, NULL },
		{ "another tag", "libpython3.12.so.1.0", "=lib", NULL, DT_SONAME, NULL },
		{ "static", "libc.so.6", "=lib", NULL, DT_RUNPATH, NULL },
		{ "Python 2", "libpython2.7.so.1.0", "=lib", NULL, DT_RUNPATH, NULL },
		{ "LD_LIBRARY_PATH to another", "libpython3.12.so.1.0", "=lib", "other", DT_RUNPATH,
			NULL },
		{ "LD_LIBRARY_PATH to the same", "libpython3.12.so.1.0", "=lib", "lib", DT_RUNPATH,
			"lib/libpython3.12.so.1.0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *run_path = cases[i].run_path;
		struct python python;
		struct err err;

		if (cases[i].library_path)
			setenv("LD_LIBRARY_PATH", at(cases[i].library_path), 1);
		make_image(cases[i].soname, cases[i].tag,
			run_path[0] == '=' ? at(run_path + 1) : run_path);
		python_find(at("bin/python3"), &python, &err);
		if (cases[i].library)
			CHECK(python.library && !strcmp(python.library, at(cases[i].library)),
				"%s: %s", cases[i].name,
				python.library ? python.library : python.why_executed);
		else
			CHECK(!python.library && python.why_executed, "%s: %s", cases[i].name,
				python.library);
		unsetenv("LD_LIBRARY_PATH");
		python_free(&python);
	}
}

/* Cut short or with any byte changed, a file is read to no harm. */
static void test_broken_files(void)
{
	struct elf_python elf;
	struct image whole;

	make_image("libpython3.12.so.1.0", DT_RUNPATH, "/lib");
	whole = image;
	elf_read_python(at("bin/python3"), &elf);
	CHECK(elf.is_elf && !strcmp(elf.soname, "libpython3.12.so.1.0"), "'%s'", elf.soname);
	for (size_t n = 0; n < sizeof(whole); n += 7) {
		write_file(at("bin/python3"), &whole, n);
		elf_read_python(at("bin/python3"), &elf);
		CHECK(strlen(elf.soname) < sizeof(elf.soname), "cut to %zu", n);
	}
	for (size_t i = 0; i < offsetof(struct image, loader); i++) {
		struct image changed = whole;

		((unsigned char *)&changed)[i] ^= 0xff;
		write_file(at("bin/python3"), &changed, sizeof(changed));
		elf_read_python(at("bin/python3"), &elf);
		CHECK(strlen(elf.run_path) < sizeof(elf.run_path), "byte %zu", i);
	}
}

static void make_folders(void)
{
	static const char *const directories[] = { "a", "b", "b/bin", "c", "d", "d/bin", "e",
		"empty", "bin", "lib", "other" };
	static const char *const programs[] = { "a/python", "b/bin/python3", "c/python3",
		"d/bin/python", "e/python3", "lib/libpython3.12.so.1.0",
		"other/libpython3.12.so.1.0" };

	for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
		mkdir(at(directories[i]), 0777);
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		write_file(at(programs[i]), "#!/bin/sh\n", 10);
	chmod(at("c/python3"), 0644);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	make_folders();
	test_choice();
	setenv("PATH", "/usr/bin:/bin", 1);
	test_embedding();
	test_broken_files();
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	CHECK(!system(command), "clean up");
	return test_end();
}
