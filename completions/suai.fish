# SPDX-License-Identifier: MIT
# Completions of suai for fish. Written by `suai docs fish`.

# The arguments behind what stands before the last comma of the word.
function __suai_list
	set -l before (commandline -ct | string replace -r '^--[^=]*=' '' | string match -r '^.*,')
	printf '%s\n' "$before"$argv
end

function __suai_rules
	__suai_list (suai rule 2>/dev/null | grep -Eo '^[A-Z]{3,4}[0-9]{3}')
end

complete -c suai -f
complete -c suai -n __fish_use_subcommand -l help -s h -d 'list the commands'
complete -c suai -n __fish_use_subcommand -l version -s V -d 'print what this build found'

complete -c suai -n __fish_use_subcommand -a inspect -d 'show every interface that an object exposes: as declared, and as decoded'
complete -c suai -n '__fish_seen_subcommand_from inspect' -s f -l format -x -a 'text yaml json' -d 'text (default), yaml or json'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l query -x -d 'print these keys alone, such as shape,pointer, one line each'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l max-version -x -d 'max_version= for __dlpack__: 1.3, or none'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l dl-device -x -d 'dl_device= for __dlpack__: cpu, cuda:0, or TYPE,ID'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l copy -x -a 'auto always never' -d 'copy=None, True or False: auto, always or never'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l stream -x -d 'stream=: none, a number, new, or py:EXPR'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l values -d 'read and print the first N elements (default 8)'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l stats -d 'read all elements and print minimum, maximum and the number of NaNs'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l checksum -d 'read all elements and print a CRC-32 of them in C order'
complete -c suai -n '__fish_seen_subcommand_from inspect' -s e -l exit-status -d 'exit with 1 where a target exposes nothing'
complete -c suai -n '__fish_seen_subcommand_from inspect' -s o -l output -rF -d 'write the result to FILE, whole or not at all'
complete -c suai -n '__fish_seen_subcommand_from inspect' -s p -l protocol -x -a '(__suai_list sycl cuda dlpack numpy numpy-struct buffer)' -d 'look at this protocol only; repeatable'
complete -c suai -n '__fish_seen_subcommand_from inspect' -s q -l quiet -d 'print a line for each interface or finding, and no summary'
complete -c suai -n '__fish_seen_subcommand_from inspect' -s v -l verbose -d 'print more: each call, all details, and the rules that were skipped'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l color -x -a 'auto always never' -d 'colour the text: auto (on a terminal), always or never'
complete -c suai -n '__fish_seen_subcommand_from inspect' -s c -l code -x -d 'run CODE as the module; every TARGET is an expression in it'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l targets-from -rF -d 'read more TARGETs from FILE, one a line; - is standard input'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l python -rF -d 'the interpreter to use; else $SUAI_PYTHON, $VIRTUAL_ENV, $CONDA_PREFIX, python3'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l timeout -x -d 'seconds for the import, then for each target (default 60)'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l wrap -x -d 'run the worker process under CMD, such as \'valgrind -q\' or \'gdb --args\''
complete -c suai -n '__fish_seen_subcommand_from inspect' -l host -x -a 'auto embed exec' -d 'how the interpreter is run: auto, embed or exec; for tests'
complete -c suai -n '__fish_seen_subcommand_from inspect' -l help -d 'explain the command'
complete -c suai -n '__fish_seen_subcommand_from inspect' -F

complete -c suai -n __fish_use_subcommand -a validate -d 'check every interface against its document; say what, why and how to mend it'
complete -c suai -n '__fish_seen_subcommand_from validate' -s f -l format -x -a 'text concise yaml json sarif junit tap github' -d 'text (default), concise, yaml, json, sarif, junit, tap or github'
complete -c suai -n '__fish_seen_subcommand_from validate' -l select -x -a '(__suai_rules)' -d 'judge by these rules alone, ids or their beginnings'
complete -c suai -n '__fish_seen_subcommand_from validate' -l extend-select -x -a '(__suai_rules)' -d 'judge by these rules as well'
complete -c suai -n '__fish_seen_subcommand_from validate' -l ignore -x -a '(__suai_rules)' -d 'do not judge by these rules'
complete -c suai -n '__fish_seen_subcommand_from validate' -s S -l severity -x -a 'error warning note' -d 'show findings from LEVEL on, and fail on them'
complete -c suai -n '__fish_seen_subcommand_from validate' -l strict -d 'take recommendations, and what a reference consumer demands, for errors'
complete -c suai -n '__fish_seen_subcommand_from validate' -l spec -x -d 'judge by these editions of the documents, whatever objects declare'
complete -c suai -n '__fish_seen_subcommand_from validate' -l static -d 'judge dictionaries and structs alone; ask no driver'
complete -c suai -n '__fish_seen_subcommand_from validate' -l no-skips -d 'fail where a rule had to be skipped, and say which and why'
complete -c suai -n '__fish_seen_subcommand_from validate' -l exit-zero -d 'exit with 0 whatever is found'
complete -c suai -n '__fish_seen_subcommand_from validate' -l statistics -d 'print how often each rule was broken instead of the findings'
complete -c suai -n '__fish_seen_subcommand_from validate' -s o -l output -rF -d 'write the result to FILE, whole or not at all'
complete -c suai -n '__fish_seen_subcommand_from validate' -s p -l protocol -x -a '(__suai_list sycl cuda dlpack numpy numpy-struct buffer)' -d 'look at this protocol only; repeatable'
complete -c suai -n '__fish_seen_subcommand_from validate' -s q -l quiet -d 'print a line for each interface or finding, and no summary'
complete -c suai -n '__fish_seen_subcommand_from validate' -s v -l verbose -d 'print more: each call, all details, and the rules that were skipped'
complete -c suai -n '__fish_seen_subcommand_from validate' -l color -x -a 'auto always never' -d 'colour the text: auto (on a terminal), always or never'
complete -c suai -n '__fish_seen_subcommand_from validate' -s c -l code -x -d 'run CODE as the module; every TARGET is an expression in it'
complete -c suai -n '__fish_seen_subcommand_from validate' -l targets-from -rF -d 'read more TARGETs from FILE, one a line; - is standard input'
complete -c suai -n '__fish_seen_subcommand_from validate' -l python -rF -d 'the interpreter to use; else $SUAI_PYTHON, $VIRTUAL_ENV, $CONDA_PREFIX, python3'
complete -c suai -n '__fish_seen_subcommand_from validate' -l timeout -x -d 'seconds for the import, then for each target (default 60)'
complete -c suai -n '__fish_seen_subcommand_from validate' -l wrap -x -d 'run the worker process under CMD, such as \'valgrind -q\' or \'gdb --args\''
complete -c suai -n '__fish_seen_subcommand_from validate' -l host -x -a 'auto embed exec' -d 'how the interpreter is run: auto, embed or exec; for tests'
complete -c suai -n '__fish_seen_subcommand_from validate' -l help -d 'explain the command'
complete -c suai -n '__fish_seen_subcommand_from validate' -F

complete -c suai -n __fish_use_subcommand -a convert -d 'export an object through another protocol, or write its elements to a file'
complete -c suai -n '__fish_seen_subcommand_from convert' -l to -x -a 'sycl cuda dlpack numpy buffer' -d 'the protocol that the new object exports'
complete -c suai -n '__fish_seen_subcommand_from convert' -l interface-version -x -d 'its version: dlpack 0 (legacy capsules) or 1, cuda 0 to 3'
complete -c suai -n '__fish_seen_subcommand_from convert' -l device -x -d 'where the new object lives: cpu, cuda:N, rocm:N, sycl:FILTER, opencl:P.D'
complete -c suai -n '__fish_seen_subcommand_from convert' -l order -x -a 'C F K' -d 'the order of the elements: C, F, or K (default), the source\'s own'
complete -c suai -n '__fish_seen_subcommand_from convert' -l copy -x -a 'auto always never' -d 'copy where needed (auto), always, or never'
complete -c suai -n '__fish_seen_subcommand_from convert' -l stream -x -d 'order the result on this stream: none, a number, new, or py:EXPR'
complete -c suai -n '__fish_seen_subcommand_from convert' -l engine -x -a 'auto kernel host' -d 'what copies: a kernel on the device, or the host\'s loops'
complete -c suai -n '__fish_seen_subcommand_from convert' -l call -x -d 'hand the new object to module:function, or to an expression with _'
complete -c suai -n '__fish_seen_subcommand_from convert' -l verify -d 'compare every element with the source; exit with 1 where one differs'
complete -c suai -n '__fish_seen_subcommand_from convert' -l dry-run -d 'make nothing; say whether it would be zero-copy, or why a copy'
complete -c suai -n '__fish_seen_subcommand_from convert' -l timing -d 'print seconds, GB/s (bytes of the result) and the share of memcpy\'s rate'
complete -c suai -n '__fish_seen_subcommand_from convert' -s f -l format -x -a 'text yaml json' -d 'text (default), yaml or json'
complete -c suai -n '__fish_seen_subcommand_from convert' -s o -l output -rF -d 'write the result to FILE, whole or not at all'
complete -c suai -n '__fish_seen_subcommand_from convert' -s p -l protocol -x -a '(__suai_list sycl cuda dlpack numpy numpy-struct buffer)' -d 'look at this protocol only; repeatable'
complete -c suai -n '__fish_seen_subcommand_from convert' -s q -l quiet -d 'print a line for each interface or finding, and no summary'
complete -c suai -n '__fish_seen_subcommand_from convert' -s v -l verbose -d 'print more: each call, all details, and the rules that were skipped'
complete -c suai -n '__fish_seen_subcommand_from convert' -l color -x -a 'auto always never' -d 'colour the text: auto (on a terminal), always or never'
complete -c suai -n '__fish_seen_subcommand_from convert' -s c -l code -x -d 'run CODE as the module; every TARGET is an expression in it'
complete -c suai -n '__fish_seen_subcommand_from convert' -l targets-from -rF -d 'read more TARGETs from FILE, one a line; - is standard input'
complete -c suai -n '__fish_seen_subcommand_from convert' -l python -rF -d 'the interpreter to use; else $SUAI_PYTHON, $VIRTUAL_ENV, $CONDA_PREFIX, python3'
complete -c suai -n '__fish_seen_subcommand_from convert' -l timeout -x -d 'seconds for the import, then for each target (default 60)'
complete -c suai -n '__fish_seen_subcommand_from convert' -l wrap -x -d 'run the worker process under CMD, such as \'valgrind -q\' or \'gdb --args\''
complete -c suai -n '__fish_seen_subcommand_from convert' -l host -x -a 'auto embed exec' -d 'how the interpreter is run: auto, embed or exec; for tests'
complete -c suai -n '__fish_seen_subcommand_from convert' -l help -d 'explain the command'
complete -c suai -n '__fish_seen_subcommand_from convert' -F

complete -c suai -n __fish_use_subcommand -a devices -d 'list the devices that each runtime sees, with the numbers that protocols use'
complete -c suai -n '__fish_seen_subcommand_from devices' -s f -l format -x -a 'text yaml json' -d 'text (default), yaml or json'
complete -c suai -n '__fish_seen_subcommand_from devices' -s o -l output -rF -d 'write the result to FILE, whole or not at all'
complete -c suai -n '__fish_seen_subcommand_from devices' -s p -l protocol -x -a '(__suai_list sycl cuda dlpack numpy numpy-struct buffer)' -d 'look at this protocol only; repeatable'
complete -c suai -n '__fish_seen_subcommand_from devices' -s q -l quiet -d 'print a line for each interface or finding, and no summary'
complete -c suai -n '__fish_seen_subcommand_from devices' -s v -l verbose -d 'print more: each call, all details, and the rules that were skipped'
complete -c suai -n '__fish_seen_subcommand_from devices' -l color -x -a 'auto always never' -d 'colour the text: auto (on a terminal), always or never'
complete -c suai -n '__fish_seen_subcommand_from devices' -s c -l code -x -d 'run CODE as the module; every TARGET is an expression in it'
complete -c suai -n '__fish_seen_subcommand_from devices' -l targets-from -rF -d 'read more TARGETs from FILE, one a line; - is standard input'
complete -c suai -n '__fish_seen_subcommand_from devices' -l python -rF -d 'the interpreter to use; else $SUAI_PYTHON, $VIRTUAL_ENV, $CONDA_PREFIX, python3'
complete -c suai -n '__fish_seen_subcommand_from devices' -l timeout -x -d 'seconds for the import, then for each target (default 60)'
complete -c suai -n '__fish_seen_subcommand_from devices' -l wrap -x -d 'run the worker process under CMD, such as \'valgrind -q\' or \'gdb --args\''
complete -c suai -n '__fish_seen_subcommand_from devices' -l host -x -a 'auto embed exec' -d 'how the interpreter is run: auto, embed or exec; for tests'
complete -c suai -n '__fish_seen_subcommand_from devices' -l help -d 'explain the command'

complete -c suai -n __fish_use_subcommand -a rule -d 'explain a rule: what must hold, why, by which clause, how to mend it; or list all'
complete -c suai -n '__fish_seen_subcommand_from rule' -s f -l format -x -a 'text yaml json' -d 'text (default), yaml or json'
complete -c suai -n '__fish_seen_subcommand_from rule' -s o -l output -rF -d 'write the result to FILE, whole or not at all'
complete -c suai -n '__fish_seen_subcommand_from rule' -l color -x -a 'auto always never' -d 'colour the text: auto (on a terminal), always or never'
complete -c suai -n '__fish_seen_subcommand_from rule' -l help -d 'explain the command'

complete -c suai -n __fish_use_subcommand -a help -d 'explain a command'
complete -c suai -n '__fish_seen_subcommand_from help' -l help -d 'explain the command'
complete -c suai -n '__fish_seen_subcommand_from help' -a 'inspect validate convert devices rule help'
