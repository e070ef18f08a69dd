#!/usr/bin/env bats
# The ELF files are hardened: a flag that a change of the Makefile drops is noticed here.

load helpers

# The programs and shared objects that are installed.
elf_files() {
	local file module=("${SUAI%/*}"/_suai.*.so)
	for file in "$SUAI" "${module[@]}" "${SUAI%/*}/suai-devices" "${SUAI%/*}/libsuai_trace.so"; do
		[ ! -f "$file" ] || echo "$file"
	done
}

setup() {
	command -v readelf > /dev/null || skip 'readelf (binutils) is not installed'
	grep -q -- '-fstack-protector-strong' "$ROOT/build/flags" || skip 'built with HARDEN=0'
	! grep -q -- '-fsanitize' "$ROOT/build/flags" || skip 'built with a sanitizer'
}

# bats test_tags=judge
@test "programs and shared objects are position-independent, and their relocations and stacks are protected" {
	local file n=0
	for file in $(elf_files); do
		readelf -hW "$file" | grep -q 'Type: *DYN' || { echo "$file is not position-independent"; false; }
		readelf -lW "$file" | grep -q GNU_RELRO || { echo "$file has no RELRO segment"; false; }
		readelf -dW "$file" | grep -q 'Flags:.*NOW' || { echo "$file is bound lazily: RELRO does not cover its PLT"; false; }
		readelf -lW "$file" | grep -q 'GNU_STACK .* RW ' || { echo "the stack of $file is executable"; false; }
		! readelf -lW "$file" | grep -E 'LOAD .* RWE ' || { echo "a segment of $file is writable and executable"; false; }
		! readelf -dW "$file" | grep -E 'TEXTREL|R(UN)?PATH' || { echo "$file has relocations of its code, or a search path"; false; }
		n=$((n + 1))
	done
	[ "$n" -eq 4 ]
}

# bats test_tags=judge
@test "functions check their stack frames and the sizes of what they copy" {
	nm "$SUAI" | grep -q ' main$' || skip 'without symbols, as in a wheel, whose compiler has other flags'
	local file
	for file in $(elf_files); do
		nm -D "$file" | grep -q __stack_chk_fail || { echo "$file has no stack protector"; false; }
		nm -D "$file" | grep -qE '__[a-z]+_chk(@|$)' || { echo "$file was built without _FORTIFY_SOURCE"; false; }
	done
	local flag
	for flag in -fstack-clash-protection -D_FORTIFY_SOURCE=; do
		grep -q -- "$flag" "$ROOT/build/flags"
	done
	[ "$(uname -m)" != x86_64 ] || grep -q -- '-fcf-protection=full' "$ROOT/build/flags"
}

# bats test_tags=judge
@test "functions that may be called indirectly begin with endbr64" {
	[ "$(uname -m)" = x86_64 ] || skip 'not x86-64'
	nm "$SUAI" | grep -q ' main$' || skip 'without symbols, as in a wheel'
	run bash -c "objdump -d --no-show-raw-insn '$SUAI' | awk '/ <main>:\$/ { getline; print \$2 }'"
	[ "$output" = endbr64 ]
}

# bats test_tags=judge
@test "HARDEN=0 and unoptimized builds omit what they cannot have" {
	run make -s -C "$ROOT" -pn HARDEN=0
	grep -qE '^hardening := *$' <<< "$output"
	run make -s -C "$ROOT" -pn CFLAGS=-O0
	grep -E '^hardening := ' <<< "$output" | grep -v _FORTIFY_SOURCE
	run make -s -C "$ROOT" -pn CFLAGS='-O2 -D_FORTIFY_SOURCE=2'
	grep -E '^hardening := ' <<< "$output" | grep -v _FORTIFY_SOURCE
}

# glibc keeps 512 bytes of static thread-local storage for libraries that use more than they must;
# those of the program's own libraries count as well.
# bats test_tags=judge
@test "the thread-local variables of libsuai_trace.so fit where suai.trace() loads it" {
	[ "$(uname -m)" = x86_64 ] || skip 'not x86-64'
	local n_bytes
	n_bytes=$(readelf -lW "${SUAI%/*}/libsuai_trace.so" | awk '$1 == "TLS" { print $6 }')
	[ $((n_bytes)) -gt 0 ]
	[ $((n_bytes)) -le 256 ]
}
