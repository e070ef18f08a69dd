# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2207
# Completions of suai for bash. Written by `suai docs bash`.

# _suai_options COMMAND: sets words to its options.
_suai_options()
{
	case $1 in
	'') words='inspect validate convert matrix why trace devices rule init version help complete' words+=' --help --version' ;;
	inspect) words='-f --format --query --max-version --dl-device --copy --stream --values --stats --checksum -e --exit-status -p --protocol -c --code --main --targets-from -j --jobs -o --output -q --quiet -v --verbose --color --python --timeout --wrap --host --config --isolated --show-settings --help' ;;
	validate) words='-f --format --select --extend-select --ignore -S --severity --strict --spec --static --calls --lifetime --live --producer-stream --all --only-step --pieces --consumer --case --reproduce --fuzz --seed --no-hints --no-skips --no-summary --query --baseline --update-baseline --exit-zero --statistics -p --protocol -c --code --main --targets-from -j --jobs -o --output -q --quiet -v --verbose --color --python --timeout --wrap --host --config --isolated --show-settings --help' ;;
	convert) words='--to --interface-version --device --order --copy --stream --engine --call --verify --dry-run --timing --query -f --format -p --protocol -c --code --main --targets-from -j --jobs -o --output -q --quiet -v --verbose --color --python --timeout --wrap --host --config --isolated --show-settings --help' ;;
	matrix) words='-f --format --only --placement --diff --from -j --jobs -o --output -q --quiet -v --verbose --color --python --timeout --wrap --host --config --isolated --show-settings --help' ;;
	why) words='-f --format -p --protocol -c --code --main --targets-from -j --jobs -o --output -q --quiet -v --verbose --color --python --timeout --wrap --host --config --isolated --show-settings --help' ;;
	trace) words='-f --format -o --output --min-bytes --max-events --copies --held --order --follow --fail-on --baseline --update-baseline --without -q --quiet -v --verbose --color --help' ;;
	devices) words='-f --format --query -o --output -q --quiet -v --verbose --color --python --timeout --wrap --host --config --isolated --show-settings --help' ;;
	rule) words='-f --format --query -o --output --color --help' ;;
	init) words='-o --output --help' ;;
	version) words='--help' ;;
	help) words='--help' ;;
	complete) words='--help' ;;
	esac
}

# _suai_value COMMAND OPTION: sets words, asks or files, and list if commas separate values;
# fails if the option takes no value.
_suai_value()
{
	case $1:$2 in
	inspect:-f | inspect:--format) words='text yaml json tsv' ;;
	inspect:--query) list=1 asks=query ;;
	inspect:--max-version) : ;;
	inspect:--dl-device) : ;;
	inspect:--copy) words='auto always never' ;;
	inspect:--stream) : ;;
	inspect:-p | inspect:--protocol) list=1 words='sycl cuda dlpack numpy numpy-struct buffer' ;;
	inspect:-c | inspect:--code) : ;;
	inspect:--targets-from) files=1 ;;
	inspect:-j | inspect:--jobs) : ;;
	inspect:-o | inspect:--output) files=1 ;;
	inspect:--color) words='auto always never' ;;
	inspect:--python) files=1 ;;
	inspect:--timeout) : ;;
	inspect:--wrap) : ;;
	inspect:--host) words='auto embed exec' ;;
	inspect:--config) files=1 ;;
	validate:-f | validate:--format) words='text concise yaml json sarif junit tap github tsv' ;;
	validate:--select) list=1 asks=rules ;;
	validate:--extend-select) list=1 asks=rules ;;
	validate:--ignore) list=1 asks=rules ;;
	validate:-S | validate:--severity) words='error warning note' ;;
	validate:--spec) list=1 : ;;
	validate:--producer-stream) : ;;
	validate:--only-step) asks=steps ;;
	validate:--consumer) : ;;
	validate:--case) list=1 asks=cases ;;
	validate:--reproduce) asks=cases ;;
	validate:--fuzz) : ;;
	validate:--seed) : ;;
	validate:--query) list=1 asks=query ;;
	validate:--baseline) files=1 ;;
	validate:-p | validate:--protocol) list=1 words='sycl cuda dlpack numpy numpy-struct buffer' ;;
	validate:-c | validate:--code) : ;;
	validate:--targets-from) files=1 ;;
	validate:-j | validate:--jobs) : ;;
	validate:-o | validate:--output) files=1 ;;
	validate:--color) words='auto always never' ;;
	validate:--python) files=1 ;;
	validate:--timeout) : ;;
	validate:--wrap) : ;;
	validate:--host) words='auto embed exec' ;;
	validate:--config) files=1 ;;
	convert:--to) words='sycl cuda dlpack numpy buffer' ;;
	convert:--interface-version) : ;;
	convert:--device) asks=devices ;;
	convert:--order) words='C F K' ;;
	convert:--copy) words='auto always never' ;;
	convert:--stream) : ;;
	convert:--engine) words='auto kernel host' ;;
	convert:--call) : ;;
	convert:--query) list=1 asks=query ;;
	convert:-f | convert:--format) words='text yaml json tsv' ;;
	convert:-p | convert:--protocol) list=1 words='sycl cuda dlpack numpy numpy-struct buffer' ;;
	convert:-c | convert:--code) : ;;
	convert:--targets-from) files=1 ;;
	convert:-j | convert:--jobs) : ;;
	convert:-o | convert:--output) files=1 ;;
	convert:--color) words='auto always never' ;;
	convert:--python) files=1 ;;
	convert:--timeout) : ;;
	convert:--wrap) : ;;
	convert:--host) words='auto embed exec' ;;
	convert:--config) files=1 ;;
	matrix:-f | matrix:--format) words='text markdown json html' ;;
	matrix:--only) : ;;
	matrix:--placement) words='aligned offset pending all' ;;
	matrix:--diff) files=1 ;;
	matrix:--from) files=1 ;;
	matrix:-j | matrix:--jobs) : ;;
	matrix:-o | matrix:--output) files=1 ;;
	matrix:--color) words='auto always never' ;;
	matrix:--python) files=1 ;;
	matrix:--timeout) : ;;
	matrix:--wrap) : ;;
	matrix:--host) words='auto embed exec' ;;
	matrix:--config) files=1 ;;
	why:-f | why:--format) words='text yaml json' ;;
	why:-p | why:--protocol) list=1 words='sycl cuda dlpack numpy numpy-struct buffer' ;;
	why:-c | why:--code) : ;;
	why:--targets-from) files=1 ;;
	why:-j | why:--jobs) : ;;
	why:-o | why:--output) files=1 ;;
	why:--color) words='auto always never' ;;
	why:--python) files=1 ;;
	why:--timeout) : ;;
	why:--wrap) : ;;
	why:--host) words='auto embed exec' ;;
	why:--config) files=1 ;;
	trace:-f | trace:--format) words='text yaml json sarif perfetto' ;;
	trace:-o | trace:--output) files=1 ;;
	trace:--min-bytes) : ;;
	trace:--max-events) : ;;
	trace:--fail-on) list=1 words='copy leak narrowed stream' ;;
	trace:--baseline) files=1 ;;
	trace:--without) list=1 words='capsules deleters buffers lines numpy-api results exchange-api driver attributes' ;;
	trace:--color) words='auto always never' ;;
	devices:-f | devices:--format) words='text yaml json tsv' ;;
	devices:--query) list=1 asks=query ;;
	devices:-o | devices:--output) files=1 ;;
	devices:--color) words='auto always never' ;;
	devices:--python) files=1 ;;
	devices:--timeout) : ;;
	devices:--wrap) : ;;
	devices:--host) words='auto embed exec' ;;
	devices:--config) files=1 ;;
	rule:-f | rule:--format) words='text yaml json tsv' ;;
	rule:--query) list=1 asks=query ;;
	rule:-o | rule:--output) files=1 ;;
	rule:--color) words='auto always never' ;;
	init:-o | init:--output) files=1 ;;
	*) return 1 ;;
	esac
}

# _suai_operand COMMAND: sets words, asks or files.
_suai_operand()
{
	case $1 in
	inspect) asks=targets ;;
	validate) asks=targets ;;
	convert) asks=targets ;;
	why) asks=targets ;;
	trace) files=1 ;;
	rule) asks=rules ;;
	help) words='inspect validate convert matrix why trace devices rule init version help complete' ;;
	esac
}

# _suai_quote: quotes line, which replaces the word or what follows its opening quote.
_suai_quote()
{
	case $word in
	\'*) : ;;
	\"*) line=${line//\$/\\$} line=${line//\`/\\\`} ;; # it has no other special characters
	*) printf -v line %q "$line" ;;
	esac
}

# _suai_ask: sets COMPREPLY to what suai suggests for asks.
_suai_ask()
{
	local plain=${word//[\\\'\"]/} argument=$command line

	plain=${plain/#\~\//$HOME/}
	[ -n "$typed" ] && typed=${plain%"${plain##*:}"}
	[ "$asks" = targets ] && argument=$plain
	[ "$asks" = steps ] && compopt -o filenames 2>/dev/null # quotes blanks
	while IFS= read -r line; do
		line=${line%%$'\t'*}
		[[ $line == "$plain"* ]] || continue
		[ "$asks$typed" = targets ] && _suai_quote
		COMPREPLY+=("$prefix$line")
	done < <(suai complete "$asks" "$argument" 2>/dev/null)
}

_suai()
{
	local index=$COMP_CWORD word=${COMP_WORDS[COMP_CWORD]} before
	local command='' words='' asks='' list='' files='' prefix='' typed=''
	local IFS=$' \t\n'

	COMPREPLY=()
	[ "$COMP_CWORD" -gt 1 ] && command=${COMP_WORDS[1]}
	# Readline splits words at colons, and replaces only what follows the last one.
	while [ "$index" -gt 2 ] && [[ ${COMP_WORDS[index]} == : || ${COMP_WORDS[index - 1]} == : ]]; do
		index=$((index - 1))
		word=${COMP_WORDS[index]}$word
		typed=${word%"${word##*:}"}
	done
	before=${COMP_WORDS[index - 1]}
	if [ "$word" = = ]; then
		word=''
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[index - 2]}
	fi
	if _suai_value "$command" "$before"; then
		:
	elif [ -z "$command" ] || [ "${word:0:1}" = - ]; then
		_suai_options "$command"
	else
		_suai_operand "$command"
	fi
	if [ -n "$list" ] && [ "$word" != "${word%,*}" ]; then
		prefix=${word%,*},
		word=${word##*,}
	fi
	if [ "$asks" = targets ] && [[ ! $word =~ (\.py|\.ipynb|^[A-Za-z_][A-Za-z0-9_.]*): ]]; then
		asks='' files=1
	fi
	if [ -n "$asks" ]; then
		_suai_ask
	elif [ -n "$files" ]; then
		compopt -o filenames 2>/dev/null
		IFS=$'\n' COMPREPLY=($(compgen -f -- "$word"))
	else
		COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$word"))
	fi
	[ -n "$typed" ] && COMPREPLY=("${COMPREPLY[@]#"$typed"}")
}

complete -F _suai suai
