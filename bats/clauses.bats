#!/usr/bin/env bats
# The clause of each rule refers to a document that is pinned in testdata/clauses, and to a section of it;
# docs/rules.md describes the form.

load helpers

# check_clauses FILE: a complaint for each clause that is malformed or refers to nothing.
check_clauses() {
	"$TEST_PYTHON" - "$ROOT/testdata/clauses" "$1" << 'PYTHON'
import json, pathlib, re, sys

pinned = {}
for path in pathlib.Path(sys.argv[1]).glob("*.sections"):
    head, _, sections = path.read_text().partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert set(fields) == {"document", "version", "source"}, path
    slug = re.sub("[^a-z0-9]+", "-", fields["document"].lower()).strip("-")
    assert path.name == f"{slug}-{fields['version']}.sections", path
    names = sections.splitlines()
    assert names and len(set(names)) == len(names) and not re.search("[,;()]", sections), path
    pinned[fields["document"], fields["version"]] = set(names)

def complain(rule, clause):
    text = re.sub(r' \((?:"[^"]*"|[^()"])*\)(?=;|$)', "", clause).removeprefix("derived from ")
    if re.search("[()]", text):
        return "a parenthesis that is no remark at the end of a part"
    document = None
    for part in text.split("; "):
        words = part.split(", ")
        if len(words) == 3 and words[1].startswith("version "):
            document = words[0], words[1].removeprefix("version ")
            if document not in pinned:
                return f"document {document} is not pinned"
        elif len(words) != 1 or not document:
            return f"'{part}' is neither 'Document, version, section' nor a section"
        if words[-1] not in pinned[document]:
            return f"{document} has no section '{words[-1]}'"

complaints = [f"{rule['rule']}: {why}: {rule['clause']}" for rule in json.load(open(sys.argv[2]))["rules"]
              if (why := complain(rule["rule"], rule["clause"]))]
print(*complaints, sep="\n", end="")
PYTHON
}

# bats test_tags=judge
@test "each rule's clause names a document, its version and a section that it has" {
	"$SUAI" rule -f json -o "$BATS_TEST_TMPDIR/book.json"
	run check_clauses "$BATS_TEST_TMPDIR/book.json"
	echo "$output"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

# bats test_tags=judge
@test "the clause of each finding in docs/findings names them, too" {
	"$TEST_PYTHON" "$ROOT/tools/findings" --clauses > "$BATS_TEST_TMPDIR/book.json"
	run check_clauses "$BATS_TEST_TMPDIR/book.json"
	echo "$output"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

# bats test_tags=judge
@test "a clause that refers to nothing is found" {
	while IFS='|' read -r clause complaint; do
		jq -n --arg clause "$clause" '{rules: [{rule: "X", clause: $clause}]}' > "$BATS_TEST_TMPDIR/book.json"
		run check_clauses "$BATS_TEST_TMPDIR/book.json"
		echo "$output"
		[ "$output" = "${complaint:+X: $complaint: $clause}" ]
	done << 'EOF'
SYCL, version 2020, USM allocations|
derived from SYCL, version 2020, Aspects ("fp64 (or); and, fp16"); USM allocations; dlpack.h, version 1.3, DLTensor.strides|
SYCL, version 2020, USM allocation|('SYCL', '2020') has no section 'USM allocation'
SYCL, version 2021, USM allocations|document ('SYCL', '2021') is not pinned
SYCL 2020, USM allocations|'SYCL 2020, USM allocations' is neither 'Document, version, section' nor a section
SYCL, version 2020, Aspects, Queue class|'SYCL, version 2020, Aspects, Queue class' is neither 'Document, version, section' nor a section
USM allocations|'USM allocations' is neither 'Document, version, section' nor a section
SYCL, version 2020, USM (all) allocations|a parenthesis that is no remark at the end of a part
SYCL, version 2020, Aspects, queue; Queue class|'SYCL, version 2020, Aspects, queue' is neither 'Document, version, section' nor a section
EOF
}

# bats test_tags=judge
@test "sections cited of suai's own document exist" {
	sed '1,/^$/d' "$ROOT/testdata/clauses/suai-docs-rules-md-1.sections" | while read -r section; do
		grep -qx "## $section" "$ROOT/docs/rules.md" || { echo "no section: $section"; return 1; }
	done
}

# bats test_tags=judge
@test "a rule whose clause is derived, without a quotation, is neither required nor recommended by the document" {
	suai rule -f json
	[ "$(jq -r '.rules[] | select(.clause | tostring | startswith("derived from") and (contains("\"") | not)) | select(.level == "must" or .level == "should").rule' <<< "$output")" = '' ]
	[ "$(jq '[.rules[] | select(.clause | tostring | startswith("derived from"))] | length' <<< "$output")" -gt 20 ]
}
