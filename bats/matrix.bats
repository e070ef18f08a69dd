#!/usr/bin/env bats
# suai matrix: states of cells, planted faults, adapters of suai.yaml, formats, reproducible output.

load helpers

setup() {
	requires numpy
	cd "$ROOT/testdata/matrix" || return 1
}

# cells: "ID STATE ARRAYS REASON" of each outcome of the document in FILE, or of those with text.
results() {
	"$TEST_PYTHON" -c '
import json, sys
for cell in json.load(open(sys.argv[1]))["cells"]:
    for result in cell["results"]:
        print(cell["id"], result["state"], ",".join(result["arrays"]), result["reason"], sep="|")
' "$1"
}

@test "each planted fault costs its arrays only, and has its state and reason" {
	local out="$BATS_TEST_TMPDIR/x.json"
	suai matrix --timeout "$(time_limit)" -j2 --only numpy:fake --only numpy:odd --only numpy:lost --only numpy:lost_alone -o "$out"
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	run results "$out"
	printf '%s\n' "$output"
	grep -q '^numpy>lost.crash|CRASH|int8|the consumer: killed by SIGSEGV' <<< "$output"
	grep -q '^numpy>lost_alone.crash|CRASH|int8|the consumer: killed by SIGSEGV' <<< "$output"
	grep -q '^numpy>lost.hang|HANG|int8|the consumer: ' <<< "$output"
	grep -q '^numpy>lost.leave|left|int8|the consumer: the process exited with status 0' <<< "$output"
	grep -q '^numpy>fake.narrow|narrowed|float64|float64 becomes float32$' <<< "$output"
	grep -q '^numpy>odd.reinterpret|WRONG|int32|int32 becomes float32: element (0, 0) is ' <<< "$output"
	grep -q '^numpy>odd.round_integers|narrowed|int64|int64 becomes float32$' <<< "$output"
	grep -q '^numpy>odd.flatten|reshaped|permuted|its shape is (24,), expected (3, 4, 2)$' <<< "$output"
	grep -q '^numpy>odd.listed|unknown|long,every-second,negative|element (0,) is not a number$' <<< "$output"
	grep -q '^numpy>fake.ignore_strides|WRONG|fortran|strides is ignored: element (0, 1) is ' <<< "$output"
	grep -q '^numpy>fake.guess|unknown|int32|the elements differ, but not in the same way each time$' <<< "$output"
	grep -q '^numpy>fake.same|unknown|float32,.*,read-only|the consumer returns the object that it was passed$' <<< "$output"
	grep -q '^numpy>fake.refuse|refused|float32,.*,read-only|BufferError: the array at 0x... is refused$' <<< "$output"
	# The other arrays of each arrive.
	[ "$(grep -c '^numpy>[a-z_]*\.\(crash\|hang\|leave\|narrow\)|shared|float32,' <<< "$output")" -eq 5 ]
	[ "$(grep -c '|absent|' <<< "$output")" -eq 0 ]
}

@test "a library that cannot be imported is absent, with the reason, which does not fail" {
	local out="$BATS_TEST_TMPDIR/x.json"
	suai matrix -f json --only numpy:missing --only broken:numpy.asarray -o "$out"
	[ "$status" -eq 0 ]
	run results "$out"
	[ "${lines[0]%|*|*}" = "numpy>missing.asarray|absent" ]
	[ "${lines[0]##*|}" = "missing: not installed" ]
	[ "${lines[1]##*|}" = "broken: the import fails: no license at 0x..." ]
}

@test "a library whose import raises an exception without text is absent by its type, or by the first line that has text" {
	cd "$BATS_TEST_TMPDIR"
	cat > suai.yaml <<-'END'
	adapters:
	- {library: silent, import: raise MemoryError, consumers: {silent.as: _}}
	- {library: spaced, import: 'raise ImportError("\n\nno BLAS\nsee below")', consumers: {spaced.as: _}}
	END
	suai matrix -f json numpy silent spaced
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.libraries[] | .unavailable] | sort' <<< "$output")" = \
		'[null,"the import fails: MemoryError","the import fails: no BLAS"]' ]
}

@test "exchanges that take more than one message to a worker are divided among several" {
	cd "$BATS_TEST_TMPDIR"
	printf -v long '%0200000d' 1
	printf '%s\n' 'adapters:' '- library: long' '  import: import numpy' '  consumers:' \
		"    first: numpy.asarray(_ if '$long' else 0)[...]" "    second: numpy.asarray(_ if '$long' else 0)[...]" > suai.yaml
	suai matrix -f json --only numpy:long
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.cells[] | .state]' <<< "$output")" = '["shared","shared"]' ]
}

@test "a library that cannot be imported next to another one is absent from no other pair, and is tried in both orders" {
	local out="$BATS_TEST_TMPDIR/x.json"
	suai matrix --only numpy:fake.narrow --only numpy:lonely --only fake:lonely --only fake:hermit -o "$out"
	[ "$status" -eq 0 ]
	run results "$out"
	printf '%s\n' "$output"
	[ "$(grep -c '^numpy>fake.narrow|shared|' <<< "$output")" -eq 1 ]
	[ "$(grep -c '^numpy>lonely.view|shared|' <<< "$output")" -eq 1 ]
	[ "$(grep -c '^fake>lonely.view|shared|' <<< "$output")" -eq 1 ] # which is imported first
	grep -q '^fake>hermit.view|unknown|.*|the libraries cannot be imported together: import of fake_library halted' <<< "$output"
}

@test "documents conform to the schema, are the same in each run and with each -j, and cover all placements" {
	requires jsonschema array_api_strict
	local dir="$BATS_TEST_TMPDIR"
	suai matrix --isolated --placement all numpy memoryview array_api_strict -o "$dir/a.json"
	[ "$status" -eq 0 ]
	suai matrix --isolated --placement all numpy memoryview array_api_strict -o "$dir/b.json" -j3
	cmp "$dir/a.json" "$dir/b.json"
	"$TEST_PYTHON" - "$ROOT/schema/suai-matrix.schema.json" "$dir/a.json" <<- 'END'
		import json, sys
		import jsonschema
		schema, document = (json.load(open(name)) for name in sys.argv[1:])
		jsonschema.Draft202012Validator.check_schema(schema)
		jsonschema.validate(document, schema)
		assert len(document["cells"]) == 15 and len(document["arrays"]) == 69
		planned = [array["array"] for array in document["arrays"] if array["placement"] != "pending"] # which needs a queue
		for cell in document["cells"]:
		    names = [name for result in cell["results"] for name in result["arrays"]]
		    assert sorted(names) == sorted(planned)
		    assert sum(cell["counts"].values()) == 46, cell
		    states = [result["state"] for result in cell["results"]]
		    assert cell["state"] == [state for state in states if state != "absent"][0], cell
		view = next(cell for cell in document["cells"] if cell["id"] == "numpy>memoryview")
		assert view["counts"]["shared"] == 44, view
	END
}

@test "the reproduction of a refusal is Python that raises it" {
	local dir="$BATS_TEST_TMPDIR" n=0
	suai matrix --only memoryview:numpy.from_dlpack --only numpy:fake.refuse -o "$dir/x.json"
	"$TEST_PYTHON" - "$dir" <<- 'END'
		import json, os, sys
		for i, cell in enumerate(json.load(open(sys.argv[1] + "/x.json"))["cells"]):
		    result = cell["results"][0]
		    open(f"{sys.argv[1]}/{i}.py", "w").write(result["reproduction"])
		    open(f"{sys.argv[1]}/{i}.reason", "w").write(result["reason"].split(" at ")[0])
	END
	for script in "$dir"/*.py; do
		run "$TEST_PYTHON" -c 'import sys; sys.path.insert(0, "."); exec(open(sys.argv[1]).read())' "$script"
		[ "$status" -eq 1 ]
		[[ "$output" == *"$(cat "${script%.py}.reason")"* ]]
		[ "$(wc -l < "$script")" -le 10 ]
		n=$((n + 1))
	done
	[ "$n" -eq 2 ]
}

@test "the reproduction of wrong elements prints those of the array and of the result, whatever its type prints" {
	cd "$BATS_TEST_TMPDIR"
	cat > opaque.py <<-'END'
		import numpy

		class Opaque:
		    def __init__(self, array):
		        array = numpy.asarray(array)
		        self.kept = array[::-1] if array.strides and array.strides[0] < 0 else array
		        self.__array_interface__ = self.kept.__array_interface__
	END
	printf '%s\n' 'adapters:' '- library: opaque' '  import: import opaque' '  consumers: {opaque.Opaque: opaque.Opaque(_)}' > suai.yaml
	PYTHONPATH=$PWD suai matrix --only numpy:opaque -o x.json
	[ "$status" -eq 1 ]
	"$TEST_PYTHON" -c 'import json
for result in json.load(open("x.json"))["cells"][0]["results"]:
    if "negative" in result["arrays"]:
        print(result["reproduction"])' > x.py
	run "$TEST_PYTHON" x.py
	[ "$output" = $'[4. 3. 2. 1. 0.]\n[0. 1. 2. 3. 4.]' ]
}

@test "the table fits the terminal; below it are the reasons, those of equal kind together" {
	requires array_api_strict
	suai matrix --isolated numpy memoryview array_api_strict
	[ "${lines[0]%%:*}" = "$("$SUAI" --version | head -n 1 | cut -d ' ' -f 1,2), Python $("$TEST_PYTHON" -c 'import platform; print(platform.python_version())')" ]
	[[ "${lines[0]}" =~ ': '[0-9]+' pairs, '[0-9]+' arrays, placement aligned'$ ]]
	[[ "${lines[1]}" =~ ^'numpy '[0-9.]+', memoryview '[0-9.]+', array_api_strict '[0-9.]+$ ]]
	grep -qE '^numpy +r1 +s23 +r1 +r2 +r2$' <<< "$output"
	grep -q "^refused: TypeError: The array_api_strict namespace does not support the dtype 'float16' (and similar)$" <<< "$output"
	grep -q '^    memoryview>numpy.from_dlpack: 22 arrays$' <<< "$output"
	suai matrix --isolated -q numpy memoryview
	[ "$(grep -c '^refused' <<< "$output")" -eq 0 ]
	COLUMNS=40 suai matrix --isolated numpy memoryview array_api_strict
	[ "$(grep -c '^numpy  ' <<< "$output")" -eq 2 ]
	[ "$(grep -v '>' <<< "$output" | wc -L)" -le 40 ] # ids of cells cannot be broken
	suai matrix --isolated numpy memoryview -o "$BATS_TEST_TMPDIR/x.md"
	grep -qF '| consumer \\ producer | numpy | memoryview |' "$BATS_TEST_TMPDIR/x.md"
	grep -qF '| numpy.asarray | shared 23 | shared 22<br>absent 1 |' "$BATS_TEST_TMPDIR/x.md"
}

@test "Markdown lists arrays of several placements once, what the producer lacks by producer, and the battery" {
	cd "$BATS_TEST_TMPDIR"
	suai matrix --isolated --placement all --only memoryview:numpy --only numpy:numpy -o x.json
	suai matrix --from x.json -f markdown
	grep -qF -- '- memoryview\>numpy.from\_dlpack: float32, float64, float16, bool,' <<< "$output"
	grep -q -- ', broadcast, read-only (aligned, offset)$' <<< "$output"
	# NumPy makes bfloat16 with ml_dtypes only, and memoryview never has it.
	grep -q -- '^- memoryview, with every consumer: bfloat16 (aligned, offset)$' <<< "$output"
	grep -qF '| negative | a negative stride | <code>numpy.arange(5, dtype='"'float32'"')\[::-1\]</code> |' <<< "$output"
	[ "$(grep -c '| <code>' <<< "$output")" -eq 23 ]
	# Where the states of placements differ, each has its list.
	jq '(.cells[] | select(.id == "memoryview>numpy.from_dlpack").results[] | select(.state == "refused").arrays) -= ["long"]' x.json > y.json
	suai matrix --from y.json -f markdown
	grep -qE -- 'empty-address, unit-stride, .* \(aligned\); float32, .*, empty-address, long, unit-stride, .* \(offset\)$' <<< "$output"
}

@test "--diff prints the cells whose states changed since an earlier document, and only they fail" {
	local dir="$BATS_TEST_TMPDIR"
	suai matrix --isolated numpy memoryview -o "$dir/old.json"
	suai matrix --isolated numpy memoryview --diff "$dir/old.json"
	[ "$status" -eq 0 ]
	[ "$output" = "0 of 6 cells changed" ]
	"$TEST_PYTHON" - "$dir" <<- 'END'
		import json, sys
		document = json.load(open(sys.argv[1] + "/old.json"))
		document["libraries"][0]["version"] = "1.0"
		cell = next(cell for cell in document["cells"] if cell["id"] == "numpy>numpy.asarray")
		cell["results"][0]["arrays"].remove("int8")
		cell["results"].append({"state": "copied", "reason": None, "arrays": ["int8"], "reproduction": None})
		document["cells"] = [cell for cell in document["cells"] if cell["id"] != "memoryview>memoryview"]
		json.dump(document, open(sys.argv[1] + "/changed.json", "w"))
	END
	suai matrix --isolated numpy memoryview --diff "$dir/changed.json"
	[ "$status" -eq 1 ]
	[ "${lines[0]#numpy: version }" = "$("$TEST_PYTHON" -c 'import numpy; print(numpy.__version__)'), was 1.0" ]
	[ "${lines[1]}" = "numpy>numpy.asarray: shared, was copied: int8" ]
	[ "${lines[2]}" = "memoryview>memoryview: not in the earlier document" ]
	[ "${lines[3]}" = "2 of 6 cells changed" ]
	suai matrix numpy --diff "$ROOT/testdata/matrix/suai.yaml"
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"not a document of suai matrix -f json" ]]
	# Pairs that the command line excludes did not change.
	suai matrix --isolated numpy --diff "$dir/old.json"
	[ "$status" -eq 0 ]
	[ "$output" = "0 of 2 cells changed; 4 of the earlier document not examined" ]
	suai matrix --isolated --only memoryview:numpy --only 'numpy>memoryview' --diff "$dir/old.json"
	[ "$status" -eq 0 ]
	[ "$output" = "0 of 3 cells changed; 3 of the earlier document not examined" ]
	jq '.cells[0] |= (.consumer = "numpy.gone" | .id = "numpy>numpy.gone")' "$dir/old.json" > "$dir/gone.json"
	suai matrix --isolated numpy --diff "$dir/gone.json"
	[ "$status" -eq 1 ]
	[ "${lines[-2]}" = "numpy>numpy.gone: only in the earlier document" ]
	[ "${lines[-1]}" = "1 of 2 cells changed; 1 only in the earlier document; 4 of the earlier document not examined" ]
	jq '.cells |= .[:2]' "$dir/old.json" > "$dir/few.json"
	suai matrix --from "$dir/few.json" --diff "$dir/old.json"
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "0 of 2 cells changed; 4 only in the earlier document" ]
	suai matrix numpy --diff "$dir/old.json" -o "$dir/d.html"
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --diff writes text: '$dir/d.html' is the name of a file in another format" ]
	[ ! -e "$dir/d.html" ]
	suai matrix --from "$dir/old.json" --diff "$dir/old.json" -o "$dir/d.txt"
	[ "$(cat "$dir/d.txt")" = "0 of 6 cells changed" ]
}

# bats test_tags=judge
@test "refusals that differ in a type are one reason, those that differ in another word are two" {
	jq -n '{suai: 1, command: "matrix", version: "0", placement: "aligned", libraries: [], arrays: [{array: "a"}],
		cells: [["bool", "int8", "b", "bo"][] | {id: "p>\(.)", producer: "p", consumer: ., state: "refused", counts: {refused: 1},
			results: [{state: "refused", reason: "code \(.) is unknown", reproduction: null, arrays: ["a"]}]}]}' > "$BATS_TEST_TMPDIR/x.json"
	suai matrix --from "$BATS_TEST_TMPDIR/x.json"
	[ "$(grep ^refused <<< "$output")" = "refused: code bool is unknown (and similar)
refused: code b is unknown
refused: code bo is unknown" ]
}

# bats test_tags=judge
@test "--diff of documents with a thousand cells takes at most ten times as long as -f json" {
	local times n TIMEFORMAT=%U

	for n in 0 1; do
		jq -n --argjson n "$n" '
			(["WRONG", "refused", "copied", "shared"]) as $states | [range(92) | "array\(.)"] as $names |
			{suai: 1, command: "matrix", version: "0", placement: "all", libraries: [], arrays: [$names[] | {array: .}],
			cells: [range(1000) as $cell | {id: "p>c\($cell)", producer: "p", consumer: "c\($cell)", state: "WRONG", counts: {},
				results: [range(4) as $k | {state: $states[$k], reason: null, reproduction: null,
					arrays: [range(92) | select((. * (1 + $n) + $cell) % 4 == $k) | $names[.]]}]}]}' > "$BATS_TEST_TMPDIR/$n.json"
	done
	cd "$BATS_TEST_TMPDIR"
	{ time "$SUAI" matrix --from 0.json -f json > /dev/null || :; } 2> json_time
	{ time run "$SUAI" matrix --from 0.json --diff 1.json; } 2> diff_time
	[ "${lines[-1]}" = "1000 of 1000 cells changed" ]
	echo "# seconds of the processor: $(cat json_time), $(cat diff_time)" >&3
	awk "BEGIN { exit !($(cat diff_time) < 10 * $(cat json_time)) }"
}

@test "--only of a library that is not among those named is an error that names it" {
	local pair
	for pair in memoryview:numpy numpy:memoryview; do
		suai matrix numpy --only $pair
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: --only '$pair': 'memoryview' is not among the libraries named" ]
	done
	suai matrix numpy --only numpy:ctypes.nothing
	[ "$stderr" = "suai: --only 'numpy:ctypes.nothing': there is no such pair; libraries: numpy" ]
	suai matrix numpy ctypes --only numpy:numpy.nothing
	[[ "$stderr" == "suai: --only 'numpy:numpy.nothing': there is no such pair; consumers: numpy.from_dlpack, "* ]]
	suai matrix numpy ctypes --only nothing:numpy
	[ "$stderr" = "suai: --only 'nothing:numpy': there is no such pair; libraries: numpy, ctypes" ]
}

@test "the page is one file below 100 kB that contains the document and its reasons" {
	local dir="$BATS_TEST_TMPDIR"
	suai matrix --isolated numpy memoryview -o "$dir/x.html"
	[ "$status" -eq 0 ]
	[ "$(wc -c < "$dir/x.html")" -lt 100000 ]
	[ "$(grep -cE '(src|href)=' "$dir/x.html")" -eq 0 ]
	suai matrix --isolated numpy memoryview -f json
	"$TEST_PYTHON" - "$dir/x.html" 3<<< "$output" <<- 'END'
		import html.parser, json, os, sys
		class Page(html.parser.HTMLParser):
		    texts, inside = {}, None
		    def handle_starttag(self, tag, attributes):
		        self.inside = dict(attributes).get("id", tag) if tag == "script" else None
		    def handle_data(self, data):
		        if self.inside:
		            self.texts[self.inside] = self.texts.get(self.inside, "") + data
		page = Page()
		page.feed(open(sys.argv[1]).read())
		document = json.loads(page.texts["document"])
		shared, lines = document.pop("shared"), document.pop("lines") # values that many results have
		for result in (result for cell in document["cells"] for result in cell["results"]):
		    result.update({key: shared[result[key]] for key in ("reason", "arrays", "reproduction")})
		    result["arrays"] = [lines[i] for i in result["arrays"]]
		    if result["reproduction"]:
		        result["reproduction"] = "".join(lines[i] + "\n" for i in result["reproduction"])
		assert document == json.load(os.fdopen(3))
		assert "JSON.parse" in page.texts["script"]
	END
}

@test "in a browser, the page shows a cell by its address, keys move between cells, and filters count them" {
	local browser page="$BATS_TEST_TMPDIR/x.html"
	browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no Chromium"
	suai matrix --isolated numpy memoryview -o "$page"
	cat >> "$page" <<-'END'
		<script>
		const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
		const name = () => document.activeElement.getAttribute("aria-label");
		const shown = [by("cell").querySelector("h2").textContent, ...[...by("cell").querySelectorAll("h3")].map((h) => h.textContent)];
		body.querySelector("button").focus();
		for (const key of ["ArrowRight", "ArrowDown", "ArrowDown", "End", "ArrowLeft", "Home", "ArrowUp"]) {
		  press(key);
		  shown.push(`${key}: ${name()}`);
		}
		document.activeElement.click();
		shown.push(by("cell").querySelector("h2").textContent, document.querySelectorAll("td button[tabindex='0']").length);
		by("words").value = "no attribute '__dlpack__'";
		by("words").dispatchEvent(new Event("input"));
		shown.push(by("found").textContent);
		document.body.textContent = shown.join("\n");
		</script>
	END
	HOME="$BATS_TEST_TMPDIR" run --separate-stderr timeout 60 "$browser" --headless --no-sandbox --user-data-dir="$BATS_TEST_TMPDIR" --disable-gpu --dump-dom \
		"file://$page#memoryview%3Enumpy.from_dlpack"
	output=$(sed -n '/<body>/,/<\/body>/{s/<[^>]*>//g;s/&gt;/>/g;p}' <<< "$output")
	echo "$output"
	[ "$output" = "memoryview>numpy.from_dlpack
refused 22: AttributeError: 'memoryview' object has no attribute '__dlpack__'
absent 1: ValueError: cannot include dtype 'E' in a buffer
ArrowRight: numpy>numpy.asarray: 23 shared
ArrowDown: memoryview>numpy.asarray: 22 shared
ArrowDown: memoryview>numpy.asarray: 22 shared
End: memoryview>memoryview: 22 shared
ArrowLeft: memoryview>numpy.asarray: 22 shared
Home: memoryview>numpy.from_dlpack: 22 refused
ArrowUp: numpy>numpy.from_dlpack: 1 refused
numpy>numpy.from_dlpack
1
1 of 6 cells" ]
}

@test "the version of a library whose distribution has another name is that of its module" {
	cd "$BATS_TEST_TMPDIR" || return
	echo '__version__ = "7.5"' > elsewhere.py
	cat > suai.yaml <<-'END'
		adapters:
		- library: elsewhere
		  distribution: elsewhere
		  import: import elsewhere, numpy
		  consumers: {elsewhere.asarray: "numpy.asarray(_)[...]"}
		- library: nowhere
		  distribution: nowhere
		  import: import numpy
		  consumers: {nowhere.asarray: "numpy.asarray(_)[...]"}
	END
	PYTHONPATH=$PWD suai matrix --only numpy:elsewhere --only numpy:nowhere -o x.json
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.libraries[] | [.library, .version]]' x.json)" = "[[\"numpy\",$("$TEST_PYTHON" -c 'import json, numpy; print(json.dumps(numpy.__version__))')],[\"elsewhere\",\"7.5\"],[\"nowhere\",null]]" ]
}

@test "documents name the CPU and the device of each library that has one, or why it is unknown; --diff compares them" {
	local dir="$BATS_TEST_TMPDIR" cpu
	cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
	cd "$dir"
	cat > suai.yaml <<-'END'
		adapters:
		- library: near
		  import: import numpy
		  consumers: {near.asarray: "numpy.asarray(_)[...]"}
		- library: far
		  import: import numpy
		  consumers: {far.asarray: "numpy.asarray(_)[...]"}
		  device: "'Far Accelerator ' + str(4 - 3)"
		- library: mute
		  import: import numpy
		  consumers: {mute.asarray: "numpy.asarray(_)[...]"}
		  device: 1 / 0
	END
	suai matrix --only numpy:near --only numpy:far --only numpy:mute -o x.json
	[ "$status" -eq 0 ]
	[ "$(jq -r .processor x.json)" = "${cpu:-null}" ]
	[ "$(jq -c '[.libraries[] | [.library, .device]]' x.json)" = \
		'[["numpy",null],["near",null],["far","Far Accelerator 1"],["mute","unknown: division by zero"]]' ]
	suai matrix --from x.json
	grep -qxF "CPU: ${cpu:-unknown}; far: Far Accelerator 1; mute: unknown: division by zero" <<< "$output"
	suai matrix --from x.json -f markdown
	grep -q '^| far | [0-9.]* | Far Accelerator 1 |$' <<< "$output"
	jq '.processor = "Z80" | .libraries[2].device = "Far Accelerator 0"' x.json > old.json
	suai matrix --from x.json --diff old.json
	[ "$status" -eq 0 ]
	[ "$output" = "CPU: device ${cpu:-none}, was Z80
far: device Far Accelerator 1, was Far Accelerator 0
0 of 3 cells changed" ]
	# Documents without devices are of an earlier version.
	jq 'del(.processor, .libraries[].device)' x.json > old.json
	suai matrix --from x.json --diff old.json
	[ "$output" = "0 of 3 cells changed" ]
	# An expression that ends the process, or does not return, does not make the library unavailable.
	cat > suai.yaml <<-'END'
		adapters:
		- {library: dead, import: "import ctypes, numpy", consumers: {dead.asarray: "numpy.asarray(_)[...]"}, device: ctypes.string_at(1)}
		- {library: slow, import: "import time, numpy", consumers: {slow.asarray: "numpy.asarray(_)[...]"}, device: time.sleep(99)}
		- {library: long, import: "import numpy", consumers: {long.asarray: "numpy.asarray(_)[...]"}, device: "'x' * 10**6"}
	END
	local limit
	limit=$(time_limit)
	suai matrix --timeout "$limit" --only numpy:dead --only numpy:slow --only numpy:long -o x.json
	[ "$status" -eq 0 ]
	jq -c '.libraries[] | [.library, .device, .unavailable]' x.json | cut -c 1-100
	# Under load the import uses up part of the time limit, which another message says.
	[ "$(jq -r '.libraries[1:3][].device' x.json | sed "s/hung: .* $limit s.*/hung: $limit s/")" = "unknown: crashed: killed by SIGSEGV
unknown: hung: $limit s" ]
	jq -e '.libraries[3].device | startswith("xxx") and endswith("...") and length < 500' x.json
	jq -e 'all(.cells[]; .counts.shared >= 22)' x.json
	printf 'adapters:\n- library: x\n  device: [1]\n' > suai.yaml
	suai matrix numpy
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: suai.yaml:3:11: device: expected a string, got a list" ]
}

@test "the device of SYCL arrays is that of their queue" {
	requires sycl dpnp
	suai matrix --isolated --only numpy:dpnp.asarray -f json
	[ "$(jq -r '.libraries[] | select(.library == "dpnp").device' <<< "$output")" = "$("$TEST_PYTHON" -c '
import dpnp
device = dpnp.zeros(2).sycl_queue.sycl_device
print(f"{device.filter_string} {device.name.strip()}, driver {device.driver_version}")')" ]
}

# extension NAME: compiles testdata/matrix/extensions, or skips the test.
extension() {
	local reason
	reason=$(extensions/build "$1" "$TEST_PYTHON" "$BATS_TEST_TMPDIR") || {
		[ $? -eq 2 ] || return 1
		skip "$reason"
	}
	export PYTHONPATH="$BATS_TEST_TMPDIR"
}

# counts FILE CELL: the numbers of arrays by state.
counts() {
	jq -c --arg id "$2" '.cells[] | select(.id == $id).counts' "$1"
}

@test "arrays pass from and to a C++ function by nanobind's ndarray, which refuses read-only memory if its elements are not const" {
	local out="$BATS_TEST_TMPDIR/x.json"
	extension nanobind
	suai matrix --config extensions/suai.yaml numpy memoryview nanobind -o "$out"
	[ "$status" -eq 0 ]
	[ "$(counts "$out" 'memoryview>nanobind.ndarray')" = '{"refused":1,"shared":21,"absent":1}' ]
	[ "$(counts "$out" 'memoryview>nanobind.ndarray_ro')" = '{"shared":22,"absent":1}' ]
	[ "$(counts "$out" 'nanobind>nanobind.ndarray_ro')" = '{"shared":22,"absent":1}' ]
	[ "$(counts "$out" 'nanobind>numpy.from_dlpack')" = '{"shared":22,"absent":1}' ]
	results "$out" | grep -q '^memoryview>nanobind.ndarray|refused|read-only|TypeError: ndarray(): incompatible function arguments'
	[ "$(jq -r '.libraries[] | select(.library == "nanobind").version' "$out")" = "$("$TEST_PYTHON" -c 'import nanobind; print(nanobind.__version__)')" ]
}

@test "arrays pass from and to a C++ function by pybind11's buffer and array, whose element type narrows others" {
	local out="$BATS_TEST_TMPDIR/x.json"
	extension pybind11
	suai matrix --config extensions/suai.yaml numpy memoryview pybind11 -o "$out"
	[ "$status" -eq 0 ]
	[ "$(counts "$out" 'memoryview>pybind11.buffer')" = '{"shared":22,"absent":1}' ]
	[ "$(counts "$out" 'pybind11>memoryview')" = '{"shared":22,"absent":1}' ]
	[ "$(counts "$out" 'memoryview>pybind11.array')" = '{"refused":22,"absent":1}' ]
	results "$out" | grep -q '^numpy>pybind11.array|shared|float32,.*,read-only|'
	results "$out" | grep -q '^pybind11>pybind11.array_t<float>|narrowed|float64|float64 becomes float32$'
}

@test "memory that a library allocates at random has the alignment of the placement in each run" {
	local out="$BATS_TEST_TMPDIR/x.json" _
	for _ in 1 2; do
		suai matrix --placement all --only scattered:scattered -o "$out"
		[ "$status" -eq 0 ]
		run results "$out"
		printf '%s\n' "$output"
		# An empty array has no memory that could be shared; bfloat16 requires ml_dtypes.
		grep -q '^scattered>scattered.copy_unaligned|copied|float32+4,.*,read-only+4|None$' <<< "$output"
		grep -q '^scattered>scattered.copy_unaligned|shared|float32,.*,read-only,empty-address+4|None$' <<< "$output"
		[ "$(grep -c '|copied|\|shared' <<< "$output")" -eq 2 ]
	done
}

@test "a consumer that reads before the work pending on the producer's queue is of wrong order, one that waits is not" {
	requires sycl dpnp
	cd "$BATS_TEST_TMPDIR"
	cat > readers.py <<-'END'
		import numpy


		class View:
		    def __init__(self, usm):
		        self.__array_interface__ = {
		            "version": 3, "shape": usm.shape, "typestr": usm.dtype.str, "data": (usm._pointer, False),
		            "strides": tuple(stride * usm.itemsize for stride in usm.strides)}


		def hasty(array):
		    return numpy.array(View(array.get_array()))


		def patient(array):
		    array.get_array().sycl_queue.wait()
		    return hasty(array)
	END
	cat > suai.yaml <<-'END'
		adapters:
		- library: readers
		  import: import readers
		  consumers:
		    hasty: readers.hasty(_)
		    patient: readers.patient(_)
	END
	export PYTHONPATH="$PWD"
	for _ in 1 2; do
		suai matrix --placement pending --only dpnp:readers -o x.json
		[ "$status" -eq 1 ]
		jq -c '.cells[] | [.id, .state, .counts]' x.json
		jq -e '.cells | map({(.id): .counts}) | add | .["dpnp>hasty"]["wrong order"] >= 15 and .["dpnp>patient"].copied >= 15 and
			([.["dpnp>hasty"], .["dpnp>patient"]] | map(has("WRONG")) | any | not) and (.["dpnp>patient"] | has("wrong order") | not)' x.json
	done
	suai matrix --placement aligned --only dpnp:readers -o x.json
	[ "$status" -eq 0 ]
	jq -e '[.cells[].state] == ["copied", "copied"]' x.json
}

@test "work can be pending on the CUDA stream that a producer declares" {
	requires numpy
	[ ! -e /dev/nvidiactl ] || skip "this machine has an NVIDIA GPU"
	cd "$BATS_TEST_TMPDIR"
	"${CC:-gcc}" -D_GNU_SOURCE -fPIC -shared -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$ROOT/testdata/fakes/fake_cuda_driver.c"
	cat > device.py <<-'END'
		import ctypes

		import numpy

		driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
		driver.cuInit(0)
		driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)


		class Array:
		    def __init__(self, array):
		        address = ctypes.c_void_p()
		        driver.cuCtxSetCurrent(context)
		        driver.cuMemAllocManaged(ctypes.byref(address), array.nbytes or 1, 1)
		        ctypes.memmove(address.value, array.tobytes(), array.nbytes)
		        self.__cuda_array_interface__ = {
		            "version": 3, "shape": array.shape, "typestr": array.dtype.str, "data": (address.value, False), "stream": 1}


		class View:
		    def __init__(self, array):
		        self.__array_interface__ = dict(array.__cuda_array_interface__)


		def hasty(array):
		    return numpy.array(View(array))


		def patient(array):
		    driver.cuStreamSynchronize(ctypes.c_void_p(1))
		    return hasty(array)
	END
	cat > suai.yaml <<-'END'
		adapters:
		- library: device
		  import: import device
		  producer: device.Array(_)
		  has_queue: true
		  own_process: true
		  consumers:
		    hasty: device.hasty(_)
		    patient: device.patient(_)
	END
	export PYTHONPATH="$PWD" LD_LIBRARY_PATH="$PWD"
	suai matrix --placement pending --only device:device -o x.json
	[ "$status" -eq 1 ]
	jq -c '.cells[] | [.id, .state, .counts]' x.json
	jq -e '.cells | map({(.id): .counts}) | add | .["device>hasty"]["wrong order"] >= 15 and .["device>patient"].copied >= 15 and
		([.["device>hasty"], .["device>patient"]] | map(has("WRONG")) | any | not) and (.["device>patient"] | has("wrong order") | not)' x.json
}

@test "--from writes the document of an earlier run in another format, and accepts no other file" {
	local dir="$BATS_TEST_TMPDIR"
	suai matrix --only numpy:memoryview --only numpy:fake.narrow -o "$dir/x.json"
	for format in markdown html text json; do
		suai matrix --only numpy:memoryview --only numpy:fake.narrow -f "$format" -o "$dir/run"
		suai matrix --from "$dir/x.json" -f "$format" -o "$dir/read"
		[ "$status" -eq 0 ]
		cmp "$dir/run" "$dir/read"
	done
	sed 's/"refused"/"refuse"/' "$dir/x.json" > "$dir/state.json"
	printf '{"command": "matrix", "libraries": [], "arrays": [], "cells": [{"state": "shared"}]}' > "$dir/cell.json"
	"$TEST_PYTHON" - "$dir" <<-'END'
		import json, sys
		directory = sys.argv[1]
		for name in "unnamed", "twice":
		    document = json.load(open(directory + "/x.json"))
		    if name == "unnamed":
		        del document["cells"][0]["id"]
		    else:
		        document["cells"].append(document["cells"][0])
		    json.dump(document, open(f"{directory}/{name}.json", "w"))
	END
	for file in state cell unnamed twice; do
		suai matrix --from "$dir/$file.json" -f text
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: --from '$dir/$file.json': not a document of suai matrix -f json" ]
	done
	sed 's/"suai": 1,/"suai": 2,/' "$dir/x.json" > "$dir/format.json"
	suai matrix --from "$dir/x.json" --diff "$dir/format.json"
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --diff '$dir/format.json': expected 'suai: 1', the format version" ]
}

@test "adapters that cannot work are refused, or reported with the key to correct; Python's version is not theirs" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	# refused MESSAGE ADAPTERS
	refused() {
		printf 'adapters:\n%b' "$2" > suai.yaml
		suai matrix numpy
		[ "$status" -eq 2 ]
		[[ "$stderr" == "suai: suai.yaml:"*": adapters: $1"* ]]
	}
	refused "producer of 'a' does not use _, the NumPy array" '- library: a\n  producer: numpy.ones(3)\n'
	refused "consumer 'a.f' does not use _, the array of another library" '- library: a\n  consumers: {a.f: numpy.asarray}\n'
	refused "library 'a' has two adapters" '- library: a\n  producer: f(_)\n- library: a\n  producer: g(_)\n'
	refused "libraries 'a' and 'b' have a consumer 'f' each" '- library: a\n  consumers: {f: f(_)}\n- library: b\n  consumers: {f: f(_)}\n'
	refused "library 'a:b' contains : or >" '- library: "a:b"\n  producer: f(_)\n'
	refused "library 'a>b' contains : or >" '- library: a>b\n  producer: f(_)\n'
	refused "'a' has neither a producer nor consumers" '- library: a\n  import: import a\n'
	refused "consumers: expected a name, got an empty one" '- library: a\n  consumers: {"": f(_)}\n'
	printf 'adapters:\n- library: zz\n  consumers: {zz.f: f(_)}\n' > suai.yaml
	suai matrix zz
	[ "$stderr" = "suai: no pair of a producer and a consumer: none of the libraries is a producer" ]
	echo '__version__ = "5.4"' > mine.py
	cat > suai.yaml <<-'YAML'
		adapters:
		- library: misspelled
		  import: import numqy
		  producer: numqy.asarray(_)
		- library: produces
		  import: import mine, numpy
		  producer: numpy.asarry(_)
		- library: consumes
		  import: import array, numpy
		  consumers: {consumes.f: numpy.asarry(_)}
		- library: differs
		  import: import numpy
		  distribution: nosuchdist
		  producer: numpy.array(_) + 1
	YAML
	PYTHONPATH=. suai matrix -f json numpy misspelled produces consumes differs
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.libraries[] | [.library, .version]]' <<<"$output" | sed 's/"numpy","[^"]*"/"numpy"/')" \
		= '[["numpy"],["misspelled",null],["produces","5.4"],["consumes",null],["differs",null]]' ]
	[[ "$stderr" == *"suai.yaml: adapters: 'import' of 'misspelled': not installed; install the library, or correct the statement"* ]]
	[[ "$stderr" == *"adapters: 'producer' of 'produces' makes no array: AttributeError: module 'numpy' has no attribute 'asarry'"* ]]
	[[ "$stderr" == *"adapters: consumer 'consumes.f' of 'consumes' accepts no array: AttributeError"* ]]
	[[ "$stderr" == *"adapters: 'producer' of 'differs' makes no array: the producer's object differs: element "* ]]
	[[ "$stderr" == *"adapters: 'distribution' of 'differs': neither a package nor an imported module 'nosuchdist'"* ]]
	[ "$(wc -l <<<"$stderr")" -eq 5 ]
	# Wrong arrays among right ones.
	cat > suai.yaml <<-'YAML'
		adapters:
		- library: odd
		  import: import numpy
		  producer: numpy.array(_) + (_.dtype in ("int8", "int32"))
	YAML
	suai matrix --only odd:numpy.asarray --only odd:memoryview
	[ "$status" -eq 0 ]
	[[ "$stderr" == "suai: suai.yaml: adapters: 'producer' of 'odd' makes "[1-9]*" wrong arrays, such as "*"int"*": the producer's object differs: element "* ]]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "unknown libraries and pairs, and adapters that are incomplete, are errors with the position" {
	suai matrix nunpy
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: unknown library 'nunpy' (did you mean 'numpy'?)" ]
	suai matrix blaze
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: unknown library 'blaze' (one of: numpy memoryview "*" mpi4py"*"); key adapters of suai.yaml adds others" ]]
	suai matrix --only numpy
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --only 'numpy': expected PRODUCER:CONSUMER, such as jax:numpy or jax:numpy.asarray" ]
	suai matrix --only numpy:nothing
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: --only 'numpy:nothing': there is no such pair; libraries: numpy, memoryview, "* ]]
	cd "$BATS_TEST_TMPDIR"
	printf 'adapters:\n- import: import x\n' > suai.yaml
	suai matrix numpy
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: suai.yaml:2:3: adapters: missing 'library'" ]
	printf 'adapters:\n- library: x\n  import: import x\n  consumers: [f]\n' > suai.yaml
	suai matrix numpy
	[ "$stderr" = "suai: suai.yaml:4:14: adapters: consumers: expected a map from names to expressions, got a list" ]
	suai matrix -j-1 numpy
	[ "$status" -eq 2 ]
}
