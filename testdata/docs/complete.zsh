# SPDX-License-Identifier: MIT
# zsh -f complete.zsh DIR LINE: prints the completions of zsh at the end of LINE, with those in DIR. A real zsh on a
# pseudo-terminal receives the line and a tab; there compadd also writes its matches to a file.
zmodload zsh/zpty
found=$(mktemp)
setup='
PS1=
fpath=('${(q)1}' $fpath)
autoload -Uz compinit
compinit -u -D
bindkey "^I" complete-word
compadd() {
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
		builtin compadd "$@"
		return
	fi
	local -a matches
	builtin compadd -A matches "$@"
	(( $#matches )) && print -rl -- $matches >> '${(q)found}'
	builtin compadd "$@"
}
zle-line-init() {
	print -r -- "<"ready">"
}
zle -N zle-line-init
'
setup_file=$(mktemp)
print -r -- $setup > $setup_file
zpty line zsh -f -i
zpty -w line "source ${(q)setup_file}"
zpty -r line output '*<ready>*'
zpty -w -n line "$2"$'\t\025'
zpty -w line 'exit'
zpty -r line output '*no such text*' > /dev/null 2>&1
zpty -d line
sort -u $found
rm -f $found $setup_file
