#!/usr/bin/env bats
# The CI snippets of README, each pasted into a new project; pip builds suai's wheel from a clone, once for both servers. The
# clone of the pre-commit hook is of the same commit, and pip builds its wheel from the objects that it compiled for the servers.

load helpers

INSTALL='pip install git+https://github.com/OWNER/suai -r requirements.txt'

# The clone holds what is committed here; it replaces the address that README names.
setup_file() {
	ROOT="$(cd "$BATS_TEST_DIRNAME/.." && pwd)"
	git clone -q --bare "$ROOT" "$BATS_FILE_TMPDIR/suai.git"
}

setup() {
	requires yaml hatchling
	git -C "$ROOT" rev-parse -q --verify HEAD >/dev/null || skip "this tree is no clone"
	mkdir -p "$BATS_TEST_TMPDIR/project/tests"
	cd "$BATS_TEST_TMPDIR/project" || return 1
	cp "$ROOT/testdata/ci_snippets/arrays.py" tests/
	echo '# nothing' > requirements.txt
	git init -q .
	git config user.email suai@example.org
	git config user.name suai
	export HOME=$BATS_TEST_TMPDIR GIT_CONFIG_COUNT=2
	export GIT_CONFIG_KEY_0="url.file://$BATS_FILE_TMPDIR/suai.git.insteadOf" GIT_CONFIG_VALUE_0=https://github.com/OWNER/suai
	export GIT_CONFIG_KEY_1=safe.directory GIT_CONFIG_VALUE_1='*'
	export DLPACK_INCLUDE="${DLPACK_INCLUDE:-$ROOT/build/deps/include}" CFLAGS=-O0
	export CLANG='' LLVM_SPIRV='' # a server has no compilers for kernels, and validate needs none
	export BUILD="$BATS_FILE_TMPDIR/objects"
	[ -e "$DLPACK_INCLUDE/dlpack/dlpack.h" ] || unset DLPACK_INCLUDE
	unset SUAI_PYTHON
	stand_ins
}

# A machine with the packages installed: apt-get and sudo only verify that; pip and python are those of a new environment,
# which finds the packages of the test environment, and with them the backend of the build.
stand_ins() {
	local bin=$BATS_FILE_TMPDIR/bin
	if [ ! -d "$bin" ]; then
		mkdir "$bin"
		cat > "$bin/apt-get" << 'SH'
#!/bin/sh
[ "$1" = update ] && exit 0
[ "$1 $2" = "install -y" ] || exit 1
shift 2
exec dpkg-query -W -f '${Status}\n' "$@"
SH
		printf '#!/bin/sh\nexec "$@"\n' > "$bin/sudo"
		chmod +x "$bin"/*
		"$TEST_PYTHON" -m venv "$BATS_FILE_TMPDIR/venv"
	fi
	export PATH="$BATS_FILE_TMPDIR/venv/bin:$bin:$PATH" PIP_NO_BUILD_ISOLATION=0
	PYTHONPATH=$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
	export PYTHONPATH
}

# snippet FILE: what README shows below the line "# FILE".
snippet() {
	awk -v head="# $1" '$0 == head { inside = 1 } /^```$/ { inside = 0 } inside' "$ROOT/README.md"
}

# paste_snippet FILE: writes the snippet to FILE.
paste_snippet() {
	mkdir -p "$(dirname "$1")"
	snippet "$1" > "$1"
	[ "$(wc -l < "$1")" -gt 2 ]
}

# commands FILE: the shell commands of a job, each terminated by a NUL byte.
commands() {
	"$TEST_PYTHON" - "$1" << 'EOF'
import sys, yaml
job = yaml.safe_load(open(sys.argv[1]))
job = job["jobs"]["arrays"] if "jobs" in job else job["arrays"]
for step in job.get("steps", job.get("script")):
    command = step if isinstance(step, str) else step.get("run")
    if command is None:
        assert step["uses"].split("@")[0] in ("actions/checkout", "actions/setup-python"), step
    else:
        print(command, end="\0")
EOF
}

# run_job FILE: runs its commands in order, as a CI server does; fails if one fails. Both servers' jobs have the line INSTALL,
# which is run for the first of them.
run_job() {
	commands "$1" > ../commands
	grep -qzxF "$INSTALL" ../commands || { echo "no command '$INSTALL'"; return 1; }
	while IFS= read -r -d '' command; do
		[ "$command" != "$INSTALL" ] || [ ! -e "$BATS_FILE_TMPDIR/installed" ] || continue
		echo "$ $command"
		bash -e -o pipefail -c "$command" < /dev/null 2>&1 || return
		[ "$command" != "$INSTALL" ] || touch "$BATS_FILE_TMPDIR/installed"
	done < ../commands
}

break_array() {
	sed -i 's/"shape": (2, 3)/"shape": [2, 3]/' tests/arrays.py
}

@test "the GitHub Actions job has ten lines, passes, and annotates defects" {
	paste_snippet .github/workflows/arrays.yml
	[ "$(sed 1d .github/workflows/arrays.yml | wc -l)" -eq 10 ]
	run run_job .github/workflows/arrays.yml
	echo "$output"
	[ "$status" -eq 0 ]
	break_array
	run run_job .github/workflows/arrays.yml
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"::error file=tests/arrays.py,line=14,"*NAI102* ]]
}

@test "the GitLab job fails for defects, and writes the JUnit report that it declares" {
	paste_snippet .gitlab-ci.yml
	break_array
	run run_job .gitlab-ci.yml
	echo "$output"
	[ "$status" -eq 1 ]
	report=$("$TEST_PYTHON" -c 'import yaml; print(yaml.safe_load(open(".gitlab-ci.yml"))["arrays"]["artifacts"]["reports"]["junit"])')
	grep -q 'failures="1"' "$report"
	grep -q NAI102 "$report"
}

@test "README's rev is a commit or a tag of this repository with a pre-commit hook" {
	[ "$(git -C "$ROOT" rev-parse --is-shallow-repository)" = false ] || skip "this clone is shallow"
	rev=$(snippet .pre-commit-config.yaml | sed -n 's/^  rev: \([^ ]*\).*/\1/p')
	git -C "$ROOT" merge-base --is-ancestor "$rev^{commit}" HEAD
	git -C "$ROOT" cat-file -e "$rev:.pre-commit-hooks.yaml"
}

@test "the pre-commit hook passes, and rejects a commit with a defect" {
	requires pre_commit
	paste_snippet .pre-commit-config.yaml
	sed -i "s/rev: .*/rev: $(git -C "$ROOT" rev-parse HEAD)/" .pre-commit-config.yaml # test this commit
	git add .
	[ ! -d "$BUILD" ] || find "$BUILD" -type f -exec touch -d '1 hour' {} + # newer than the sources of its clone
	run "$TEST_PYTHON" -m pre_commit run
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"suai validate"*Passed* ]]
	break_array
	git add .
	run "$TEST_PYTHON" -m pre_commit run
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"tests/arrays.py:table: error NAI102 "* ]]
}

@test "the make rule passes, and fails for defects" {
	paste_snippet Makefile
	mkdir ../bin
	ln -s "$SUAI" ../bin/suai
	export PATH="$BATS_TEST_TMPDIR/bin:$PATH"
	run make -s check-arrays
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings in 1 target"* ]]
	break_array
	run make -s check-arrays
	[ "$status" -eq 2 ]
	[[ "$output" == *"error NAI102 "* ]]
}
