#!/usr/bin/env bats
# __cuda_array_interface__ without a GPU: exports of libraries are checked, and rules that need a driver are skipped.

load helpers

setup() {
	cd "$ROOT/testdata/validate" || return 1
}

@test "what CuPy, PyTorch, JAX, Numba, RMM and Warp export for healthy arrays raises at most notes" {
	suai validate -q --ignore CAI005 cuda_producers.py
	[ "$status" -eq 0 ]
	[[ "$output" != *": error "* && "$output" != *": warning "* ]]
	[ "$(grep -oE 'note [A-Z0-9]+' <<< "$output" | sort -u)" = "note CAI109" ]
}

@test "rules that need the CUDA driver are skipped without one, with the reason" {
	[ ! -e /dev/nvidiactl ] || skip "this machine has a CUDA driver"
	suai validate -v --select CAI307,CAI403,CAI404,CAI406,CAI407,CAI501,CAI502,CAI603,CAI604 cuda_producers.py:cupy_plain
	[ "$status" -eq 0 ]
	[ "$(grep -c ': skipped CAI' <<< "$output")" -eq 8 ]
	[ "$(grep -c "cannot load 'libcuda.so.1'\|requires CAI[0-9]*, which was skipped$" <<< "$output")" -eq 8 ]
}

@test "a mapping that is not a dict is read, and reported from version 2 on" {
	suai validate -q cuda_producers.py:old_mapping
	[[ "$output" == *"note CAI109 "* && "$output" != *CAI005* ]]
	suai validate -q cuda_producers.py:read_only
	[ "$status" -eq 1 ]
	[ "$output" = "cuda_producers.py:read_only: error CAI005 dict-type: __cuda_array_interface__ is a mappingproxy, not a dict" ]
	suai validate -q --spec cai=2 cuda_producers.py:old_mapping
	[[ "$output" == *"error CAI005 dict-type: __cuda_array_interface__ is a cuda_producers.Mapping, not a dict"* ]]
	suai inspect -f json cuda_producers.py:old_mapping
	[[ "$output" == *'"shape": [3]'* && "$output" == *'"mapping": true'* ]]
}

@test "each listed defect of CUDA producers and consumers has a reproduction that names its rule, and each reproduction is listed" {
	"$TEST_PYTHON" - "$ROOT" <<-'END'
		import pathlib, re, sys
		root = pathlib.Path(sys.argv[1])
		lines = [line.replace("/note", "").split() for line in open(root / "testdata/cuda/expected") if line.strip() and not line.startswith("#")]
		rules = {path.stem: re.search("^Rules: (.*)", path.read_text(), re.M)[1].split(", ")
		         for path in (root / "docs/findings/cuda").rglob("*.py")}
		wrong = [line for line in lines if len(line) != 4 or line[1] not in rules.get(line[3], [])]
		consumers = re.findall("DLC[0-9]+", (root / "bats/cuda_consumers.bats").read_text().partition("@test \"planted")[0])
		wrong += [(name, rule) for name in rules for rule in rules[name] if rule not in consumers and
		          not any(line[1] == rule and line[3] == name for line in lines)]
		wrong += [rule for rule in consumers if not any(rule in each for each in rules.values())]
		assert lines and not wrong, wrong
	END
}

@test "variables that stop CuPy and Numba from synchronizing are reported" {
	CUPY_CUDA_ARRAY_INTERFACE_SYNC=0 NUMBA_CUDA_ARRAY_INTERFACE_SYNC=1 suai validate -q cuda_producers.py:cupy_plain
	[ "$status" -eq 0 ]
	[ "$output" = "cuda_producers.py:cupy_plain: note CAI608 environment: CUPY_CUDA_ARRAY_INTERFACE_SYNC is '0': CuPy does not wait for streams" ]
}

@test "editions can be chosen: what version 3 forbids was not forbidden in version 2" {
	dictionary='{"shape": (0,), "typestr": "<f4", "data": (4096, False), "version": 3, "stream": 0}'
	code="class A: __cuda_array_interface__ = $dictionary
a = A()"
	suai validate -q -c "$code" a
	[ "$status" -eq 1 ]
	[ "$(grep -oE 'CAI[0-9]+' <<< "$output" | tr '\n' ' ')" = "CAI401 CAI601 " ]
	suai validate -q --spec cai=2 -c "$code" a
	[ "$(grep -oE 'CAI[0-9]+' <<< "$output" | tr '\n' ' ')" = "CAI401 " ]
	suai validate -q --spec cai=1 -c "$code" a
	[ -z "$output" ]
}

@test "a list instead of a tuple does not hide defects of the strides" {
	suai validate -q -c 'class A: __cuda_array_interface__ = {
    "shape": [2, 3], "typestr": "<f4", "data": [4096, 0], "strides": [3, 1], "version": "3"}
a = A()' a
	[ "$status" -eq 1 ]
	[ "$(grep -oE 'CAI[0-9]+' <<< "$output" | tr '\n' ' ')" = "CAI101 CAI104 CAI106 CAI107 CAI110 CAI303 " ]
}

@test "a RuntimeError of a tensor that requires grad is a refusal; without requires_grad it is an error" {
	code='class Tensor:
    def __init__(self, requires_grad, error): self.requires_grad, self.error = requires_grad, error
    @property
    def __cuda_array_interface__(self): raise self.error("Can'"'"'t get __cuda_array_interface__ on Variable that requires grad")'
	suai validate -f json -c "$code" 'Tensor(True, RuntimeError)' 'Tensor(False, RuntimeError)' 'Tensor(1, RuntimeError)' 'Tensor(True, KeyError)' 'Tensor(True, BufferError)'
	[ "$status" -eq 1 ]
	jq -e '[.targets[] | [.interfaces[0].status, ([.findings[] | .rule + " " + .severity] | unique)]] == [["refused", []],
		["raised", ["CAI001 error"]], ["raised", ["CAI001 error"]], ["raised", ["CAI001 error"]], ["refused", ["CAI001 error"]]]' <<< "$output"
	suai validate -c "$code" 'Tensor(True, RuntimeError)'
	[ "$status" -eq 0 ]
	suai inspect -c "$code" 'Tensor(True, RuntimeError)'
	[[ "$output" == *"refused      RuntimeError: Can't get"* ]]
}
