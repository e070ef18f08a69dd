#!/usr/bin/env bats
# Whatever names, messages and files contain, no output has a raw control character, bidirectional mark or invisible
# character: these change how a terminal or a viewer shows the text around them.

load helpers

# One of each kind: ESC, BEL, DEL, C1 CSI, NEL, RLO, RLM, RLI, LS, ZWSP, BOM, a tag, SHY.
MARKS=$'\e[2J\a\x7f\xc2\x9b2J\xc2\x85\xe2\x80\xae\xe2\x80\x8f\xe2\x81\xa7\xe2\x80\xa8\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x81\x81\xc2\xad'

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	hostile="dir $MARKS"
	mkdir "$hostile"
	cd "$hostile" || return 1
	"$TEST_PYTHON" - "$MARKS" << 'END'
import sys
marks = sys.argv[1]
open(f"{marks}.py", "w").write(f'''
import array, warnings
marks = {marks!r}
warnings.warn(marks)
base = array.array("f", range(12))
said = {{"shape": (12,), "typestr": "<f4", "data": (base.buffer_info()[0], False), "version": 3}}

def exporter(**changed):
    return type(marks, (), {{"__module__": marks, "__array_interface__": {{**said, **changed}}}})()

def raiser(self):
    raise type(marks, (Exception,), {{"__module__": marks}})(marks)

plain = exporter()
keys = exporter(**{{marks: marks, "descr": [(marks, "<f4")], "typestr": marks}})
broken = exporter(shape=marks, data=marks, strides=(marks,), version=marks, typestr="<f4" + marks)
raising = type(marks, (), {{"__array_interface__": property(raiser), "__dlpack__": raiser, "__dlpack_device__": raiser,
    "__cuda_array_interface__": property(raiser), "__sycl_usm_array_interface__": {{marks: marks, "shape": marks,
    "syclobj": marks}}}})()
table = {{marks: plain}}
''')
open(f"import {marks}.py", "w").write(f"raise ValueError({marks!r})")
open(f"syntax {marks}.py", "w").write(f"x = '{marks}' +")
open(f"{marks}.npy", "wb").write(b"\x93NUMPY\1\0\x10\0" + b"{'descr': '\x9b'}")
open(f"{marks}.yaml", "w").write(f"targets: 1\n? {ascii(marks)}\n: 2\n".replace("'", '"'))
END
	script="$MARKS.py"
}

# nothing_unsafe: neither stream of the last command has a character that must be escaped.
nothing_unsafe() {
	printf '%s\n%s' "$output" "$stderr" | "$TEST_PYTHON" -c '
import sys
text = sys.stdin.buffer.read().decode("utf-8")
ranges = [(0, 9), (11, 31), (127, 159), (0xad, 0xad), (0x61c, 0x61c), (0x200b, 0x200f), (0x2028, 0x202e), (0x2060, 0x206f),
    (0xfeff, 0xfeff), (0xe0000, 0xe007f)]
found = [line for line in text.splitlines() if any(low <= ord(c) <= high for c in line for low, high in ranges)]
assert not found, ascii(found[:5])'
}

# safe ARGUMENT...: runs suai; warnings of the script itself are ignored.
safe() {
	PYTHONWARNINGS=ignore suai "$@" > /dev/null
	[ "$status" -ne 70 ]
	nothing_unsafe
}

@test "inspect prints no unsafe character, in any format" {
	for options in -q -v '-f yaml' '-f json' --color=never '--query declared,dtype,error' '-p numpy --query typestr' --stats; do
		# shellcheck disable=SC2086 # words
		safe inspect $options "$script"
		[ -n "$output$stderr" ]
		# shellcheck disable=SC2086
		safe inspect $options "$MARKS.npy" "$script:table['$MARKS']" "$script:$MARKS" "import $script" "syntax $script"
	done
}

@test "validate prints no unsafe character, in any format" {
	for format in text concise yaml json sarif junit tap github; do
		for options in '' -v '-q --no-skips' '--statistics' '--query target,message,type'; do
			# shellcheck disable=SC2086 # words
			safe validate -f "$format" $options "$script" "$MARKS.npy" "import $script" "$script:table['$MARKS']" "$MARKS"
		done
		suai validate -f "$format" "$script"
		[ "$status" -eq 1 ]
	done
}

@test "convert and devices print no unsafe character" {
	safe convert "$script:plain" --to dlpack
	[ "$status" -eq 0 ]
	safe convert "$script:plain" -o "$MARKS.raw" -v
	[ "$status" -eq 0 ]
	safe convert "$script:plain" --to dlpack --call "'$MARKS' + _"
	safe convert "$script:plain" --to dlpack --call "$MARKS"
	safe convert "$script:raising" --to dlpack -p dlpack
	safe convert "$MARKS.npy" --to dlpack
	safe convert "$script:plain" --to dlpack --device "$MARKS"
	mkdir -p "venv $MARKS/bin"
	ln -s "$(command -v python3)" "venv $MARKS/bin/python3"
	for format in text yaml json; do
		VIRTUAL_ENV="$PWD/venv $MARKS" SUAI_PYTHON='' safe devices -f "$format"
		[ "$status" -eq 0 ]
	done
}

@test "suai matrix prints no unsafe character of a name, nor markup" {
	markup=$'<script>x</script>|`b`\n![i](javascript:x)&amp;~~s~~'
	"$TEST_PYTHON" - "$MARKS" "$markup" > suai.yaml <<- 'END'
		import sys
		def quoted(name):
		    return '"%s"' % "".join("\\U%08x" % ord(character) for character in name)
		name = "".join(sys.argv[1:])
		library = name.translate({ord(":"): None, ord(">"): None})
		print("adapters:\n- library: %s\n  import: import array\n  producer: _.x\n  consumers:\n    ? %s\n    : bytes(_)" % (quoted(library), quoted(name)))
	END
	library="$MARKS${markup//[:>]/}"
	safe matrix -f json -o "$BATS_TEST_TMPDIR/matrix.json" ctypes "$library"
	[ "$status" -eq 0 ]
	for format in text markdown html json; do
		safe matrix -f $format --from "$BATS_TEST_TMPDIR/matrix.json"
		[ "$status" -eq 0 ]
		printf '%s\n' "$output" > "$BATS_TEST_TMPDIR/out.$format"
	done
	grep -qF '\<script\>x\</script\>\|\`b\`\\x0a!\[i\](javascript:x)\&amp;\~\~s\~\~' "$BATS_TEST_TMPDIR/out.markdown"
	"$TEST_PYTHON" - "$BATS_TEST_TMPDIR/out.html" <<- 'END'
		import html.parser, sys
		class Reader(html.parser.HTMLParser):
		    scripts = images = 0
		    def handle_starttag(self, tag, attributes):
		        Reader.scripts += tag == "script"
		        Reader.images += tag == "img" or any(name.startswith("on") for name, _ in attributes)
		reader = Reader()
		reader.feed(open(sys.argv[1]).read())
		assert (Reader.scripts, Reader.images) == (2, 0), (Reader.scripts, Reader.images)
	END
}

@test "--version and --show-settings print paths without unsafe characters" {
	mkdir -p "venv $MARKS/bin"
	ln -s "$TEST_PYTHON" "venv $MARKS/bin/python3"
	SUAI_PYTHON="$PWD/venv $MARKS/bin/python3" safe --version
	[[ "$output" == *'\u202e'* ]]
	SUAI_PYTHON="$MARKS" safe --version
	[[ "$output" == *'python: none (SUAI_PYTHON'*'\u202e'* ]]
	printf 'targets: ["%s"]\nbaseline: "x\\u202e\\u009b.yaml"\nseverity: note\n' 'a\u202e\u009b' > suai.yaml
	mkdir sub
	cd sub
	safe validate --show-settings --config "../../$hostile/suai.yaml"
	[ "$status" -eq 0 ]
	[[ "$output" == *'# ../../dir \x1b[2J'*'\u202e'* ]]
	suai validate --show-settings --config "../../$hostile/suai.yaml" --python "$MARKS"
	nothing_unsafe
	printf '%s\n' "$output" > printed.yaml
	diff <(sed 's/ *# .*//' printed.yaml) <(SUAI_PYTHON= "$SUAI" validate --show-settings --config printed.yaml | sed 's/ *# .*//')
}

@test "messages quote names, files, options and configurations without unsafe characters" {
	for arguments in "inspect '$MARKS'" "inspect 'none $script'" "inspect '$MARKS/'" "inspect '$script:none'" "inspect '$MARKS.yaml'" \
		"inspect -c 'import nothing$MARKS' 1" "inspect -c '$MARKS' '$MARKS'" "'$MARKS'" "rule '$MARKS'" "help '$MARKS'" \
		"validate '--$MARKS' x" "validate --select '$MARKS' x" "validate -f '$MARKS' x" "validate --config '$MARKS' x" \
		"inspect --python '$MARKS' -c 1 1" "inspect --python '$script' -c 1 1" "inspect --targets-from '$MARKS' x" \
		"inspect -o '$MARKS/none/x' '$script'" "inspect --query '$MARKS' '$script'" "inspect --max-version '$MARKS' '$script'" \
		"inspect --stream 'py:$MARKS' '$script'" "validate --spec '$MARKS' x" \
		"validate --only-step '$MARKS' '$script'" "validate --static '$script:raising'" "inspect --dl-device '$MARKS' '$script'"; do
		eval safe "$arguments"
	done
	SUAI_OPTS="--$MARKS" safe devices
	[ "$status" -eq 2 ]
	for text in '"\u202e\u009b": 1' 'python: "\u202e"' 'select: "\u202e\u009b"' 'severities: {"\u202e": error}' \
		'targets: {"\u202e": 1}' '[' '"\u202e' 'select: "\u202e' "$MARKS: 1" 'spec: {"\u202e": 1}'; do
		printf '%s\n' "$text" > suai.yaml
		safe validate "$script"
		[ "$status" -eq 2 ]
	done
	rm suai.yaml
	[ "$(id -u)" -ne 0 ] || {
		echo '{}' > suai.yaml
		chown 12345 suai.yaml
		mkdir sub
		safe devices
		[ "$status" -eq 2 ]
	}
}

@test "notices about baselines and ignores have no unsafe character" {
	safe validate -S note "$script" --baseline "$MARKS.base" --update-baseline
	[ "$status" -eq 0 ]
	stderr= output=$(cat "$MARKS.base") nothing_unsafe
	suai validate -S note "$script" --baseline "$MARKS.base"
	[ "$status" -eq 0 ]
	sed -i 's/^broken/other/' "$script"
	safe validate -v -S note "$script" --baseline "$MARKS.base"
	[[ "$stderr" == *'no longer found'* ]]
	"$TEST_PYTHON" -c 'import sys, yaml
print(yaml.dump({"per-target-ignores": [{"target": sys.argv[1], "rules": "CAI", "reason": sys.argv[1]},
    {"target": "*", "rules": "CAI", "reason": sys.argv[1]}]}))' "$MARKS" > suai.yaml
	safe validate -v "$script"
	[[ "$stderr" == *"no target matches '\x1b"* ]]
}

@test "documents have the same content with and without the escapes" {
	PYTHONWARNINGS=ignore suai validate -f json "$script" > /dev/null
	"$TEST_PYTHON" -c 'import json, sys
names = {t["target"] for t in json.loads(sys.argv[1])["targets"]}
assert sys.argv[2] + ".py:plain" in names, ascii(names)' "$output" "$MARKS"
	PYTHONWARNINGS=ignore suai inspect -f yaml "$script" > /dev/null
	"$TEST_PYTHON" -c 'import sys, yaml
document = yaml.safe_load(sys.argv[1])
[keys] = [t for t in document["targets"] if t["target"] == sys.argv[2] + ".py:keys"]
assert keys["interfaces"][0]["declared"][sys.argv[2]] == sys.argv[2], ascii(keys)' "$output" "$MARKS"
	printf '%s\n' "$output" > again.yaml
	suai inspect -f yaml again.yaml
	diff again.yaml <(printf '%s\n' "$output")
}

@test "a module whose name is not UTF-8 is found, or missing by that name" {
	cd "$BATS_TEST_TMPDIR"
	printf 'import array\na = array.array("d", [1])\ndef keep(x): return memoryview(x)\n' > $'\xff.py' 2> /dev/null || skip "names of files must be UTF-8 here"
	suai inspect -p buffer --query target $'\xff:a'
	[ "$status" -eq 0 ]
	[ "$output" = '\udcff:a' ]
	suai validate -p buffer -f junit $'\xff.py:a'
	[[ "$output" == *'classname="\udcff.py"'* ]]
	suai why $'\xff:a' $'\xff:keep'
	[ "$status" -eq 0 ]
	suai inspect $'no\xfe'
	[ "$status" -eq 2 ]
	[[ "$output" == *"missing at import: ModuleNotFoundError: No module named 'no\udcfe' in "* ]]
}
