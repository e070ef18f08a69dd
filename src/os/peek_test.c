// SPDX-License-Identifier: MIT
/* Reading mapped memory, unmapped memory, and memory that ends in the middle, by both methods. */
#include "base/array_size.h"
#include "os/peek.h"

#include "base/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t address_of(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

static void check_bytes(const char *page, size_t page_bytes, const char *method)
{
	static const uint64_t wild[] = { 0, 1, 0x10, UINT64_MAX, UINT64_MAX - 3, 1ULL << 47 };
	char out[3 * 4096];

	CHECK(peek_bytes(out, address_of("hello"), 6) && !strcmp(out, "hello"), "%s", method);
	CHECK(peek_bytes(out, address_of(page), page_bytes), "%s: a page", method);
	CHECK(!memcmp(out, page, page_bytes), "%s: its bytes", method);
	CHECK(!peek_bytes(out, address_of(page) + 1, page_bytes), "%s: over its end", method);
	CHECK(!peek_bytes(out, address_of(page) + page_bytes, 1), "%s: behind it", method);
	CHECK(peek_bytes(out, address_of(page) + page_bytes, 0), "%s: nothing", method);
	for (size_t i = 0; i < ARRAY_SIZE(wild); i++)
		CHECK(!peek_bytes(out, wild[i], 8), "%s: 0x%llx", method, (long long)wild[i]);
}

static void check_text(char *page, size_t page_bytes, const char *method)
{
	struct arena arena = { 0 };
	const char *text = peek_text(&arena, "a name", 255);

	CHECK(text && !strcmp(text, "a name"), "%s", method);
	text = peek_text(&arena, "a longer name", 8);
	CHECK(text && !strcmp(text, "a longer"), "%s: cut", method);
	CHECK(peek_text(&arena, NULL, 255) == NULL, "%s: NULL", method);
	memset(page, 'x', page_bytes);
	CHECK(!peek_text(&arena, page, 2 * page_bytes), "%s: no end before the page's", method);
	text = peek_text(&arena, page + page_bytes - 10, 10);
	CHECK(text && !strcmp(text, "xxxxxxxxxx"), "%s: up to the page's end", method);
	page[page_bytes - 1] = '\0';
	text = peek_text(&arena, page + 5, 2 * page_bytes);
	CHECK(text && strlen(text) == page_bytes - 6, "%s: the whole page", method);
	arena_free(&arena);
}

static void check_all(const char *method)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(
		NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + page_bytes, page_bytes);
	check_bytes(pages, page_bytes, method);
	check_text(pages, page_bytes, method);
	munmap(pages, page_bytes);
}

int main(void)
{
	check_all("process_vm_readv");
	setenv("SUAI_NO_VM_READV", "1", 1);
	check_all("pipe");
	return test_end();
}
