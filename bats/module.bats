#!/usr/bin/env bats
# `import suai`: objects of a living process, captured by the module and checked by the program.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	export PYTHONPATH="$ROOT/python" PYTHONDONTWRITEBYTECODE=1
	cat > defects.py <<-'END'
		import array

		class Unmapped:
		    __array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (0x10, False), "version": 3}

		healthy = array.array("d", [1, 2, 3])
	END
}

# python ARGUMENT...: runs the interpreter of the tests; sets status, output and stderr.
python() {
	run --separate-stderr "$TEST_PYTHON" "$@"
	printf '$ python\n[exit %s]\n%s\n--- stderr\n%s\n' "$status" "$output" "$stderr"
}

@test "a report of a healthy object is true, and one of an object with a defect lists the findings" {
	python - <<-'END'
		import suai
		from defects import *
		report = suai.validate(healthy)
		assert report and report.ok and report.exit_status == 0 and report.findings == []
		report = suai.validate(Unmapped(), name="unmapped")
		assert not report and not report.ok and report.exit_status == 1
		[finding] = report.findings
		print(finding)
		print(repr(report))
		assert (finding.rule, finding.protocol, finding.field) == ("NAI402", "numpy", "data[0]")
		assert report.document["targets"][0]["findings"][0]["rule"] == finding.rule
		assert "<pre>unmapped: error NAI402" in report._repr_html_()
	END
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "unmapped: error NAI402 pointer-mapped: 0x10 is not mapped" ]
	[ "${lines[1]}" = "<suai.Report of unmapped: 1 error>" ]
}

@test "check raises what suai validate prints, and names the object by file, line and expression" {
	cat > check.py <<-'END'
		import suai
		from defects import *

		suai.check(healthy)
		try:
		    suai.check(
		        Unmapped(), select="NAI4")
		except suai.CheckError as error:
		    print(error)
		    print(error.report.document["targets"][0]["source"])
	END
	python check.py
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "check.py:Unmapped(): error NAI402 pointer-mapped: 0x10 is not mapped" ]
	[[ "$output" == *"= help: use the address of live memory"* ]]
	[[ "$output" == *"{'file': 'check.py', 'line': 6, 'cell': None}" ]]
}

@test "captures are targets of every command that reads dumps, also several in one file of any name" {
	python - <<-'END'
		import suai
		from defects import *
		both = [suai.capture(healthy, name="first"), suai.capture(Unmapped(), name="second")]
		open("both.py", "wb").write(b"".join(both))
		assert [t["target"] for t in suai.validate(both).document["targets"]] == ["first", "second"]
		assert suai.inspect(both[0])["target"] == "first"
	END
	[ "$status" -eq 0 ]
	suai inspect -q both.py
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == first* ]]
	suai validate -f concise both.py
	[ "$status" -eq 1 ]
	[[ "$output" == *"second"*"NAI402"* ]]
	suai validate -f concise - < both.py
	[[ "$output" == *"second"*"NAI402"* ]]
	suai convert both.py --to numpy
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"'both.py' is a dump, which contains no elements"* ]]
}

@test "a capture that is truncated, damaged or of another version is an error that states it" {
	python - <<-'END'
		import suai
		from defects import *
		data = suai.capture(healthy)
		open("truncated", "wb").write(data[:-5])
		open("damaged", "wb").write(data[:200] + b"\xff" + data[201:])
		open("format", "wb").write(b"suai-capture 2" + data[14:])
		open("trailing", "wb").write(data + b"targets: []")
		for name in "truncated", "damaged", "format", "trailing":
		    try:
		        suai.validate(open(name, "rb").read())
		    except ValueError as error:
		        print(error)
	END
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" =~ ^"the capture is truncated: it ends after "[0-9]+" bytes"$ ]]
	[[ "${lines[1]}" =~ ^"at byte "[0-9]+" of the capture: a record has a wrong checksum"$ ]]
	[[ "${lines[2]}" == "the capture has another version of the format"* ]]
	[[ "${lines[3]}" == *"expected a capture, which begins with 'suai-capture 1'" ]]
	for name in truncated damaged format trailing; do
		suai validate "./$name"
		[ "$status" -eq 2 ]
		[[ "$output" == *"./$name: unreadable: "*capture* ]]
	done
}

@test "the package, the extension module and the program have one version" {
	python -c 'import suai, suai._program; print(suai.__version__)'
	[ "$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")" = "$output" ]
	[[ "$("$SUAI" --version)" == "suai $output"$'\n'* ]]
}
