// SPDX-License-Identifier: MIT
/* Reads program headers and the dynamic section of an ELF file with bounded pread calls. */
#include "supervisor/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SEGMENTS = 64, MAX_DYNAMIC = 512 };

struct elf_file {
	int fd;
	ElfW(Phdr) segments[MAX_SEGMENTS];
	size_t n_segments;
	ElfW(Dyn) dynamic[MAX_DYNAMIC];
	size_t n_dynamic;
};

/* Reads up to n_bytes at an offset; returns how many. */
static size_t read_at(const struct elf_file *file, uint64_t offset, void *out, size_t n_bytes)
{
	ssize_t n = offset <= INT64_MAX ? pread(file->fd, out, n_bytes, (off_t)offset) : -1;

	return n > 0 ? (size_t)n : 0;
}

static const ElfW(Phdr) * find_segment(const struct elf_file *file, uint32_t type)
{
	for (size_t i = 0; i < file->n_segments; i++)
		if (file->segments[i].p_type == type)
			return &file->segments[i];
	return NULL;
}

static bool read_headers(struct elf_file *file)
{
	ElfW(Ehdr) head;
	size_t n_bytes;

	if (read_at(file, 0, &head, sizeof(head)) != sizeof(head) ||
		memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != ELFCLASS64 ||
		(head.e_type != ET_EXEC && head.e_type != ET_DYN) ||
		head.e_phentsize != sizeof(ElfW(Phdr)) || head.e_phnum > MAX_SEGMENTS)
		return false;
	n_bytes = head.e_phnum * sizeof(ElfW(Phdr));
	file->n_segments = head.e_phnum;
	return read_at(file, head.e_phoff, file->segments, n_bytes) == n_bytes;
}

/* Copies the name of suai's own loader from the program headers in memory, which works without
 * /proc/self/exe. */
static int copy_own_loader(struct dl_phdr_info *info, size_t size, void *out)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			strncpy(out, (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				PATH_MAX - 1);
	return 1; /* the program itself is reported first; stop */
}

/* A libpython for another C library or machine cannot be loaded. */
static bool has_our_loader(const struct elf_file *file)
{
	const ElfW(Phdr) *segment = find_segment(file, PT_INTERP);
	char ours[PATH_MAX] = "", theirs[PATH_MAX] = "";

	if (!segment || segment->p_filesz >= sizeof(theirs))
		return false;
	read_at(file, segment->p_offset, theirs, segment->p_filesz);
	dl_iterate_phdr(copy_own_loader, ours);
	return !strcmp(ours, theirs);
}

static void read_dynamic(struct elf_file *file)
{
	const ElfW(Phdr) *segment = find_segment(file, PT_DYNAMIC);
	size_t n_bytes = sizeof(file->dynamic);

	if (!segment)
		return;
	if (segment->p_filesz < n_bytes)
		n_bytes = segment->p_filesz;
	file->n_dynamic =
		read_at(file, segment->p_offset, file->dynamic, n_bytes) / sizeof(ElfW(Dyn));
	for (size_t i = 0; i < file->n_dynamic; i++)
		if (file->dynamic[i].d_tag == DT_NULL) {
			file->n_dynamic = i;
			break;
		}
}

static bool find_dynamic(const struct elf_file *file, ElfW(Sxword) tag, uint64_t *out)
{
	for (size_t i = 0; i < file->n_dynamic; i++)
		if (file->dynamic[i].d_tag == tag) {
			*out = file->dynamic[i].d_un.d_val;
			return true;
		}
	return false;
}

/* A string of the dynamic string table; false if it is truncated or longer than n_chars. */
static bool read_elf_string(const struct elf_file *file, uint64_t index, char *out, size_t n_chars)
{
	uint64_t address;

	if (!find_dynamic(file, DT_STRTAB, &address))
		return false;
	for (size_t i = 0; i < file->n_segments; i++) {
		const ElfW(Phdr) *segment = &file->segments[i];

		if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
			address - segment->p_vaddr >= segment->p_filesz)
			continue;
		memset(out, 0, n_chars);
		read_at(file, segment->p_offset + (address - segment->p_vaddr) + index, out,
			n_chars);
		return memchr(out, 0, n_chars) != NULL;
	}
	return false;
}

static void read_names(const struct elf_file *file, struct elf_python *out)
{
	static const char prefix[] = "libpython3.";
	uint64_t run_path;

	for (size_t i = 0; i < file->n_dynamic; i++)
		if (file->dynamic[i].d_tag == DT_NEEDED &&
			read_elf_string(file, file->dynamic[i].d_un.d_val, out->soname,
				sizeof(out->soname)) &&
			!strncmp(out->soname, prefix, sizeof(prefix) - 1))
			goto found;
	out->soname[0] = '\0';
	return;
found:
	if ((!find_dynamic(file, DT_RUNPATH, &run_path) &&
		    !find_dynamic(file, DT_RPATH, &run_path)) ||
		!read_elf_string(file, run_path, out->run_path, sizeof(out->run_path)))
		out->run_path[0] = '\0';
}

void elf_read_python(const char *path, struct elf_python *out)
{
	struct elf_file file = { .fd = open(path, O_RDONLY | O_CLOEXEC) };

	*out = (struct elf_python){ 0 };
	if (file.fd < 0)
		return;
	if (read_headers(&file) && has_our_loader(&file)) {
		out->is_elf = true;
		read_dynamic(&file);
		read_names(&file, out);
	}
	close(file.fd);
}
