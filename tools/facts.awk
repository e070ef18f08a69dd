# SPDX-License-Identifier: MIT
# Reads src/facts/facts.def and writes one output: header, tables, schema (the second file, with its
# line @RECORDS@ and the word @PROTOCOLS@ replaced) or docs (the second file, with its tables replaced).
# protocols: the names of all protocols, quoted.

function upper(word) {
	word = toupper(word)
	gsub(/[^A-Z0-9]/, "_", word)
	return word
}

function tag(record) {
	return struct_of[record] ? struct_of[record] : "fact_" record
}

FNR == NR && /^enum / {
	enums[++n_enums] = $2
	enum_prefix[$2] = $3
	for (first = 4; $first == "named" || $first == "read" || $first == "zero"; first++) {
		if ($first == "named") named[$2] = 1
		if ($first == "read") read_by_name[$2] = 1
		if ($first == "zero") zero[$2] = 1
	}
	for (i = first; i <= NF; i++)
		enum_word[$2, ++n_words[$2]] = $i
	next
}

FNR == NR && /^(record|shape) / {
	record = $2
	records[++n_records] = record
	is_shape[record] = $1 == "shape"
	for (i = 3; i <= NF && $i != "--"; i++) {
		if ($i == "sparse") sparse[record] = 1
		if ($i == "message") is_message[record] = 1
		if ($i ~ /^struct=/) struct_of[record] = substr($i, 8)
		if ($i ~ /^details=/) details_of[record] = substr($i, 9)
	}
	about[record] = substr($0, index($0, " -- ") + 4)
	next
}

FNR == NR && /^\t[a-z_]+ memo:/ {
	memos[$1] = "\tconst struct " substr($2, 6) " *" $1 "; /* " substr($0, index($0, " -- ") + 4) " */"
	memo_of[record] = memo_of[record] " " $1
	next
}

FNR == NR && /^\t/ {
	n = ++n_fields[record]
	field[record, n] = $1
	type[record, n] = $2
	if ($2 ~ /\[\]$/) is_listed[substr($2, 1, length($2) - 2)] = 1
	if (match($0, / schema=[^ ]*.* -- /)) {
		text = substr($0, RSTART + 8, RLENGTH - 12)
		schema[record, n] = text
	}
	for (i = 3; i <= NF && $i != "--"; i++) {
		if ($i == "required") required[record, n] = 1
		if ($i == "wire" || $i == "document") place[record, n] = $i
	}
	doc[record, n] = substr($0, index($0, " -- ") + 4)
	next
}

FNR == NR { next }

# --- the second file ---

function json_text(text) {
	gsub(/["\\]/, "\\\\&", text)
	return "\"" text "\""
}

function nullable(definition, is_required) {
	if (is_required) return definition
	if (definition ~ /^\{"type":"[a-z]*"\}$/) {
		match(definition, /"[a-z]*"\}$/)
		return "{\"type\":[" substr(definition, RSTART, RLENGTH - 1) ",\"null\"]}"
	}
	return "{\"anyOf\":[" definition ",{\"type\":\"null\"}]}"
}

function words_of(name, is_required,    text, i) {
	for (i = 1; i <= n_words[name]; i++)
		text = text (i > 1 ? "," : "") json_text(enum_word[name, i])
	return "{\"enum\":[" text (is_required ? "" : ",null") "]}"
}

function definition_of(record, n,    t, d, inner) {
	t = type[record, n]
	if (schema[record, n]) d = schema[record, n]
	else if (t ~ /^enum:/) d = words_of(substr(t, 6), required[record, n])
	else if (t == "text" || t ~ /^chars:/) d = nullable("{\"type\":\"string\"}", required[record, n] || sparse[record])
	else if (t == "bool") d = nullable("{\"type\":\"boolean\"}", required[record, n])
	else if (t == "int") d = nullable("{\"type\":\"integer\"}", required[record, n] || sparse[record])
	else if (t == "uint") d = nullable("{\"$ref\":\"#/$defs/count\"}", required[record, n])
	else if (t == "size") d = nullable("{\"$ref\":\"#/$defs/count\"}", required[record, n])
	else if (t == "real") d = nullable("{\"type\":\"number\"}", required[record, n])
	else if (t ~ /^address/) d = nullable("{\"$ref\":\"#/$defs/address\"}", required[record, n])
	else if (t == "ints") d = nullable("{\"$ref\":\"#/$defs/integers\"}", required[record, n])
	else if (t == "texts") d = nullable("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", required[record, n] || sparse[record])
	else if (t == "types") d = "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}"
	else if (t == "value" || t == "declared" || t == "details") d = "{}"
	else if (t ~ /\[\]$/) {
		inner = substr(t, 1, length(t) - 2)
		d = nullable("{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/" inner "\"}}", required[record, n])
	} else {
		inner = t
		sub(/^flat:/, "", inner)
		d = nullable("{\"$ref\":\"#/$defs/" inner "\"}", required[record, n] || sparse[record])
	}
	return substr(d, 1, length(d) - 1) (d == "{}" ? "" : ",") "\"description\":" json_text(doc[record, n]) "}"
}

# Sizes of elements are not added up.
function is_count(record, n) {
	return type[record, n] == "int" && required[record, n] && field[record, n] !~ /_element_bytes$/
}

function print_definition(record,    n, keys, first) {
	for (n = 1; n <= n_fields[record]; n++)
		if (place[record, n] != "wire")
			keys = keys (keys ? "," : "") json_text(field[record, n])
	printf "    %s: {\n      \"description\": %s,\n      \"type\": \"object\",\n", json_text(record), json_text(about[record])
	printf "      \"additionalProperties\": false,\n"
	if (!sparse[record]) printf "      \"required\": [%s],\n", keys
	if (constraint[record]) printf "      \"allOf\": %s,\n", constraint[record]
	printf "      \"properties\": {"
	first = 1
	for (n = 1; n <= n_fields[record]; n++) {
		if (place[record, n] == "wire") continue
		printf "%s\n        %s: %s", (first ? "" : ","), json_text(field[record, n]), definition_of(record, n)
		first = 0
	}
	print "\n      }\n    },"
}

# Constraints between fields: error is null on success, the shape of details depends on the protocol.
function set_constraints(    i, text, record, names, n, has_shape) {
	text = "[{\"if\":{\"properties\":{\"status\":{\"const\":\"ok\"}}},\"then\":{\"properties\":{\"error\":{\"type\":\"null\"}}},\"else\":{\"properties\":{\"error\":{\"$ref\":\"#/$defs/error\"},\"array\":{\"type\":\"null\"}}}}"
	for (i = 1; i <= n_records; i++) {
		record = records[i]
		if (!details_of[record]) continue
		has_shape["\"" details_of[record] "\""] = 1
		text = text ",\n        {\"if\":{\"properties\":{\"protocol\":{\"const\":\"" details_of[record] "\"}}},\"then\":{\"properties\":{\"details\":{\"anyOf\":[{\"$ref\":\"#/$defs/" record "\"},{\"type\":\"null\"}]}}}}"
	}
	n = split(protocols, names, " ")
	for (i = 1; i <= n; i++)
		if (!(names[i] in has_shape))
			text = text ",\n        {\"if\":{\"properties\":{\"protocol\":{\"const\":" names[i] "}}},\"then\":{\"properties\":{\"details\":{\"type\":\"null\"}}}}"
	constraint["interface"] = text "]"
	constraint["target"] = "[{\"if\":{\"properties\":{\"status\":{\"const\":\"ok\"}}},\"then\":{\"properties\":{\"step\":{\"type\":\"null\"},\"error\":{\"type\":\"null\"}}},\"else\":{\"properties\":{\"step\":{\"type\":\"string\"},\"error\":{\"$ref\":\"#/$defs/error\"}}}}]"
	constraint["call"] = "[{\"if\":{\"properties\":{\"outcome\":{\"const\":\"returned\"}}},\"then\":{\"properties\":{\"error\":{\"type\":\"null\"},\"exception\":{\"type\":\"null\"}}},\"else\":{\"properties\":{\"error\":{\"$ref\":\"#/$defs/error\"}}}}]"
}

output == "schema" && /^@RECORDS@$/ {
	set_constraints()
	for (r = 1; r <= n_records; r++)
		if (!is_message[records[r]])
			print_definition(records[r])
	next
}

# A report of suai trace has some of the records.
output == "schema" && /^@DEFINITIONS .*@$/ {
	for (i = 2; i <= NF; i++) {
		sub(/@$/, "", $i)
		print_definition($i)
	}
	next
}

# The counts of a record, which sums have as well.
output == "schema" && /^@COUNTS .*@$/ {
	record = substr($2, 1, length($2) - 1)
	keys = ""
	for (n = 1; n <= n_fields[record]; n++)
		if (is_count(record, n)) keys = keys (keys ? "," : "") json_text(field[record, n])
	printf "      \"required\": [%s],\n      \"properties\": {", keys
	first = 1
	for (n = 1; n <= n_fields[record]; n++) {
		if (!is_count(record, n)) continue
		printf "%s\n        %s: %s", (first ? "" : ","), json_text(field[record, n]), definition_of(record, n)
		first = 0
	}
	print "\n      }"
	next
}

output == "schema" {
	words = protocols
	gsub(/ /, ", ", words)
	sub(/@PROTOCOLS@/, words)
	print
	next
}

output == "docs" && /^<!-- record [a-z_]+ -->$/ {
	print
	record = $3
	print "\n| field | type | description |\n|---|---|---|"
	for (n = 1; n <= n_fields[record]; n++) {
		t = type[record, n]
		sub(/^(enum|flat|chars):/, "", t)
		if (t ~ /^[0-9]+$/) t = "text"
		if (t == "address0") t = "address"
		if (t == "size") t = "int"
		if (type[record, n] ~ /^enum:/) {
			text = ""
			for (i = 1; i <= n_words[t]; i++) text = text (i > 1 ? ", " : "") "`" enum_word[t, i] "`"
			t = text
		}
		text = doc[record, n]
		gsub(/\|/, "\\|", text)
		printf "| `%s` | %s%s | %s |\n", field[record, n], t, (place[record, n] ? " (" (place[record, n] == "wire" ? "messages" : "documents") ")" : ""), text
	}
	print ""
	skipping = 1
	next
}
output == "docs" && /^<!-- end -->$/ { skipping = 0 }
output == "docs" && !skipping { print; next }

# --- outputs that depend only on facts.def ---

function c_type(t) {
	if (t == "text") return "const char *"
	if (t == "bool") return "enum answer "
	if (t == "int" || t == "uint" || t == "real" || t == "address" || t == "ints" || t == "texts") return "struct fact_" t " "
	if (t == "value" || t == "declared" || t == "details") return "const struct value *"
	if (t == "size" || t == "address0") return "uint64_t "
	if (t ~ /^enum:/) return "enum " substr(t, 6) " "
	if (t ~ /\[\]$/) return "struct " tag(substr(t, 1, length(t) - 2)) "_list "
	return "struct " tag(t) " "
}

function print_member(t, name, text) {
	if (t ~ /^chars:/) printf "\tchar %s[%s]; /* %s */\n", name, substr(t, 7), text
	else printf "\t%s%s; /* %s */\n", c_type(t), name, text
}

function print_header(    r, n, i, record, t, inner) {
	print "// SPDX-License-Identifier: MIT"
	print "/* Generated by tools/facts from facts.def; do not edit. Structs whose memory is zero are null. */"
	print "#ifndef FACTS_FACTS_H\n#define FACTS_FACTS_H\n\n#include \"facts/fact.h\"\n"
	for (i = 1; i <= n_enums; i++) {
		printf "enum %s {\n", enums[i]
		if (!zero[enums[i]]) printf "\t%s_NULL,\n", enum_prefix[enums[i]]
		for (n = 1; n <= n_words[enums[i]]; n++)
			printf "\t%s_%s,\n", enum_prefix[enums[i]], upper(enum_word[enums[i], n])
		print "};\n"
	}
	print "/* The word of a value; NULL for null. */"
	for (i = 1; i <= n_enums; i++)
		if (named[enums[i]])
			printf "const char *%s_name(enum %s %s);\n", enums[i], enums[i], enums[i]
	print "\n/* False if name is not such a word. */"
	for (i = 1; i <= n_enums; i++)
		if (read_by_name[enums[i]])
			printf "bool %s_from_name(const char *name, enum %s *out);\n", enums[i], enums[i]
	print ""
	for (r = 1; r <= n_records; r++) {
		record = records[r]
		if (is_shape[record]) continue
		printf "/* %s */\nstruct %s {\n\tbool present;\n", about[record], tag(record)
		for (n = 1; n <= n_fields[record]; n++) {
			t = type[record, n]
			if (t == "types") continue
			if (t !~ /^flat:/) {
				print_member(t, field[record, n], doc[record, n])
				continue
			}
			inner = substr(t, 6)
			for (i = 1; i <= n_fields[inner]; i++)
				print_member(type[inner, i], field[record, n] "_" field[inner, i], doc[inner, i])
		}
		n = split(memo_of[record], memo_names, " ")
		for (i = 1; i <= n; i++) print memos[memo_names[i]]
		print "};\n"
		if (is_listed[record])
			printf "struct %s_list {\n\tbool known;\n\tsize_t n_items;\n\tstruct %s *items;\n};\n\n", tag(record), tag(record)
	}
	for (r = 1; r <= n_records; r++)
		printf "extern const struct fact_record fact_%s_record;\n", records[r]
	print "\n/* All of these; ends with NULL. */\nextern const struct fact_record *const fact_records[];\n\n#endif"
}

function kind_of(t) {
	if (t ~ /^enum:/) return "FACT_ENUM"
	if (t ~ /^chars:/) return "FACT_CHARS"
	if (t ~ /^flat:/) return "FACT_FLAT"
	if (t ~ /\[\]$/) return "FACT_LIST"
	if (t ~ /^(text|bool|int|uint|real|address|ints|texts|value|declared|types|details|size|address0)$/) return "FACT_" toupper(t)
	return "FACT_RECORD"
}

# offset: the C text of the offset of the field; empty if there is no struct.
function print_row(record, n, offset,    t, inner, kind) {
	t = type[record, n]
	kind = kind_of(t)
	printf "\t{ .name = \"%s\", .type = %s", field[record, n], kind
	if (required[record, n]) printf ", .is_required = true"
	if (place[record, n] == "wire") printf ", .place = FACT_IN_WIRE"
	if (place[record, n] == "document") printf ", .place = FACT_IN_DOCUMENT"
	if (offset && t != "types" && kind != "FACT_FLAT") printf ", .offset = %s", offset
	if (kind == "FACT_CHARS") printf ", .n_chars = %s", substr(t, 7)
	if (kind == "FACT_ENUM") printf ", .words = %s_words", substr(t, 6)
	inner = t
	sub(/^flat:/, "", inner)
	sub(/\[\]$/, "", inner)
	if (kind == "FACT_FLAT" && offset) inner = "flat_" record "_" field[record, n]
	if (kind == "FACT_RECORD" || kind == "FACT_LIST" || (kind == "FACT_FLAT" && !offset)) printf ", .record = &fact_%s_record", inner
	else if (kind == "FACT_FLAT") printf ", .record = &%s", inner
	print " },"
}

function print_table(record,    n, i, inner, member, name) {
	member = "offsetof(struct " tag(record) ", "
	for (n = 1; n <= n_fields[record]; n++) {
		if (is_shape[record] || type[record, n] !~ /^flat:/) continue
		inner = substr(type[record, n], 6)
		name = "flat_" record "_" field[record, n]
		printf "static const struct fact_field %s_fields[] = {\n", name
		for (i = 1; i <= n_fields[inner]; i++)
			print_row(inner, i, member field[record, n] "_" field[inner, i] ")")
		printf "};\n\nstatic const struct fact_record %s = { .name = \"%s\", .fields = %s_fields, .n_fields = ARRAY_SIZE(%s_fields) };\n\n", name, inner, name, name
	}
	printf "static const struct fact_field %s_fields[] = {\n", record
	for (n = 1; n <= n_fields[record]; n++)
		print_row(record, n, is_shape[record] ? "" : member field[record, n] ")")
	printf "};\n\nconst struct fact_record fact_%s_record = { .name = \"%s\", .fields = %s_fields, .n_fields = ARRAY_SIZE(%s_fields)", record, record, record, record
	if (!is_shape[record]) printf ", .n_bytes = sizeof(struct %s)", tag(record)
	if (sparse[record]) printf ", .is_sparse = true"
	print " };\n"
}

function print_tables(    i, n, r) {
	print "// SPDX-License-Identifier: MIT"
	print "/* Generated by tools/facts from facts.def; do not edit. */"
	print "#include \"facts/facts.h\"\n\n#include \"base/array_size.h\"\n\n#include <stddef.h>\n"
	for (i = 1; i <= n_enums; i++) {
		printf "static const char *const %s_words[] = {\n", enums[i]
		if (!zero[enums[i]]) printf "\t[%s_NULL] = \"\",\n", enum_prefix[enums[i]]
		for (n = 1; n <= n_words[enums[i]]; n++)
			printf "\t[%s_%s] = \"%s\",\n", enum_prefix[enums[i]], upper(enum_word[enums[i], n]), enum_word[enums[i], n]
		print "\tNULL,\n};\n"
		if (named[enums[i]])
			printf "const char *%s_name(enum %s %s)\n{\n\treturn *%s_words[%s] ? %s_words[%s] : NULL;\n}\n\n", enums[i], enums[i], enums[i], enums[i], enums[i], enums[i], enums[i]
	}
	for (i = 1; i <= n_enums; i++)
		if (read_by_name[enums[i]])
			printf "bool %s_from_name(const char *name, enum %s *out)\n{\n\tint number;\n\tif (!name || !fact_word_number(%s_words, name, &number))\n\t\treturn false;\n\t*out = (enum %s)number;\n\treturn true;\n}\n\n", enums[i], enums[i], enums[i], enums[i]
	for (r = 1; r <= n_records; r++)
		print_table(records[r])
	print "const struct fact_record *const fact_records[] = {"
	for (r = 1; r <= n_records; r++)
		printf "\t&fact_%s_record,\n", records[r]
	print "\tNULL,\n};"
}

END {
	if (output == "header") print_header()
	if (output == "tables") print_tables()
}
