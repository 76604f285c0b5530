// The scripts of the shells. Each asks svcctl for the words that may stand next, so that ids and names come from the unit.

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

const bash = `_svcctl() {
  local first=1
  [[ \${COMP_WORDS[0]##*/} == gatehouse ]] && { [[ \${COMP_WORDS[1]} == ctl ]] || return 0; first=2; }
  local IFS=$'\\n'
  COMPREPLY=($(svcctl completion words -- "\${COMP_WORDS[@]:first:COMP_CWORD-first+1}" 2>/dev/null))
}
complete -o default -F _svcctl svcctl gatehouse`

const zsh = `_svcctl() {
  local first=2
  [[ \${words[1]:t} == gatehouse ]] && { [[ \${words[2]} == ctl ]] || return 0; first=3; }
  local -a found
  found=("\${(@f)$(svcctl completion words -- "\${(@)words[first,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found" ]] && compadd -a found || _files
}
compdef _svcctl svcctl gatehouse`

const fish = `function __svcctl
  svcctl completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null
end
complete -c svcctl -a '(__svcctl)'`

export const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish }
